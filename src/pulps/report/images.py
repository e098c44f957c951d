"""The report on images, collected into one plain dict: numbers as for tables, pictures for rows.

It tells how common each class is, what is known of the answer from labels that were held out,
which images are most likely of each class, on which the model is least sure, and which labels it
contradicts.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from pulps.images.folder import ImageFolder
from pulps.images.source import ImageSource, images_at_once
from pulps.io.plain import cell, plain
from pulps.report.answer import ENOUGH_LABELS, count, how_many, percent
from pulps.report.class_facts import (
    answer_of_classes,
    between_members,
    counts_of_classes,
    doubtful,
    known_classes,
    likeliest,
    told_of_classes,
)
from pulps.report.learned import facts_of_model, labeled_rows, named_rows
from pulps.report.networks import curves, generates
from pulps.report.pictures import picture
from pulps.report.progress import Tell, silent
from pulps.report.warnings import ReportWarning, class_warnings, image_warnings

NEGATIVE, POSITIVE = 0, 1
N_CONTRADICTED = 20
N_DRAWN = 10
MUCH_OUTSIDE = 0.01


def collect_images(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    ids: Any = None,
    title: str,
    n_rows: int,
    random_state: Any = 0,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Collect what a fitted model of images says about images.

    Parameters
    ----------
    model
        A fitted ``LPSImageClassifier`` or ``LPSSemiSupervisedImageClassifier``.
    X, y, ids, title, n_rows, random_state
        As in its ``report``.
    tell
        Told how much is done, and what is done next.

    Returns
    -------
    dict
        Strings, numbers, lists, dicts and None only; pictures are PNG in base 64.
    """
    if n_rows < 1:
        raise ValueError(f"n_rows is {n_rows}. List at least one image of each class.")
    tell(0.0, "reading labels")
    source, rng = ImageSource(X), check_random_state(random_state)
    named = named_rows(_file_names(X) if ids is None else ids, X, len(source))
    several = hasattr(model, "class_scale_")
    if several:
        known = known_classes(model, y, len(source))
    else:
        known = np.where(labeled_rows(model, y, len(source))[0], POSITIVE, -1)
    tell(0.05, "scoring images")
    chances = model.predict_proba(X)
    unlabeled = np.flatnonzero(known < 0)
    of_kind = (_of_classes if several else _of_positives)(model, X, known, chances)
    tell(0.8, "drawing pictures")
    show = _Pictures(model, source, named)
    rows, classes = likeliest(chances[unlabeled], n_rows)
    wanted = classes >= (NEGATIVE if several else POSITIVE)
    listed = [
        show(row) | {"class": number, "probability": chances[row, number]}
        for row, number in zip(unlabeled[rows[wanted]], classes[wanted], strict=True)
    ]
    unsure = doubtful(chances, unlabeled)
    data: dict[str, Any] = {
        "title": title,
        "kind": "images",
        "id": None if named is None else str(named.name or "id"),
        "answer": None,
        **of_kind,
        "listed": listed,
        "doubtful": [show(item["row"] - 1) | item for item in unsure],
        "contradicted": [
            show(row)
            | {"class": known[row], "probability": chances[row, known[row]]}
            | {"said": chances[row].argmax()}
            for row in _contradicted(known, chances)
        ],
        "examples": _drawn(model, rng) if generates(model) else None,
        "training": curves(model),
    }
    data["warnings"] += _outside(model, source)
    data = plain(data)
    tell(1.0, "done")
    return data | {"answer": (answer_of_classes if several else _answer)(data, "image")}


def _file_names(X: Any) -> pd.Series | None:
    """Names of the files that images are in, or None of images from elsewhere."""
    if not isinstance(X, ImageFolder):
        return None
    common = os.path.commonpath([path.parent for path in X.paths])
    return pd.Series([path.relative_to(common).as_posix() for path in X.paths], name="file")


class _Pictures:
    """Shows images by their numbers, as they came."""

    def __init__(self, model: Any, source: ImageSource, named: pd.Series | None):
        self.value_range, self.source, self.named = model.value_range_, source, named

    def __call__(self, row: int) -> dict[str, Any]:
        image = self.source[np.array([row])][0]
        return {
            "row": row + 1,
            "id": None if self.named is None else cell(self.named.iloc[row]),
            "picture": picture(image, self.value_range),
        }


def _of_classes(model: Any, X: Any, known: np.ndarray, chances: np.ndarray) -> dict[str, Any]:
    """Tell what a model of several classes knows."""
    best = chances.argmax(axis=1)
    members = None
    if len(model.members_) > 1:
        members = between_members(model.member_classes(X)[:, known < 0], len(model.classes_))
    return {
        "learned": counts_of_classes(model, known),
        "classes": told_of_classes(model, known, best),
        "warnings": class_warnings(model, np.where(known >= 0, known, best)),
        "held_out": model.held_out_table_ if model.held_out_table_.any() else None,
        "members": members,
    }


