"""Pictures that commands write."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pulps.io.optional import needs
from pulps.io.pictures import save_figure

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
    with needs("plot", "Drawing"):
        from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 0.5 * n_lines + 1.4), layout="constrained", dpi=150)
    draw(figure.subplots())
    save_figure(figure, path)
