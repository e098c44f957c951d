"""Files that a command reads and writes: checked before any work, named once written."""

from __future__ import annotations

import sys
from pathlib import Path

from pulps.io.files import STANDARD, check_output, check_there, kind_of
from pulps.io.outputs import check_writable


def check_model(path: Path) -> None:
    """Refuse a model that is not there.

    Parameters
    ----------
    path
        File written by ``pulps fit``.
    """
    if not path.is_file():
        raise FileNotFoundError(f"There is no model file {path}. Make one with 'pulps fit'.")


def check_table(path: Path) -> None:
    """Refuse a table that is not there, or is of no kind known here.

    Parameters
    ----------
    path
        The table; ``-`` is standard input.
    """
    if path != STANDARD:
        check_there(path)
        kind_of(path)


def check_apart(out: Path, *inputs: Path) -> None:
    """Refuse a file that is read and written.

    Parameters
    ----------
    out
        File to write.
    *inputs
        Files that the command reads.
    """
    if any(path != STANDARD and path.resolve() == out.resolve() for path in inputs):
        raise ValueError(f"{out} would be read and written. Name another file to write to.")


def check_free(out: Path, *inputs: Path, overwrite: bool) -> None:
    """Refuse a file that cannot be written, is also read, or would be lost.

    Parameters
    ----------
    out
        File to write; ``-`` is standard output.
    *inputs
        Files that the command reads.
    overwrite
        Whether a file of that name may be replaced.
    """
    if out == STANDARD:
        return
    check_apart(out, *inputs)
    check_writable(out)
    if out.exists() and not overwrite:
        raise FileExistsError(
            f"{out} is there already. Name another file, or add --overwrite to replace it."
        )


def check_free_table(out: Path, *inputs: Path, overwrite: bool, format: str | None = None) -> None:
    """Refuse a table as :func:`check_free` does, and one of no kind known here.

    Parameters
    ----------
    out
        Table to write; ``-`` is standard output.
    *inputs
        Files that the command reads.
    overwrite
        Whether a file of that name may be replaced.
    format
        Format that takes the place of the ending.
    """
    check_output(out, format)
    check_free(out, *inputs, overwrite=overwrite)


def tell_written(out: Path, content: str) -> None:
    """Say on standard error which file was written.

    Parameters
    ----------
    out
        The file; of standard output nothing is said.
    content
        What it holds.
    """
    if out != STANDARD:
        print(f"Wrote {out}: {content}.", file=sys.stderr)
