"""The command line: every command is a documented function; failures are one clear line.

Read in this order: :mod:`fitting`, :mod:`scoring`, :mod:`making`, :mod:`reporting`,
:mod:`explaining`, :mod:`comparing`, :mod:`suggesting`, :mod:`checking`, :mod:`tuning`,
:mod:`serving`, :mod:`data`, :mod:`benchmark`, :mod:`about`; :mod:`settings` reads parameters from
the command line and from files, :mod:`models` opens models and reads labels, :mod:`paths` checks
files before any work, :mod:`pictures` draws them.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any, TextIO

from cyclopts import App, CycloptsError
from rich.console import Console

from pulps.cli import benchmark, data
from pulps.cli.about import completion, demo, info
from pulps.cli.checking import check
from pulps.cli.comparing import compare
from pulps.cli.explaining import explain
from pulps.cli.fitting import fit
from pulps.cli.making import impute, sample
from pulps.cli.reporting import report
from pulps.cli.scoring import predict
from pulps.cli.serving import serve
from pulps.cli.suggesting import suggest
from pulps.cli.tuning import tune

LONGEST_LINE = 1500

app = App(
    name="pulps",
    help=(
        "Learn from labeled positives and unlabeled rows.\n\n"
        "Start with `pulps demo`, or with a table of your own:\n\n"
        "`pulps fit customers.csv --label bought --out model.pulps`\n\n"
        "`pulps predict model.pulps customers.csv --out scored.csv`\n\n"
        "`pulps report model.pulps customers.csv --label bought --out report.html`\n\n"
        "A failure prints one line and exits with code 2; `--debug` shows where it came from."
    ),
    help_format="markdown",
    result_action="return_value",
    suppress_keyboard_interrupt=False,
)

COMMANDS: tuple[Any, ...] = (
    *(fit, predict, explain, report, compare, suggest, check, tune, sample, impute, serve),
    *(demo, info, completion),
    *(data.app, benchmark.app),
)
for command in COMMANDS:
    app.command(command)


def main(arguments: list[str] | None = None) -> int:
    """Run a command; a failure is one line that says what went wrong.

    Parameters
    ----------
    arguments
        Words of the command line; None takes those of the process.

    Returns
    -------
    int
        The exit code.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    # The same path for pathlib, but a lone hyphen would be taken for an option.
    words = ["./-" if word == "-" else word for word in words if word != "--debug"]
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _one_line_each()
            code = app(words, console=Console(), exit_on_error=False, print_error=False)
    except KeyboardInterrupt:
        _say("stopped; no file was left half written")
        return 130
    except BrokenPipeError:
        # Whoever read the output has gone; keep Python from complaining when it closes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (CycloptsError, ValueError, OSError, ImportError, MemoryError) as error:
        if debug:
            traceback.print_exc()
        _say(str(error) or type(error).__name__)
        return 2
    except Exception as error:
        if debug:
            traceback.print_exc()
        _say(f"{type(error).__name__}: {error} (run again with --debug to see where)")
        return 2
    return code or 0


def _one_line_each() -> Callable[..., None]:
    """Show every warning once, without the file it came from."""
    said = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        text = str(message)
        if text not in said:
            said.add(text)
            _say(f"warning: {text}")

    return show


def _say(message: str) -> None:
    line = " ".join(message.split())
    if len(line) > LONGEST_LINE:  # as where a column has a page of text for a name
        line = f"{line[: LONGEST_LINE // 2]} … {line[-LONGEST_LINE // 2 :]}"
    print("pulps:", line, file=sys.stderr)
