"""What a fit on images of several classes is given, read and checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pulps.estimators.classes.labels import check_labels
from pulps.estimators.recipes.recipe import ImageRecipe
from pulps.estimators.tables.checkpoint import Checkpoint, fingerprint_of
from pulps.images.source import ImageSource, images_at_once
from pulps.io._sklearn import check_sample_weight
from pulps.labels import read_classes


@dataclass(frozen=True)
class ClassImages:
    """Images that weigh something, and what is known of them.

    Parameters
    ----------
    source
        The images as they came.
    known
        Class of each, -1 for none.
    weights
        How much each counts, above zero.
    classes
        Labeled classes, then the one without labels, if there is one.
    used
        Which of all images that came these are.
    """

    source: ImageSource
    known: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    used: np.ndarray

    def parts(self) -> Iterator[np.ndarray]:
        """Yield labels, weights and images, some at a time.

        Yields
        ------
        array
        """
        yield self.known
        yield self.weights
        at_once = images_at_once(self.source.shape[1:])
        for first in range(0, len(self.source), at_once):
            yield self.source[first : first + at_once]


def read_class_images(model: Any, X: Any, y: Any, sample_weight: Any) -> ClassImages:
    """Read the images of a fit.

    Parameters
    ----------
    model
        The classifier that is fitted.
    X, y, sample_weight
        As in its ``fit``.

    Returns
    -------
    ClassImages
    """
    source = ImageSource(X)
    classes, known = read_classes(
        y, n_rows=len(source), caller=type(model).__name__, unlabeled_class=model.unlabeled_class
    )
    weights = check_sample_weight(sample_weight, known, dtype=float, ensure_non_negative=True)
    of_one = known.max() == 0
    if of_one and (sample_weight is not None or model.checkpoint is not None):
        raise ValueError(
            "Images of one class only have labels. That is positive-unlabeled learning, which "
            "knows no sample_weight and no checkpoint of images yet: leave them out, or label "
            "images of another class."
        )
    used = weights > 0
    check_labels(model, classes, known[used], "images")
    if not used.all():
        source = ImageSource(source[np.flatnonzero(used)])
    return ClassImages(source, known[used], weights[used], classes, used)


def open_checkpoint(
    path: str | Path, model: Any, recipe: ImageRecipe, images: ClassImages
) -> Checkpoint:
    """Open the file of a fit, told from any other by its images, labels and parameters.

    Parameters
    ----------
    path
        The file. It is written after every pass over the images.
    model
        The classifier that is fitted.
    recipe
        Its recipe.
    images
        What it learns from.

    Returns
    -------
    Checkpoint
    """
    return Checkpoint(path, 1, fingerprint_of(model, recipe, images.parts()))
