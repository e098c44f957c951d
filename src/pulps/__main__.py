"""`pulps` and `python -m pulps`: the commands, and what a signal does to them.

Handlers are in place before anything large is imported. So Ctrl-C and SIGTERM end a command at
any moment with one line and the exit code that shells expect. A second signal ends it at once.
Once a command has done its work, a signal changes nothing but how soon the process is gone.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Stopped(KeyboardInterrupt):
    """A signal came.

    A type of our own: if a plain KeyboardInterrupt goes through code that was compiled from text,
    as that of data classes is, Python remembers it, and ``python -m`` ends by SIGINT instead of
    the exit code, long after it was dealt with.
    """


def main() -> int:
    """Run a command.

    Returns
    -------
    int
        The exit code: 128 and the number of the signal, if one ended the command.
    """
    caught: list[int] = []

    def stop(number: int, frame: object) -> None:
        if caught:
            os._exit(128 + number)
        caught.append(number)
        raise Stopped

    heard = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    for number in heard:  # the others are ignored, as nohup wants it
        signal.signal(number, stop)
    atexit.register(_ignore, heard)  # what is registered first is done last
    _raise_again_if_swallowed(caught)
    try:
        run = _commands()
        code = run() if run else 2
        _settle(heard, code)
    except BaseException:  # an import may have made another error of it
        if not caught:
            raise
        print("pulps: stopped; no file was left half written", file=sys.stderr)
        code = 128
    if caught and code:
        code = 128 + caught[0]
        _settle(heard, code)
    return code


def _settle(heard: Sequence[int], code: int) -> None:
    """From now on a signal ends the process with the code that it would end with anyway."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads any more
            stream.flush()
    for number in heard:
        signal.signal(number, lambda *_: os._exit(code))


def _ignore(heard: Sequence[int]) -> None:
    """While Python takes itself apart there is nobody to handle a signal."""
    for number in heard:
        signal.signal(number, signal.SIG_IGN)


def _commands() -> Callable[[], int] | None:
    """Import the commands; None, and a line that says so, if what they need is not installed."""
    from pulps.io.optional import needs

    try:
        with needs("cli", "The command line"):
            from pulps.cli import main as run
    except ModuleNotFoundError as error:
        print("pulps:", error, file=sys.stderr)
        return None
    return run


def _raise_again_if_swallowed(caught: list[int]) -> None:
    """Where an exception cannot go up, as in a finalizer, raise it again a moment later."""
    told = sys.unraisablehook

    def raise_again(number: int, frame: object) -> None:
        raise Stopped

    def hook(unraisable: Any) -> None:
        if not (caught and issubclass(unraisable.exc_type, KeyboardInterrupt)):
            told(unraisable)
        elif hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, raise_again)
            signal.setitimer(signal.ITIMER_REAL, 0.01)

    sys.unraisablehook = hook


if __name__ == "__main__":
    sys.exit(main())
