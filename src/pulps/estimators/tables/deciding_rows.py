"""The training rows that decide: who is kept, where to cut and how sure takes no millions of rows.

Members are asked about these rows when training is over, and to sweep a row costs as much as to
learn from it. Of a larger table some rows stand for all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from pulps.decision.decide import Decision, decide
from pulps.decision.follow import Guess, follow
from pulps.estimators.tables.encoded_table import EncodedTable

MOST_ROWS = 2**18


@dataclass(frozen=True)
class DecidingRows:
    """Rows, and what is known of them without the members.

    Parameters
    ----------
    table
        The rows; those of a larger table weigh as many as they stand for.
    hidden
        How much of each label a member was not shown, shape (members, rows).
    guess
        First guess of these rows, or None.
    known_prior
        Share of positives among the unlabeled rows, where it is known.
    """

    table: EncodedTable
    hidden: np.ndarray
    guess: Guess | None
    known_prior: float | None

    @classmethod
    def of(
        cls,
        table: EncodedTable,
        hidden: np.ndarray,
        guess: Guess | None,
        known_prior: float | None,
    ) -> DecidingRows:
        """Take as many rows of a table as a decision needs.

        Parameters
        ----------
        table, hidden, guess, known_prior
            Of all rows.

        Returns
        -------
        DecidingRows
        """
        some, rows = table.evenly(MOST_ROWS)
        if some is table:
            return cls(table, hidden, guess, known_prior)
        if guess is not None:
            scores = guess.scores[rows]
            guess = replace(guess, scores=scores, labeled=some.labeled, weights=some.weights)
        hidden = hidden[:, rows] * (some.weights / table.weights[rows])
        return cls(some, hidden, guess, known_prior)

    def decide(
        self,
        log_ratios: np.ndarray,
        members: np.ndarray,
        *,
        size: int | Literal["cluster"] | None,
        rule: str,
        single_training_set: bool,
    ) -> Decision:
        """Let the first guess say how many rows are positive, or the hidden labels.

        Parameters
        ----------
        log_ratios
            Of these rows, shape (members, rows).
        members
            Which members were asked.
        size, rule, single_training_set
            As in :func:`pulps.decision.decide.decide`.

        Returns
        -------
        Decision
        """
        if self.guess is not None:
            return follow(log_ratios, self.guess, size=size, rule=rule)
        return decide(
            log_ratios,
            self.table.labeled,
            self.hidden[members],
            self.table.row_weights,
            size=size,
            rule=rule,
            known_prior=self.known_prior,
            single_training_set=single_training_set,
        )
