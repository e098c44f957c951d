"""The first guess of a table: honest scores of its rows, and of rows made up for teaching.

The views say of any row what they think of it. So a small table is taught together with twice as
many rows that nobody saw: copies in which some cells are those of other rows. They tell the
network where the views are unsure, which the rows of the table alone do not.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import torch

from pulps.decision.follow import Guess
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.io.progress import Tell
from pulps.io.randomness import new_seed
from pulps.labels import every_nth
from pulps.tables.embedding import Embedding
from pulps.training.subsample import thin_out
from pulps.views import consensus as consensus_room
from pulps.views.consensus import MOST_ROWS
from pulps.views.given import given_view
from pulps.views.opinions import Consensus
from pulps.views.relevance import relevance

LEAST_RATE = 0.02
MIXED = 0.3  # share of the cells of a made-up row that are of other rows
FEW_ENOUGH = 2000  # rows of a table beyond which none are made up
MADE_PER_ROW, MOST_MADE = 2, 2000
ENOUGH_ROWS = 2048
Teacher = tuple[np.ndarray, Consensus]  # honest scores of the rows, and who scores others
Line = Callable[[int, str], AbstractContextManager[Tell]]


@dataclass(frozen=True)
class FirstGuess:
    """What a network is told of a table before it learns.

    Parameters
    ----------
    rows
        Honest scores of the rows, prior and cut.
    column_rates
        How fast the cores of each column may move: slowly where it does not matter to the
        scores.
    made
        Encoded rows that were made up, shape (made rows, columns).
    made_scores
        What the views say of these.
    """

    rows: Guess
    column_rates: np.ndarray
    made: np.ndarray
    made_scores: np.ndarray

    def taught(self, table: EncodedTable) -> tuple[EncodedTable, np.ndarray]:
        """Add the rows that were made up to those of the table, as unlabeled ones.

        Parameters
        ----------
        table
            The rows that were guessed.

        Returns
        -------
        table, hints
            All rows to learn from, and how sure the guess is of each, from -1 to 1.
        """
        hints = self.rows.hint(np.concatenate([self.rows.scores, self.made_scores]))
        if not len(self.made):
            return table, hints
        return table.with_rows(self.made), hints

    def site_rates(self, embedding: Embedding) -> tuple[float, ...]:
        """How fast the cores of each site may move.

        Parameters
        ----------
        embedding
            Knows which column each site holds.

        Returns
        -------
        tuple of float
        """
        return rates_of_sites(self.column_rates, embedding)


def rates_of_sites(column_rates: np.ndarray, embedding: Embedding) -> tuple[float, ...]:
    """Tell how fast the cores of each site may move.

    Parameters
    ----------
    column_rates
        How fast those of each column may.
    embedding
        Knows which column each site holds.

    Returns
    -------
    tuple of float
    """
    order = np.tile(embedding.order, embedding.n_repeats)
    return tuple(column_rates[order].tolist())


def guess_table(
    first_guess: Any,
    table: EncodedTable,
    rng: np.random.RandomState,
    generator: torch.Generator,
    *,
    teacher: Teacher | None,
    rule: str,
    known_prior: float | None,
    single_training_set: bool,
    line: Line,
) -> FirstGuess:
    """Score every row by models that did not see it, and find prior, cut and columns that matter.

    Parameters
    ----------
    first_guess
        ``"consensus"``, or a classifier of scikit-learn.
    table
        The rows.
    rng, generator
        Sources of folds, views, resamples and trees, and of the rows that are chosen.
    teacher
        Views that were asked already; None asks them.
    rule, known_prior, single_training_set
        See :meth:`pulps.decision.follow.Guess.of`.
    line
        Shows how many views of how many are fitted.

    Returns
    -------
    FirstGuess
    """
    scores, consensus = teacher or ask_views(first_guess, table, rng, generator, line)
    guess = Guess.of(
        scores,
        table.labeled,
        table.weights,
        rule=rule,
        known_prior=known_prior,
        single_training_set=single_training_set,
        gaps=consensus.gaps,
        negative=table.negative,
        random_state=new_seed(rng),
    )
    copies = table.copies
    rows = copies[every_nth(len(copies), ENOUGH_ROWS)]
    matters = relevance(table.values[rows], scores[rows], rng)
    made = np.empty((0, len(table.encoder.columns_)))
    if table.in_memory and len(copies) <= FEW_ENOUGH:
        bases = np.tile(rng.permutation(copies), MADE_PER_ROW)[:MOST_MADE]
        made = mixed_rows(table.values[bases], rng)
    rates = np.maximum(matters, LEAST_RATE)
    return FirstGuess(guess, rates, made, consensus.score(made))


def ask_views(
    first_guess: Any,
    table: EncodedTable,
    rng: np.random.RandomState,
    generator: torch.Generator,
    line: Line,
) -> Teacher:
    """Fit views and have them score every row.

    Of a file of rows, or of very many, they learn from some and score the others.

    Parameters
    ----------
    first_guess, table, rng, generator, line
        As in :func:`guess_table`.

    Returns
    -------
    scores, consensus
        Honest scores of the rows, and the views.
    """
    views = None if first_guess == "consensus" else [given_view(first_guess)]
    some = thin_out(table.labeled, MOST_ROWS, generator)
    scores = np.full(len(table), np.nan)
    fitted = count(1)
    with line(len(views or consensus_room.DEFAULT_VIEWS), "view") as tell:
        scores[some], consensus = consensus_room.fit_consensus(
            table.values[some],
            table.encoder.columns_,
            table.labeled[some],
            table.weights[some],
            rng,
            views=views,
            on_view=lambda: tell(next(fitted)),
        )
    if len(some) < len(table):
        first = 0
        for chunk in table.chunks():
            part = slice(first, first + len(chunk))
            unseen = np.isnan(scores[part])
            scores[part][unseen] = consensus.score(chunk[unseen])
            first += len(chunk)
    return scores, consensus


def mixed_rows(values: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    """Copy rows and take some of their cells from other rows.

    Parameters
    ----------
    values
        Encoded rows.
    rng
        Source of the draws.

    Returns
    -------
    array of the shape of values
        Each column has the values that it has in the rows, and holes where these have them.

    Examples
    --------
    >>> values = np.arange(6.0).reshape(3, 2)
    >>> set((mixed_rows(values, np.random.RandomState(0)) % 2).flat) == {0.0, 1.0}
    True
    """
    mixed = rng.random_sample(values.shape) < MIXED
    others = rng.randint(len(values), size=values.shape)
    return np.where(mixed, values[others, np.arange(values.shape[1])], values)
