"""What pictures share: colors, names of classes, axes to draw on, and the network of a model."""

from __future__ import annotations

from typing import Any

from pulps.io.optional import needs
from pulps.report.colors import (
    LABELED,
    NEGATIVE,
    NEUTRAL,
    POSITIVE,
    UNLABELED,
    class_colors,
)

__all__ = [
    "CLASS_POSITIONS",
    "LABELED",
    "NEGATIVE",
    "NEUTRAL",
    "POSITIVE",
    "UNLABELED",
    "axes_or_new",
    "colors_of",
    "network_of",
]

# What pictures call a class, and its position in ``classes_``, whatever its label is.
CLASS_POSITIONS = {"negative": 0, "positive": 1}


def axes_or_new(ax: Any) -> Any:
    """Return the axes that are given, or new ones.

    Parameters
    ----------
    ax : matplotlib axes or None
        Where to draw.

    Returns
    -------
    matplotlib axes
    """
    if ax is not None:
        return ax
    with needs("plot", "Drawing"):
        import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def network_of(model: Any) -> Any:
    """Return the network behind a model; a consensus trains it now if it can.

    Parameters
    ----------
    model : PUClassifier or LPSClassifier
        A fitted model.

    Returns
    -------
    LPSClassifier
    """
    return model.fitted_network() if hasattr(model, "fitted_network") else model


def colors_of(model: Any) -> list[str]:
    """Choose one color per class of a model of several classes, the same as in its report.

    Parameters
    ----------
    model : LPSSemiSupervisedClassifier
        A fitted model.

    Returns
    -------
    list of str
    """
    return class_colors(len(model.classes_), open_set=model.unlabeled_class is not False)
