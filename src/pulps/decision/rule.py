"""From log-ratios of members to a decision, and from a decision to a probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class DecisionRule:
    """How log-ratios of members become a decision, a class and a probability.

    Parameters
    ----------
    scales
        Mean size of each member's log-ratio on the unlabeled training rows.
    threshold
        Where the mean of the scaled log-ratios is cut.
    slope
        Steepness of the probability at the threshold.

    Examples
    --------
    >>> rule = DecisionRule(np.array([1.0, 4.0]), threshold=0.5, slope=2.0)
    >>> rule.decision(np.array([[1.0, -1.0], [4.0, 0.0]]))
    array([ 0.5, -1. ])
    """

    scales: np.ndarray
    threshold: float
    slope: float

    def member_decisions(self, log_ratios: np.ndarray) -> np.ndarray:
        """Decision of every member alone; their mean is the decision.

        Parameters
        ----------
        log_ratios
            Shape (members, rows).

        Returns
        -------
        array of shape (members, rows)
        """
        return log_ratios / self.scales[:, None] - self.threshold

    def decision(self, log_ratios: np.ndarray) -> np.ndarray:
        """Decision of all members together; above zero means positive.

        Parameters
        ----------
        log_ratios
            Shape (members, rows).

        Returns
        -------
        array of shape (rows,)
        """
        return (log_ratios / self.scales[:, None]).mean(axis=0) - self.threshold

    def probability(self, decision: np.ndarray) -> np.ndarray:
        """Probability of the positive class that belongs to a decision.

        Parameters
        ----------
        decision
            From :meth:`decision`, of any shape.

        Returns
        -------
        array of the same shape
            From 0 to 1.
        """
        return logistic(self.slope * decision)


def logistic(values: np.ndarray) -> np.ndarray:
    """Turn log-odds into probabilities.

    Parameters
    ----------
    values
        Of any shape.

    Returns
    -------
    array of the same shape

    Examples
    --------
    >>> logistic(np.array([-800.0, 0.0, 800.0]))
    array([0. , 0.5, 1. ])
    """
    return np.exp(-np.logaddexp(0, -values))
