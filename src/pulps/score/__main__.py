"""``python -m pulps.score model.pulps table.csv``: score a file of text with NumPy alone."""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TextIO

from pulps.io.text_dialect import Reading
from pulps.score.saved import load
from pulps.score.text_files import score_text


def main(arguments: list[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    arguments
        Of the command line; None takes those of the process.

    Returns
    -------
    int
        The exit code.
    """
    parser = argparse.ArgumentParser(
        prog="python -m pulps.score",
        description="Score the rows of a CSV or TSV file: they are written with three more "
        "columns, positive (1 or 0), probability and decision; or, by a model of several "
        "classes, with class and probability.",
    )
    parser.add_argument("model", type=Path, help="file written by pulps fit or a model's save")
    parser.add_argument("table", type=Path, help="CSV or TSV file with the columns of the fit")
    parser.add_argument("--out", type=Path, help="file to write; standard output without")
    parser.add_argument("--sep", help="what separates cells, found out without; or the word tab")
    parser.add_argument("--decimal", choices=[".", ","], help="decimal mark, found out without")
    parser.add_argument("--encoding", help="encoding of the file, found out without")
    given = parser.parse_args(arguments)
    warnings.showwarning = _tell
    try:
        separator = "\t" if given.sep == "tab" else given.sep
        scored = score_text(
            load(given.model),
            given.table,
            sys.stdout.buffer if given.out is None else given.out,
            reading=Reading(separator, given.decimal, given.encoding),
            on_rows=_Progress(),
        )
    except KeyboardInterrupt:
        print("pulps: stopped; no file was left half written", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Whoever read the output has gone; keep Python from complaining when it closes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (OSError, ValueError) as error:
        print(f"pulps: {error}", file=sys.stderr)
        return 1
    where = "" if given.out is None else f" to {given.out}"
    called = "" if scored.n_positive is None else f", {scored.n_positive} of them called positive"
    print(f"{scored.n_rows} rows{called}{where}", file=sys.stderr)
    return 0


class _Progress:
    """A line on a terminal once it has taken two seconds."""

    def __init__(self) -> None:
        self.start = time.monotonic()

    def __call__(self, n_rows: int) -> None:
        seconds = time.monotonic() - self.start
        if seconds > 2 and sys.stderr.isatty():
            print(f"\r{n_rows} rows, {n_rows / seconds:.0f} per second", end="", file=sys.stderr)


def _tell(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"pulps: {message}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
