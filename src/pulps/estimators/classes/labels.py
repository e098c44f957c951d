"""Which classes have labels to learn from: an error where there is none, a warning where one."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.io.calls import warn_caller
from pulps.io.naming import listed, quoted
from pulps.labels import missing_labels
from pulps.tables.notices import TableWarning


def check_labels(model: Any, classes: np.ndarray, known: np.ndarray, rows: str) -> None:
    """Check that every class has a label that counts, and that an open set has rows without one.

    Parameters
    ----------
    model
        The classifier that is fitted.
    classes
        Labeled classes, then the one without labels, if there is one.
    known
        Class of each row that weighs something, -1 for none.
    rows
        What rows are called: "rows" or "images".
    """
    open_set = model.unlabeled_class is not False
    labeled = classes[: len(classes) - open_set]
    counts = np.bincount(known[known >= 0], minlength=len(classes))[: len(labeled)]
    if open_set and not (known < 0).any():
        raise ValueError(
            f"unlabeled_class={model.unlabeled_class!r} asks for a class without labels, but "
            f"every row has one. Leave some {rows} unlabeled (-1), or pass unlabeled_class=False."
        )
    lost, single = labeled[counts == 0], labeled[counts == 1]
    if len(lost):
        raise ValueError(
            f"All {rows} of the class{'es' * (len(lost) > 1)} {quoted(lost.tolist())} have "
            "sample_weight zero, so there is nothing to learn of it. Give some of them weight, or "
            "take the label away (-1)."
        )
    blank = labeled[missing_labels(labeled) | np.isin(labeled, ["-1"])]
    if len(blank):
        warn_caller(
            f"y has the class {quoted(blank[0].item())}, and {rows} of it count as labeled. If it "
            f"means that {rows} have no label, put None there instead.",
            TableWarning,
        )
    if len(single):
        warn_caller(
            f"{len(single)} of {len(labeled)} classes have one labeled {rows[:-1]} only: "
            f"{listed(single)}. Such a label cannot be held out, so what is said of these classes "
            "was never checked.",
            TableWarning,
        )
