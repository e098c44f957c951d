"""The class prior, learned while training.

The balance term needs the share of positives among the unlabeled rows. Members start from
the paper's one half; three times on the way their scores of held-out labels tell a better
value (:mod:`pulps.decision.held_out`), which all of them use from there on. Best bin estimation
errs upwards, so below one half the lower end of the interval is taken. Above one half the
labeled rows already draw the members to the positive side, and only an estimate above 0.7
is worth its noise.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from torch import Tensor

from pulps.decision.held_out import SPREAD, Evidence
from pulps.labels import every_nth

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


def honest_evidence(scores: np.ndarray, labeled: np.ndarray, spies: np.ndarray) -> Evidence:
    """Collect scores of labeled rows from members that were not shown their label."""
    return Evidence(np.where(spies, scores, np.nan)[:, labeled], scores[:, ~labeled])


def every_kind_of_row(labeled: np.ndarray) -> np.ndarray:
    """Choose rows enough to estimate a prior: labeled and unlabeled ones, evenly spread.

    >>> len(every_kind_of_row(np.arange(100_000) < 10))
    4010
    """
    groups = (np.flatnonzero(labeled), np.flatnonzero(~labeled))
    return np.concatenate([rows[every_nth(len(rows), ENOUGH_ROWS)] for rows in groups])


class LearnedPrior:
    """Share of positives among the unlabeled rows, as a function of the epochs done.

    Parameters
    ----------
    log_ratios
        From cores to the log-ratios of some rows, shape (members, rows).
    labeled
        Which of these rows are labeled.
    spies
        Which of them each member takes for unlabeled, shape (members, rows).
    n_epochs
        Epochs of the whole training.
    """

    def __init__(
        self,
        log_ratios: Callable[[list[Tensor]], np.ndarray],
        labeled: np.ndarray,
        spies: np.ndarray,
        n_epochs: int,
    ):
        self.log_ratios, self.labeled, self.spies = log_ratios, labeled, spies
        self.due = {round(moment * n_epochs) for moment in MOMENTS}
        self.value = 0.5

    def __call__(self, done: int, cores: list[Tensor]) -> float:
        """Return the prior to use now; members that train again alone use the last one."""
        if done in self.due and len(cores[0]) == 2 * len(self.spies):
            ratios = self.log_ratios(cores)
            sound = np.isfinite(ratios).all(axis=1)
            if sound.any():
                scores, _ = common_scale(ratios[sound], self.labeled)
                evidence = honest_evidence(scores, self.labeled, self.spies[sound])
                if evidence.n_labeled:
                    prior, (low, _) = evidence.prior()
                    self.value = prior if prior > 0.5 + SPREAD else min(low, 0.5)
        return self.value
