"""How many fits a search has made, how long they take, and how many more its time allows."""

from __future__ import annotations

import time
from collections.abc import Callable


class Budget:
    """The time of a search, counted in fits.

    Parameters
    ----------
    seconds
        Time that the search may take; None for any.
    clock
        Tells the time in seconds.

    Examples
    --------
    >>> now = iter([0.0, 8.0, 8.0]).__next__
    >>> budget = Budget(20, clock=now)
    >>> budget.n_done = 4
    >>> budget.allows(6), budget.reachable(100)
    (True, 10)
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.clock = clock
        self.start = clock()
        self.n_done = 0

    def allows(self, n_fits: int) -> bool:
        """Tell whether there is time for more fits, by how long those before took.

        Parameters
        ----------
        n_fits
            Number of fits.

        Returns
        -------
        bool
            Always True for the first ones, if there is any time at all.
        """
        if self.seconds is None or not self.n_done:
            return self.seconds is None or self.seconds > 0
        taken = self.clock() - self.start
        return taken * (1 + n_fits / self.n_done) <= self.seconds

    def reachable(self, n_fits: int) -> int:
        """Count the fits that will have been made when the work or the time is over.

        Parameters
        ----------
        n_fits
            Number of fits that would end the work, including those made.

        Returns
        -------
        int
            At least the fits that were made.
        """
        if self.seconds is None or not self.n_done:
            return n_fits
        taken = self.clock() - self.start
        return min(n_fits, max(self.n_done, int(self.seconds * self.n_done / taken)))
