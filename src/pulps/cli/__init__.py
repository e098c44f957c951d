"""The command line: every command is a documented function; failures are one clear line.

Read in this order: :mod:`fitting`, :mod:`scoring`, :mod:`making`, :mod:`reporting`,
:mod:`tuning`, :mod:`serving`, :mod:`data`, :mod:`benchmark`, :mod:`about`; :mod:`settings`
reads parameters from the command line and from files, :mod:`models` opens models and reads
labels.
"""

from __future__ import annotations

import os
import sys
import traceback

from cyclopts import App, CycloptsError
from rich.console import Console

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

app.command("pulps.cli.fitting:fit", name="fit")
app.command("pulps.cli.scoring:predict", name="predict")
app.command("pulps.cli.tuning:tune", name="tune")
app.command("pulps.cli.making:sample", name="sample")
app.command("pulps.cli.making:impute", name="impute")
app.command("pulps.cli.reporting:report", name="report")
app.command("pulps.cli.serving:serve", name="serve")
app.command("pulps.cli.data:app", name="data")
app.command("pulps.cli.benchmark:app", name="bench")
app.command("pulps.cli.about:demo", name="demo")
app.command("pulps.cli.about:info", name="info")
app.command("pulps.cli.about:completion", name="completion")


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
        code = app(words, console=Console(), exit_on_error=False, print_error=False)
    except KeyboardInterrupt:
        _say("stopped; nothing was written")
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


def _say(message: str) -> None:
    print("pulps:", " ".join(message.split()), file=sys.stderr)
