"""How far a report is, for whoever waits for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

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
    """Show a bar on standard error if people read it there.

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
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = TextColumn(what + ": {task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda share, doing: bar.update(task, completed=share, description=doing)
