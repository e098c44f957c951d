"""One color per meaning, on the page and in every picture; the page has lighter ones at night."""

from __future__ import annotations

from colorsys import hls_to_rgb

POSITIVE, NEGATIVE = "#c2540a", "#1f6fa8"
NEUTRAL = "#5b6470"
LABELED, UNLABELED = "#e39a3b", "#98a4b3"
OF_CLASSES = (
    *("#1f6fa8", "#c2540a", "#1d7f5f", "#a3387a", "#8a6d00", "#5b4fb0", "#b3282d", "#2d8f9e"),
    *("#6f7d1c", "#7a5230"),
)
GOLDEN = 0.618034  # of a turn: hues that follow each other are far apart


def class_colors(n_classes: int, *, open_set: bool = False) -> list[str]:
    """Choose one color per class, the same on the page and in every picture.

    Parameters
    ----------
    n_classes
        Number of classes.
    open_set
        Whether the last one is that of rows like none that are labeled; it is gray.

    Returns
    -------
    list of str

    Examples
    --------
    >>> class_colors(3, open_set=True)
    ['#1f6fa8', '#c2540a', '#98a4b3']
    >>> len(set(class_colors(40)))
    40
    """
    n_colored = n_classes - open_set
    colors = list(OF_CLASSES[:n_colored])
    for number in range(len(colors), n_colored):
        lightness = 0.34 + 0.08 * (number % 3)
        parts = hls_to_rgb(GOLDEN * number % 1, lightness, 0.6)
        colors.append("#" + "".join(f"{round(255 * part):02x}" for part in parts))
    return colors + [UNLABELED] * open_set
