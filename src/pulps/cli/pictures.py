"""Pictures that commands write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    write_pictures([draw], path, n_lines)


def write_pictures(draws: Sequence[Callable[[Any], object]], path: Path, n_lines: int) -> None:
    """Draw on new axes, one below the other, and write the picture, whole or not at all.

    Parameters
    ----------
    draws
        Each draws on the axes that it is given.
    path
        File to write.
    n_lines
        Lines that each has from top to bottom.
    """
    with needs("plot", "Drawing"):
        from matplotlib.figure import Figure

    height = len(draws) * (0.5 * n_lines + 1.4)
    figure = Figure(figsize=(8, height), layout="constrained", dpi=150)
    for draw, axes in zip(draws, figure.subplots(len(draws), squeeze=False)[:, 0], strict=True):
        draw(axes)
    save_figure(figure, path)
