"""One line that says how far long work is, and how long it will still take.

On a terminal or in a notebook the line is written over and wiped in the end; in a log there are
four lines. Work inside other work, in threads and in worker processes says nothing.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TextIO

PATIENCE = 2.0  # seconds that work may take before anything is said

_busy = False


class Tell(Protocol):
    """Tells how many steps are done, and how many are expected if that has changed."""

    def __call__(self, n_done: int, n_expected: int | None = None) -> None:
        """Tell it.

        Parameters
        ----------
        n_done
            Steps that are done.
        n_expected
            Steps that there will be; None leaves the number as it was.
        """


@contextmanager
def progress(
    step: str, total: int | None, verbose: bool | int | str, *, rate: bool = False
) -> Iterator[Tell]:
    """Show how many steps of some work are done.

    Parameters
    ----------
    step
        What a step is called.
    total
        Number of steps that are expected; None where nobody knows, which a log says nothing of.
    verbose
        ``"auto"`` shows a line on a terminal or in a notebook, once the work has taken two
        seconds. True, or a number above zero, shows it at once, and in a log as well.
    rate
        Whether to say how many steps are done per second, where there are very many.

    Yields
    ------
    callable
        To be called with the number of steps that are done.
    """
    silent = _busy or not verbose or _inside_a_worker()
    line = None if silent else _open_line(step, total, verbose, rate)
    if line is None:
        yield _ignore
        return
    with inner_work_is_silent(), line as tell:
        yield tell


@contextmanager
def inner_work_is_silent() -> Iterator[None]:
    """Let no work inside show a line, because what surrounds it shows one."""
    global _busy
    before, _busy = _busy, True
    try:
        yield
    finally:
        _busy = before


def duration(seconds: float | None) -> str:
    """Say how long something takes.

    Parameters
    ----------
    seconds
        How long; None if that is unknown.

    Returns
    -------
    str
        In words.

    Examples
    --------
    >>> duration(None), duration(42), duration(3700)
    ('?', '42 s', '1 h 1 min')
    """
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    if minutes == 0:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _open_line(
    step: str, total: int | None, verbose: bool | int | str, rate: bool
) -> AbstractContextManager[Tell] | None:
    stream = sys.stderr
    if _is_live(stream):
        return _written_over(stream, step, total, PATIENCE if verbose == "auto" else 0.0, rate)
    return None if verbose == "auto" or total is None else _quarters(stream, step, total, rate)


def _speed(done: int, taken: float, rate: bool) -> str:
    return f", {done / taken:,.0f} per second" if rate and done and taken > 0 else ""


class OneLine:
    """A line of a terminal that is written over, and wiped in the end.

    Parameters
    ----------
    stream
        The terminal.
    """

    def __init__(self, stream: TextIO):
        self.stream = stream
        self.width = 0

    def show(self, text: str) -> None:
        """Show a text in place of the last one.

        Parameters
        ----------
        text
            What to show.
        """
        self.stream.write("\r" + text.ljust(self.width))
        self.stream.flush()
        self.width = max(self.width, len(text))

    def wipe(self) -> None:
        """Leave the line empty."""
        if self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()


@contextmanager
def _written_over(
    stream: TextIO, step: str, total: int | None, patience: float, rate: bool
) -> Iterator[Tell]:
    start, done, line = time.monotonic(), 0, OneLine(stream)
    lock = threading.Lock()  # a timer speaks first where the first step takes long

    def show() -> None:
        taken = time.monotonic() - start
        if total is None:
            line.show(f"{step}s done: {done:,}{_speed(done, taken, rate)}")
            return
        seconds = taken * (total - done) / done if done else 0.0
        left = f", about {duration(seconds)} left" if seconds >= 1 else ""
        line.show(f"{step} {min(done + 1, total)} of {total}{_speed(done, taken, rate)}{left}")

    def tell(n_done: int, n_expected: int | None = None) -> None:
        nonlocal done, total
        with lock:
            done = n_done
            total = total if total is None else max(n_done, n_expected or total)
            if time.monotonic() - start >= patience:
                show()

    def speak_first() -> None:
        with lock:
            if not done:
                show()

    timer = threading.Timer(patience, speak_first)
    timer.daemon = True
    timer.start()
    try:
        yield tell
    finally:
        timer.cancel()
        timer.join()
        line.wipe()


@contextmanager
def _quarters(stream: TextIO, step: str, total: int, rate: bool) -> Iterator[Tell]:
    start, told = time.monotonic(), 0

    def tell(n_done: int, n_expected: int | None = None) -> None:
        nonlocal told, total
        total = max(n_done, n_expected or total)
        quarter = 4 * n_done // total
        if quarter > told:
            told = quarter
            taken = time.monotonic() - start
            left = taken * (total - n_done) / n_done
            after = _speed(n_done, taken, rate)
            after += f", about {duration(left)} left" if left >= 1 else ""
            print(f"{step} {n_done} of {total}{after}", file=stream, flush=True)

    yield tell


def _ignore(n_done: int, n_expected: int | None = None) -> None:
    """Say nothing."""


def _is_live(stream: TextIO) -> bool:
    """Tell whether a line can be written over: on a terminal, or in a notebook."""
    interactive = sys.modules.get("IPython")
    shell = interactive.get_ipython() if interactive else None
    return bool(stream.isatty() or getattr(shell, "kernel", None) is not None)


def _inside_a_worker() -> bool:
    return (
        multiprocessing.current_process().name != "MainProcess"
        or threading.current_thread() is not threading.main_thread()
    )
