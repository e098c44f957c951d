"""From what states of several classes say of a row to the probability of each class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ClassScale:
    """From the mean leads of the members to probabilities: a softmax with offsets.

    Parameters
    ----------
    slope
        Log-odds per unit of the leads.
    offsets
        Added for each class: what a threshold is to two classes.
    """

    slope: float
    offsets: np.ndarray

    def probabilities(self, leads: np.ndarray) -> np.ndarray:
        """Tell the chance of each class.

        Parameters
        ----------
        leads
            Shape (classes, rows).

        Returns
        -------
        array of shape (rows, classes)
        """
        logits = self.slope * leads.T + self.offsets
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)

    def votes(self, leads: np.ndarray) -> np.ndarray:
        """Tell which class each member alone would choose.

        Parameters
        ----------
        leads
            Shape (classes, members, rows).

        Returns
        -------
        array of int, shape (members, rows)
        """
        return (self.slope * leads + self.offsets[:, None, None]).argmax(axis=0)


def centered(log_norms: np.ndarray) -> np.ndarray:
    """Log-norms less their mean over the classes: how far each class is ahead.

    Parameters
    ----------
    log_norms
        Shape (classes, members, rows).

    Returns
    -------
    array of the same shape
    """
    return log_norms - log_norms.mean(axis=0)
