"""How far a report is, for whoever waits for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pulps.io.progress import OneLine

Tell = Callable[[float, str], object]


def silent(share: float, doing: str) -> None:
    """Tell nobody.

    Parameters
    ----------
    share, doing
        How much is done, and what is done next.
    """


def part(tell: Tell, first: float, last: float) -> Tell:
    """Tell of one part of the work as a share of the whole.

    Parameters
    ----------
    tell
        Told of the whole.
    first, last
        Where the part begins and ends.

    Returns
    -------
    callable
        To be told of the part.

    Examples
    --------
    >>> part(lambda share, doing: print(share, doing), 0.5, 1.0)(0.5, "reasons")
    0.75 reasons
    """
    return lambda share, doing: tell(first + share * (last - first), doing)


@contextmanager
def on_terminal(what: str = "Report") -> Iterator[Tell]:
    """Show a line on standard error if people read it there.

    Parameters
    ----------
    what
        What is made.

    Yields
    ------
    callable
        To be told how much is done, from 0 to 1, and what is done next.
    """
    if not sys.stderr.isatty():
        yield silent
        return
    line = OneLine(sys.stderr)
    try:
        yield lambda share, doing: line.show(f"{what}: {share:4.0%}, {doing}")
    finally:
        line.wipe()
