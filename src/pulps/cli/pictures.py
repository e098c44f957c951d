"""Pictures that commands write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

PICTURES = (".png", ".svg", ".pdf")


def is_picture(path: Path) -> bool:
    """Whether a file is a picture, by its ending.

    Parameters
    ----------
    path
        File to write.

    Returns
    -------
    bool
    """
    return path.suffix.lower() in PICTURES


def write_picture(draw: Callable[[Any], object], path: Path, n_lines: int) -> None:
    """Draw on new axes and write the picture, whole or not at all.

    Parameters
    ----------
    draw
        Draws on the axes that it is given.
    path
        File to write.
    n_lines
        Lines that the picture has from top to bottom.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from pulps.io.outputs import replacing

    figure = Figure(figsize=(8, 0.5 * n_lines + 1.4), layout="constrained")
    draw(figure.subplots())
    with replacing(path) as beside, mpl.rc_context({"svg.hashsalt": "pulps"}):
        figure.savefig(beside, format=path.suffix[1:].lower(), dpi=150)
