"""The weight of the norm term (the paper's λ7), steered after every epoch.

While every labeled row is classified correctly there is room to tighten the states, so
the weight grows; when labeled rows are lost it shrinks. Each time the direction turns,
the factor about to be used is damped, so the weight settles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class NormWeight:
    """One value of the schedule; :meth:`after_epoch` gives the next.

    The paper damps its factors "at each change from a decrease to an increase"; we read
    that as every turn, and damp the factor that is used next. The author's code shrinks
    below a labeled recall of 0.99 instead of the paper's 0.95.

    Parameters
    ----------
    value
        The weight.
    grow, shrink
        Factors used next.
    damping
        Exponent of a factor when the direction turns.
    low, high
        Range of the weight.
    shrink_below
        Recall of labeled rows below which the weight shrinks.
    direction
        1 after growing, -1 after shrinking, 0 at first.

    Examples
    --------
    >>> weight = NormWeight()
    >>> weight.after_epoch(1.0).value
    1.1
    >>> weight.after_epoch(0.97).value
    1.0
    >>> weight.after_epoch(0.5).value
    0.9
    """

    value: float = 1.0
    grow: float = 1.1
    shrink: float = 0.9
    damping: float = 0.8
    low: float = 0.1
    high: float = 10.0
    shrink_below: float = 0.95
    direction: int = 0

    def after_epoch(self, labeled_recall: float) -> NormWeight:
        """Return the weight of the next epoch.

        Parameters
        ----------
        labeled_recall
            Share of the labeled rows that were found.

        Returns
        -------
        NormWeight
        """
        if labeled_recall >= 1:
            grow = self.grow**self.damping if self.direction < 0 else self.grow
            value = min(self.value * grow, self.high)
            return replace(self, value=value, grow=grow, direction=1)
        if labeled_recall < self.shrink_below:
            shrink = self.shrink**self.damping if self.direction > 0 else self.shrink
            value = max(self.value * shrink, self.low)
            return replace(self, value=value, shrink=shrink, direction=-1)
        return self

    @property
    def state(self) -> tuple[float, ...]:
        """What changes from epoch to epoch; see :meth:`at`."""
        return self.value, self.grow, self.shrink, self.direction

    def at(self, state: Sequence[float]) -> NormWeight:
        """Return the weight in a state it had before.

        Parameters
        ----------
        state
            From :attr:`state`.

        Returns
        -------
        NormWeight
        """
        value, grow, shrink, direction = map(float, state)
        return replace(self, value=value, grow=grow, shrink=shrink, direction=int(direction))
