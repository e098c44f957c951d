"""`pulps` and `python -m pulps`: the commands, and what a signal does to them.

Handlers are in place before anything large is imported. So Ctrl-C and SIGTERM end a command at
any moment with one line and the exit code that shells expect. A second signal ends it at once.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


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
        raise KeyboardInterrupt

    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup wants it
            signal.signal(number, stop)
    _raise_again_if_swallowed(caught)
    try:
        run = _commands()
        code = run() if run else 2
    except BaseException:  # an import may have made another error of it
        if not caught:
            raise
        print("pulps: stopped; no file was left half written", file=sys.stderr)
        code = 128
    return 128 + caught[0] if caught and code else code


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

    def hook(unraisable: Any) -> None:
        if not (caught and issubclass(unraisable.exc_type, KeyboardInterrupt)):
            told(unraisable)
        elif hasattr(signal, "setitimer"):
            signal.signal(signal.SIGALRM, signal.default_int_handler)
            signal.setitimer(signal.ITIMER_REAL, 0.01)

    sys.unraisablehook = hook


if __name__ == "__main__":
    sys.exit(main())
