"""The steps of a fit on a table, each a function of what it needs.

An encoded table comes in; labels are hidden from members, columns are given to sites, rows
become batches, chains get a start and the prior its first value. :class:`pulps.LPSClassifier`
calls these in order and trains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.base import BaseEstimator
from torch import Tensor

from pulps.decision.held_out import hide_parts
from pulps.decision.learned_prior import LearnedPrior, every_kind_of_row
from pulps.estimators.recipes.recipe import Recipe
from pulps.estimators.tables.checkpoint import Checkpoint, fingerprint_of
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.io.lazy_rows import LazyRows
from pulps.network import engine
from pulps.network.likelihood import LikelihoodRecipe, fit_densities
from pulps.network.lps import ChainShape
from pulps.network.stack import Stack
from pulps.tables.embedding import Embedding, draw_bases
from pulps.tables.encoding import TableEncoder
from pulps.tables.ordering import order_by_dependence
from pulps.training.batches import Augment, Batches
from pulps.training.loss import N_STATES
from pulps.training.start import Start


def open_checkpoint(
    path: str | Path, model: BaseEstimator, recipe: Recipe, table: EncodedTable
) -> Checkpoint:
    """Open the file of a fit, told from any other by its rows, labels and parameters.

    Parameters
    ----------
    path
        The file.
    model
        The classifier that is fitted; its parameters are part of the fingerprint.
    recipe
        Its recipe.
    table
        The rows.

    Returns
    -------
    Checkpoint
    """
    told = [table.labeled, table.weights, *([] if table.known is None else [table.known])]
    mark = fingerprint_of(model, recipe, chain(told, table.chunks()))
    return Checkpoint(path, recipe.checkpoint_every, mark)


def hidden_labels(
    table: EncodedTable, n_members: int, n_parts: int | None, rng: np.random.RandomState
) -> np.ndarray:
    """Choose how much of each label a member is not shown.

    None are hidden without parts, or with fewer than two labeled rows per part.

    Parameters
    ----------
    table
        The rows.
    n_members
        Number of members.
    n_parts
        Number of parts of the labeled rows, or None.
    rng
        Source of the deals.

    Returns
    -------
    array of shape (members, rows)
    """
    n_labeled = np.ceil(table.weights[table.labeled]).sum()
    if n_parts is None or n_labeled < 2 * n_parts:
        return np.zeros((n_members, len(table)), dtype=bool)
    return hide_parts(table.labeled, n_members, n_parts, rng, table.row_weights)


def choose_embedding(
    table: EncodedTable,
    recipe: Recipe,
    n_repeats: int,
    feature_dim: int,
    generator: torch.Generator,
) -> Embedding:
    """Choose which column sits where along the chain, and in which basis.

    Parameters
    ----------
    table
        The rows.
    recipe
        Order of the sites and their bases.
    n_repeats
        How often each column occurs.
    feature_dim
        Number of basis functions of a number.
    generator
        Source of mixed bases.

    Returns
    -------
    Embedding
    """
    columns = table.encoder.columns_
    order = np.arange(len(columns))
    if recipe.site_order == "dependence":
        order = order_by_dependence(table.values, columns, table.weights)
    ordered = [columns[i] for i in order]
    names = draw_bases(ordered, n_repeats, recipe.basis, recipe.category_basis, generator)
    return Embedding(columns, order, names, feature_dim)


def make_start(
    embedding: Embedding,
    shape: ChainShape,
    recipe: Recipe,
    generator: torch.Generator,
    device: str,
    site_rates: tuple[float, ...] | None = None,
    n_states: int = N_STATES,
) -> Start:
    """Say where the chains start.

    Parameters
    ----------
    embedding
        The sites.
    shape
        Shape of every chain.
    recipe
        Kind and size of the start, and its precision.
    generator
        Source of the draws.
    device
        A device of torch, where the cores live.
    site_rates
        Share of the random part that each site gets, if there is a first guess.
    n_states
        States of every member, one per class.

    Returns
    -------
    Start
    """
    constants = [basis.constant() for basis in embedding.bases]
    return Start(
        shape,
        recipe.scale_of_start(guessed=site_rates is not None),
        generator,
        constants if recipe.start == "near-identity" else None,
        dtype=getattr(torch, recipe.dtype),
        device=device,
        site_rates=site_rates,
        n_states=n_states,
    )


def make_batches(
    table: EncodedTable,
    embedding: Embedding,
    hidden: np.ndarray,
    start: Start,
    batch_size: int | None,
    augment: Augment | None,
    hints: np.ndarray | None = None,
) -> Batches:
    """Lay out the rows: shown labels count as labeled, everything else as unlabeled.

    Parameters
    ----------
    table
        The rows.
    embedding
        From rows to features.
    hidden
        How much of each label a member is not shown, shape (members, rows).
    start
        Tells precision and device.
    batch_size
        Rows in a batch; None takes all at once.
    augment
        What happens to the values of a batch before they are embedded.
    hints
        What all members are told of each row, from -1 to 1, shape (rows,), or of more than two
        states (states, rows); or None.

    Returns
    -------
    Batches
    """
    like: dict[str, Any] = {"dtype": start.dtype, "device": start.device}
    labeled = table.labeled if table.known is None else table.known >= 0
    n_members = len(hidden)
    if not hidden.any():  # then one row of weights is that of every member
        hidden = hidden[:1]
    shown = table.weights * labeled - hidden
    lazy = LazyRows(table.values, embedding.to_sites, **like)
    return Batches(
        lazy[:] if table.in_memory else lazy,
        embedding,
        torch.as_tensor(shown, **like).expand(n_members, -1),
        torch.as_tensor(table.weights - shown, **like).expand(n_members, -1),
        batch_size,
        start.generator,
        augment,
        None if hints is None else _for_all(torch.as_tensor(hints, **like), n_members),
        own_state=None if table.known is None else torch.as_tensor(table.known),
    )


def _for_all(hints: Tensor, n_members: int) -> Tensor:
    """Give every member the same hints."""
    return hints[..., None, :].expand(*hints.shape[:-1], n_members, hints.shape[-1])


def learned_prior(
    table: EncodedTable,
    embedding: Embedding,
    batches: Batches,
    hidden: np.ndarray,
    n_epochs: int,
) -> LearnedPrior:
    """Make the prior that is learned while training, from some of the rows.

    Parameters
    ----------
    table
        The rows.
    embedding
        From rows to features.
    batches
        The rows as they were laid out.
    hidden
        How much of each label a member is not shown, shape (members, rows).
    n_epochs
        Epochs of the whole training.

    Returns
    -------
    LearnedPrior
    """
    some = every_kind_of_row(table.labeled)
    weights = table.row_weights
    return LearnedPrior(
        engine.prepare(*embedding(batches.values[some])),
        table.labeled[some],
        hidden[:, some],
        n_epochs,
        None if weights is None else weights[some],
    )


def density_bases(
    encoder: TableEncoder, order: np.ndarray, generator: torch.Generator
) -> np.ndarray:
    """Name the basis of every site of chains that generate: each column once.

    Parameters
    ----------
    encoder
        Knows the columns.
    order
        Which column each site holds.
    generator
        Source of draws; none are made here.

    Returns
    -------
    array of str
        One name per site.
    """
    columns = [encoder.columns_[i] for i in order]
    return draw_bases(columns, 1, "cosine", "one-hot", generator)


def fit_class_densities(
    embedding: Embedding,
    values: np.ndarray,
    members: Sequence[np.ndarray],
    weights: np.ndarray,
    recipe: LikelihoodRecipe,
    generator: torch.Generator,
    on_epoch: Callable[[int], object],
) -> tuple[list[np.ndarray], ...]:
    """Train the chains that generate, each on the rows of its class.

    Parameters
    ----------
    embedding
        Of these chains.
    values
        Encoded rows.
    members
        For every class, which rows belong to it.
    weights
        Weight of each row.
    recipe
        Size and training.
    generator
        Source of starts and of the rows held out.
    on_epoch
        Called after every epoch with the number of those done.

    Returns
    -------
    tuple of lists
        The cores of every class.
    """
    cores = fit_densities(
        embedding.bases,
        torch.as_tensor(embedding.to_sites(values)),
        torch.as_tensor(np.stack([weights * rows for rows in members])),
        recipe,
        generator,
        on_epoch,
    )
    stack = Stack(len(members), recipe.n_members)
    return stack.split_cores([core.numpy() for core in cores])
