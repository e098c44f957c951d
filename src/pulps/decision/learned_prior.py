"""The class prior, learned while training.

The balance term needs the share of positives among the unlabeled rows. Members start from
the paper's one half; three times in training their scores of held-out labels tell a better
value (:mod:`pulps.decision.held_out`), which all of them use from there on. Best bin estimation
errs upwards, so below one half the lower end of the interval is taken. Above one half the
labeled rows already draw the members to the positive class, and only an estimate above 0.7
is worth its noise.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from pulps.decision.held_out import SPREAD, HeldOut
from pulps.labels import every_nth
from pulps.network import engine
from pulps.network.stack import Stack
from pulps.training.loss import N_STATES

ENOUGH_ROWS = 4096
MOMENTS = (0.25, 0.5, 0.75)  # of all epochs


def common_scale(
    log_ratios: np.ndarray, labeled: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Divide each member's log-ratios by their mean size on the unlabeled rows.

    Parameters
    ----------
    log_ratios
        Shape (members, rows).
    labeled
        Which rows are labeled.
    weights
        Weight of each row in the mean; all alike by default.

    Returns
    -------
    scores
        Shape (members, rows).
    sizes
        Shape (members,), one where a member's log-ratios are all zero.
    """
    if weights is not None:
        weights = weights[~labeled]
    sizes = np.average(np.abs(log_ratios[:, ~labeled]), axis=1, weights=weights)
    sizes[sizes == 0] = 1.0
    return log_ratios / sizes[:, None], sizes


def held_out_scores(
    scores: np.ndarray,
    labeled: np.ndarray,
    hidden: np.ndarray,
    weights: np.ndarray | None = None,
) -> HeldOut:
    """Collect scores of labeled rows from members that were not shown their label.

    Parameters
    ----------
    scores
        Shape (members, rows).
    labeled
        Which rows are labeled.
    hidden
        Which labeled rows each member took for unlabeled ones, or how much of them, shape
        (members, rows).
    weights
        Weight of each row; None weighs all alike.

    Returns
    -------
    HeldOut
        The scores, and the curves that follow from them.
    """
    return HeldOut(
        np.where(hidden > 0, scores, np.nan)[:, labeled],
        scores[:, ~labeled],
        None if weights is None else hidden[:, labeled],
        None if weights is None else weights[labeled],
        None if weights is None else weights[~labeled],
    )


def every_kind_of_row(labeled: np.ndarray) -> np.ndarray:
    """Choose enough rows to estimate a prior: labeled and unlabeled ones, evenly spread.

    Parameters
    ----------
    labeled
        Boolean, shape (rows,).

    Returns
    -------
    array of int
        Row numbers.

    Examples
    --------
    >>> len(every_kind_of_row(np.arange(100_000) < 10))
    4010
    """
    groups = (np.flatnonzero(labeled), np.flatnonzero(~labeled))
    return np.concatenate([rows[every_nth(len(rows), ENOUGH_ROWS)] for rows in groups])


class LearnedPrior:
    """Share of positives among the unlabeled rows, learned again at a few moments of training.

    It is a :class:`pulps.training.loop.MovingPrior`.

    Parameters
    ----------
    rows
        Rows that were made ready for the sweep.
    labeled
        Which of these rows are labeled.
    hidden
        Which of them each member takes for unlabeled, shape (members, rows).
    n_epochs
        Epochs of the whole training.
    weights
        Weight of each row; None weighs all alike.
    """

    def __init__(
        self,
        rows: engine.PreparedRows,
        labeled: np.ndarray,
        hidden: np.ndarray,
        n_epochs: int,
        weights: np.ndarray | None = None,
    ):
        self.rows, self.labeled, self.hidden, self.weights = rows, labeled, hidden, weights
        self.due = {round(moment * n_epochs) for moment in MOMENTS}
        self.value = 0.5

    def update(self, n_done: int, cores: list[Tensor]) -> None:
        """Learn anew if it is time to.

        Parameters
        ----------
        n_done
            Epochs that are done.
        cores
            Stacked cores as they are now.
        """
        if n_done in self.due:
            with torch.no_grad():
                norms = engine.log_norms(cores, self.rows)
            log_p, log_n = Stack(N_STATES, len(self.hidden)).split(norms)
            self.learn((log_p - log_n).double().cpu().numpy())

    def learn(self, log_ratios: np.ndarray) -> None:
        """Set ``value`` by what all members say of the rows.

        Parameters
        ----------
        log_ratios
            Shape (members, rows).
        """
        finite = np.isfinite(log_ratios).all(axis=1)
        if not finite.any():
            return
        scores, _ = common_scale(log_ratios[finite], self.labeled, self.weights)
        held_out = held_out_scores(scores, self.labeled, self.hidden[finite], self.weights)
        if held_out.n_labeled:
            prior, (low, _) = held_out.prior()
            self.value = prior if prior > 0.5 + SPREAD else min(low, 0.5)
