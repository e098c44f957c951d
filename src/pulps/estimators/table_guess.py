"""The first guess of a table: honest scores of its rows, and which columns matter to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from pulps.decision.follow import Guess
from pulps.estimators.table_fit import EncodedTable
from pulps.io.randomness import new_seed
from pulps.labels import every_nth
from pulps.tables.embedding import Embedding
from pulps.training.subsample import thin_out
from pulps.views.consensus import MOST_ROWS, fit_consensus
from pulps.views.given import given_view
from pulps.views.relevance import relevance

LEAST_RATE = 0.02
ENOUGH_ROWS = 4096


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
    """

    rows: Guess
    column_rates: np.ndarray

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
        order = np.tile(embedding.order, embedding.n_repeats)
        return tuple(self.column_rates[order].tolist())


def guess_table(
    first_guess: Any,
    table: EncodedTable,
    rng: np.random.RandomState,
    generator: torch.Generator,
    *,
    rule: str,
    known_prior: float | None,
    single_training_set: bool,
) -> FirstGuess:
    """Score every row by models that did not see it, and find prior, cut and columns that matter.

    Of a file of rows, or of very many, the views learn from some and score the others.

    Parameters
    ----------
    first_guess
        ``"consensus"``, or a classifier of scikit-learn.
    table
        The rows.
    rng, generator
        Sources of folds, views, resamples and trees, and of the rows that are chosen.
    rule, known_prior, single_training_set
        See :meth:`pulps.decision.follow.Guess.of`.

    Returns
    -------
    FirstGuess
    """
    views = None if first_guess == "consensus" else [given_view(first_guess)]
    some = thin_out(table.labeled, MOST_ROWS, generator)
    scores = np.full(len(table), np.nan)
    scores[some], consensus = fit_consensus(
        table.values[some],
        table.encoder.columns_,
        table.labeled[some],
        table.weights[some],
        rng,
        views=views,
    )
    if len(some) < len(table):
        first = 0
        for chunk in table.chunks():
            part = slice(first, first + len(chunk))
            unseen = np.isnan(scores[part])
            scores[part][unseen] = consensus.score(chunk[unseen])
            first += len(chunk)
    guess = Guess.of(
        scores,
        table.labeled,
        table.weights,
        rule=rule,
        known_prior=known_prior,
        single_training_set=single_training_set,
        random_state=new_seed(rng),
    )
    copies = np.repeat(np.arange(len(table)), np.ceil(table.weights).astype(int))
    rows = copies[every_nth(len(copies), ENOUGH_ROWS)]
    matters = relevance(table.values[rows], scores[rows], rng)
    return FirstGuess(guess, np.maximum(matters, LEAST_RATE))
