"""Which side of the threshold a row lies on: in single precision, and in double near it.

A class needs the sign of the decision alone. Single precision sweeps rows in half the time, and
gives the same sign wherever the decision is farther from zero than its rounding. So rows are
swept in single precision first, and those near the threshold again in double precision.

How near is near: a log-ratio that is wrong by ``SLACK`` in every member moves the decision by no
more than ``SLACK * mean(1 / scales)``. On trained tables the largest error of any member and
complete row was 0.001, and errors of members mostly cancel in the decision; ``SLACK`` is thirty
times that. It is a margin, not a proof, and so it is watched: if a row near the threshold moved
by more than an eighth of it, all rows of the chunk are swept again. Rows with missing cells are
always swept in double precision, because they need environments, which are squares and round
more.

Scores are not made here: a decision or a probability is always one of double precision, since it
must not depend on which rows came with it.
"""

from __future__ import annotations

import numpy as np
import torch

from pulps.decision.rule import DecisionRule
from pulps.estimators.tables.states import States

SLACK = 1 / 32  # of a log-ratio
WATCHED = 8  # how often the change of a row must fit into the slack


class Sides:
    """Tells positive rows from negative ones.

    Parameters
    ----------
    states
        Both states of every member.
    rule
        How their log-ratios become a decision.
    """

    def __init__(self, states: States, rule: DecisionRule) -> None:
        self.states, self.rule = states, rule
        self.band = SLACK * float(np.mean(1 / rule.scales))

    def positive(self, values: np.ndarray) -> np.ndarray:
        """Tell which rows have a decision above zero in double precision.

        Parameters
        ----------
        values
            Encoded rows, NaN where missing.

        Returns
        -------
        array of bool, shape (rows,)
        """
        decision = np.full(len(values), np.nan)
        whole = ~np.isnan(values).any(axis=1)
        if whole.any():
            decision[whole] = self._decision(values[whole], torch.float32)
        near = ~(np.abs(decision) > self.band)  # also where it is not a number
        if not near.any():
            return decision > 0
        single = decision[near]
        decision[near] = self._decision(values[near], torch.float64)
        moved = np.abs(decision[near] - single)[whole[near]]
        if len(moved) and not moved.max() * WATCHED < self.band:
            decision = self._decision(values, torch.float64)
        return decision > 0

    def _decision(self, values: np.ndarray, dtype: torch.dtype) -> np.ndarray:
        return self.rule.decision(self.states.log_ratios(values, dtype))
