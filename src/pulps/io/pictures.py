"""How a picture goes into a file: whole or not at all, the same bytes from the same picture."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from pulps.io.optional import needs
from pulps.io.outputs import write_whole

DATES = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}  # left out


def save_figure(figure: Any, path: Path) -> Path:
    """Write a figure without dates and random ids.

    Parameters
    ----------
    figure
        The figure of matplotlib; it knows its own resolution.
    path
        The file; its ending says of what kind.

    Returns
    -------
    Path
        The file.
    """
    with needs("plot", "Drawing"):
        import matplotlib as mpl

    form = path.suffix.removeprefix(".").lower()
    picture = io.BytesIO()
    with mpl.rc_context({"svg.hashsalt": "pulps", "svg.fonttype": "none"}):
        figure.savefig(picture, format=form, metadata=DATES.get(form))
    write_whole(path, picture.getvalue())
    return path