def _of_positives(model: Any, X: Any, known: np.ndarray, chances: np.ndarray) -> dict[str, Any]:
    """Tell what a model of labeled and unlabeled images knows, in the words of two classes."""
    labeled = known == POSITIVE
    called = chances[:, POSITIVE] > chances[:, NEGATIVE]
    nobody = np.zeros(len(labeled), dtype=bool)
    learned = facts_of_model(model, model, labeled, nobody, np.where(called, 1.0, -1.0))
    low, high = learned["prior_interval"]
    share = learned["prior_of_unlabeled"]
    nothing = {"n_held_out": 0, "recall": None, "recall_interval": (None, None), "precision": None}
    classes = [
        {
            "name": "negative",
            "n_labeled": 0,
            "n_found": (~called & ~labeled).sum(),
            "share": 1 - share,
            "interval": (1 - high, 1 - low),
            **nothing,
        },
        {
            "name": "positive",
            "n_labeled": labeled.sum(),
            "n_found": (called & ~labeled).sum(),
            "share": share,
            "interval": (low, high),
            **{name: learned[name] for name in nothing},
        },
    ]
    return {
        "learned": learned | {"n_classes": 2, "open_set": False},
        "classes": classes,
        "warnings": image_warnings(model, np.where(called, 1.0, -1.0)),
        "held_out": None,
        "members": None,
    }


def _contradicted(known: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Labeled images to which another class is given all the same, the least likely first."""
    labeled = np.flatnonzero(known >= 0)
    other = labeled[chances[labeled].argmax(axis=1) != known[labeled]]
    return other[np.argsort(chances[other, known[other]], kind="stable")][:N_CONTRADICTED]


def _drawn(model: Any, rng: Any) -> list[list[str]]:
    """Draw a few images of every class."""
    drawn = (model.sample(N_DRAWN, one, random_state=rng) for one in model.classes_.tolist())
    return [[picture(image, model.value_range_) for image in images] for images in drawn]


def _outside(model: Any, source: ImageSource) -> list[dict[str, Any]]:
    """Warn of pixels darker or brighter than all that the model has seen."""
    low, high = model.value_range_
    n_outside, n_pixels = 0, 0
    step = images_at_once(source.shape[1:])
    for first in range(0, len(source), step):
        part = source[first : first + step]
        n_outside += int(((part < low) | (part > high)).sum())
        n_pixels += part.size
    if n_outside <= MUCH_OUTSIDE * n_pixels:
        return []
    text = (
        f"{n_outside / n_pixels:.0%} of the pixels are darker than {low:g} or brighter than "
        f"{high:g}, which the model never saw. Pass images in the range of the fit."
    )
    return [ReportWarning("other brightness", text)._asdict()]


def _answer(data: dict[str, Any], noun: str) -> dict[str, Any]:
    """Say what the numbers mean, of labeled and unlabeled images."""
    learned = data["learned"]
    next_steps = []
    if data["listed"]:
        next_steps.append(
            f"Look at the {noun}s most likely positive, and note which are and which are not."
        )
    if learned["n_held_out"] < ENOUGH_LABELS:
        next_steps.append(
            f"Label more {noun}s: {learned['n_held_out']} are few, and {ENOUGH_LABELS} or more "
            "make every number on this page firmer."
        )
    if data["contradicted"]:
        next_steps.append(
            f"Look again at the labeled {noun}s that the model does not call positive."
        )
    if data["doubtful"]:
        next_steps.append(f"Label the {noun}s on which the model is least sure.")
    return {
        "how_many": how_many(learned, noun),
        "how_sure": _how_sure(learned, noun),
        "next": next_steps,
    }


def _how_sure(learned: dict[str, Any], noun: str) -> str:
    """Say how many are called positive, and how often that should be right."""
    called, told = learned["n_called_positive"], [learned["precision"], learned["recall"]]
    said = f"{count(called, noun)} are called positive."
    if None not in told and called:
        said += (
            f" About {percent(told[0])} of them should be right, and about {percent(told[1])} of "
            "all positives should be among them."
        )
    if learned["accuracy"] is None:
        return f"{said} How often the answer is right is not known."
    low, high = learned["accuracy_interval"]
    ends = "" if low is None else f" (between {percent(low)} and {percent(high)})"
    between = "" if low == high else ends
    return (
        f"{said} Of all unlabeled {noun}s about {percent(learned['accuracy'])} should be "
        f"answered right{between}, as {count(learned['n_held_out'], 'label')} tell that the "
        "model was not shown."
    )
