"""How the states of several classes learn: which members, which rows, how long."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import torch

from pulps.estimators.classes.table_guess import ClassGuess
from pulps.estimators.progress import fit_progress
from pulps.estimators.recipes.recipe import Recipe
from pulps.estimators.tables.defaults import auto_epochs
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.estimators.tables.fit import make_batches, make_start
from pulps.estimators.tables.guess import rates_of_sites
from pulps.tables.embedding import Embedding
from pulps.training.ensemble import Trained, train_members
from pulps.training.loop import LoopSettings
from pulps.training.missing_cells import DrawnCells


def train_classes(
    model: Any,
    table: EncodedTable,
    recipe: Recipe,
    embedding: Embedding,
    guess: ClassGuess | None,
    generator: torch.Generator,
    keeper: Any,
    n_rows: int | None,
) -> Trained:
    """Train one state per class and member on a table.

    Parameters
    ----------
    model
        The classifier: sizes, number of members and of epochs, device, and who shows progress.
    table
        The rows, with the class of each labeled one.
    recipe
        Everything else about the training.
    embedding
        From rows to features.
    guess
        What the states are told; None leaves them on their own.
    generator
        Source of starts and batches.
    keeper
        The checkpoint, or None.
    n_rows
        Rows in a batch; None takes all at once.

    Returns
    -------
    Trained
    """
    n_classes, n_members = len(table.classes), members_of(model, len(table.classes))
    shape = embedding.shape(model.bond_dim, model.spacing, recipe.output_dim)
    rates = None if guess is None else rates_of_sites(guess.column_rates, embedding)
    start = make_start(
        embedding, shape, recipe, generator, model.device, rates, n_states=n_classes
    )
    taught = table if guess is None or not len(guess.made) else table.with_rows(guess.made)
    draws = model.missing == "draw" and table.has_holes
    batches = make_batches(
        taught,
        embedding,
        np.zeros((n_members, len(taught)), dtype=bool),
        start,
        n_rows,
        DrawnCells(embedding.n_columns) if draws else None,
        None if guess is None else guess.hints(),
    )
    epochs = model.max_epochs
    if epochs == "auto":
        epochs = auto_epochs(len(table), n_rows, guessed=guess is not None)
    settings = class_settings(
        recipe.settings(epochs, 0.5, guessed=guess is not None),
        np.asarray(table.known),
        n_classes,
        table.weights,
    )
    settings = replace(settings, site_rates=rates)
    if guess is not None:
        settings = replace(settings, hint_size=1.0)
    with fit_progress(model, settings.max_epochs) as epoch_done:
        return train_members(
            start,
            batches,
            settings,
            max_restarts=recipe.max_restarts,
            on_epoch=lambda now: epoch_done(),
            keeper=keeper,
        )


def members_of(model: Any, n_classes: int) -> int:
    """Say how many members there are: fewer if each has more states.

    Parameters
    ----------
    model
        The classifier.
    n_classes
        Number of classes.

    Returns
    -------
    int
    """
    if model.n_members != "auto":
        return int(model.n_members)
    return 4 if n_classes == 2 else 2 if n_classes <= 5 else 1


def class_settings(
    settings: LoopSettings, known: np.ndarray, n_classes: int, weights: np.ndarray
) -> LoopSettings:
    """Tell the loop how many states there are, and what share of the rows each may expect.

    Parameters
    ----------
    settings
        Of two states.
    known
        Class of each labeled row, -1 for others.
    n_classes
        Number of classes.
    weights
        Weight of each row.

    Returns
    -------
    LoopSettings
        Shares are those of the labels, one more each.
    """
    mass = np.bincount(known[known >= 0], weights[known >= 0], n_classes)
    shares = (mass + 1) / (mass + 1).sum()
    return replace(settings, n_states=n_classes, shares=tuple(shares.tolist()))
