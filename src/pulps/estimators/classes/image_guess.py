"""The first guess of images of several classes: a chance per class for any image.

Labels spread between images whose edges are alike, or whose pixels are
(:mod:`pulps.estimators.images.neighbor_graph`); held-out labels say which, and without any it is
edges. If there is a class without labels as well, the images like any labeled one are cut off
first, where few links are cut (:mod:`pulps.estimators.images.guess`). New images hear what their
nearest neighbors do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from scipy.special import expit
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors

from pulps.estimators.images.guess import (
    KINDS,
    MOST_LINKED,
    N_COMPONENTS,
    ROWS_AT_ONCE,
    SCALES,
    guess_images,
)
from pulps.estimators.images.neighbor_graph import NeighborGraph
from pulps.io.lazy_rows import LazyRows
from pulps.training.subsample import thin_out
from pulps.views.classes.sureness import sharpened
from pulps.views.classes.weighing import find_temperature

REACH = 0.99  # how far labels spread
SURE = 3.0  # temperature of what arrives, before held-out labels have a say
SUREST = 6.0  # log-odds that the network is told at most
OF_NAMES = {kind.__name__: kind for kind in KINDS}


@dataclass(frozen=True)
class NeighborImages:
    """Images that others are compared with, and the chance of each class at each of them.

    Parameters
    ----------
    kind
        What is compared: ``"edge_directions"`` or ``"pixels"``.
    mean, directions
        From these numbers to principal components.
    points
        Components of the images, shape (images, components).
    chances
        Shape (images, classes).
    n_neighbors
        How many of them an image hears.
    """

    kind: str
    mean: np.ndarray
    directions: np.ndarray
    points: np.ndarray
    chances: np.ndarray
    n_neighbors: int

    def probabilities(self, images: LazyRows) -> np.ndarray:
        """Tell the chance of each class: the mean over the nearest neighbors.

        Parameters
        ----------
        images
            As the chains see them.

        Returns
        -------
        array of shape (images, classes)
        """
        search = NearestNeighbors(n_neighbors=self.n_neighbors).fit(self.points)
        parts = [np.empty((0, self.chances.shape[1]))]
        for first in range(0, len(images), ROWS_AT_ONCE):
            read = images[first : first + ROWS_AT_ONCE]
            values = OF_NAMES[self.kind](read).numpy()
            missing = np.isnan(values).any(axis=1)
            points = np.where(missing[:, None], 0, (values - self.mean) @ self.directions.T)
            near = search.kneighbors(points.astype(np.float32), return_distance=False)
            heard = self.chances[near].mean(axis=1)
            heard[missing] = 1 / heard.shape[1]  # nobody knows the neighbors of half an image
            parts.append(heard)
        return np.concatenate(parts)


@dataclass(frozen=True)
class ImageClassGuess:
    """What the states are told of images before they learn.

    Parameters
    ----------
    teacher
        Gives any image a chance per class.
    honest
        Chances of all training images, of labeled ones as if their own label were not known.
    asked
        Labeled images of which this is true.
    """

    teacher: NeighborImages
    honest: np.ndarray
    asked: np.ndarray

    def hints(self) -> torch.Tensor:
        """Say what the states are told of all images.

        Returns
        -------
        Tensor of shape (classes, images), or (images,) for two
            Logarithms of the chances; of two classes the log-odds of the first.
        """
        logs = np.log(np.maximum(self.honest, np.exp(-SUREST))).T
        return torch.as_tensor(logs[0] - logs[1] if len(logs) == 2 else logs).float()


def guess_image_classes(
    images: LazyRows, known: np.ndarray, n_classes: int, generator: torch.Generator
) -> ImageClassGuess:
    """Let labels spread between images, and say how sure that makes us of each.

    Parameters
    ----------
    images
        As the chains see them.
    known
        Class of each labeled image, -1 for others.
    n_classes
        Number of classes; if the last has no labels, it is that of images like none labeled.
    generator
        Chooses images, if there are very many.

    Returns
    -------
    ImageClassGuess
    """
    n_labeled = int(known.max()) + 1
    rows = thin_out(known >= 0, MOST_LINKED, generator)
    found = max(
        (_spread(images, kind, rows, known[rows], n_labeled) for kind in OF_NAMES),
        key=lambda one: one.evidence,
    )
    honest, chances = found.honest, found.chances
    if n_labeled < n_classes:
        kinds = [LazyRows(images, kind, at_once=ROWS_AT_ONCE) for kind in KINDS]
        like = guess_images(kinds, known >= 0, None, generator).hints[rows, None]
        like = expit(SUREST * like)
        honest, chances = (np.hstack([like * part, 1 - like]) for part in (honest, chances))
    teacher = NeighborImages(
        found.kind,
        found.components.mean_.astype(np.float32),
        found.components.components_.astype(np.float32),
        found.points,
        chances.astype(np.float32),
        min(SCALES[0], len(rows)),
    )
    asked = np.zeros(len(known), dtype=bool)
    asked[rows] = found.asked
    everywhere = np.empty((len(known), n_classes))
    if len(rows) < len(known):
        others = np.setdiff1d(np.arange(len(known)), rows)
        everywhere[others] = teacher.probabilities(LazyRows(others, images.__getitem__))
    everywhere[rows] = honest
    return ImageClassGuess(teacher, everywhere, asked)


@dataclass(frozen=True)
class _Spread:
    kind: str
    components: PCA
    points: np.ndarray
    chances: np.ndarray
    honest: np.ndarray
    asked: np.ndarray
    evidence: float


def _spread(
    images: LazyRows, kind: str, rows: np.ndarray, known: np.ndarray, n_classes: int
) -> _Spread:
    """Spread labels along graphs of one kind, at both scales."""
    values = LazyRows(images, OF_NAMES[kind], at_once=ROWS_AT_ONCE)[rows].numpy()
    components = PCA(min(N_COMPONENTS, *values.shape), random_state=0).fit(values)
    points = components.transform(values).astype(np.float32)
    spreads = [
        graph.spread_classes(known, n_classes, REACH)
        for graph in NeighborGraph.at_scales(points, SCALES)
    ]
    honest = np.mean([one.honest for one in spreads], axis=0)
    chances = np.mean([one.chances for one in spreads], axis=0)
    asked = spreads[0].asked
    heat, evidence = SURE, 0.0
    if asked.any():
        # Chances are too modest everywhere; how much so, held-out labels tell.
        truth = np.eye(n_classes)[known[asked]]
        heat *= find_temperature(sharpened(honest[asked], SURE), truth, np.ones(len(truth)))
        evidence = float(
            np.log((truth * sharpened(honest[asked], heat)).sum(axis=1) + 1e-12).mean()
        )
    return _Spread(
        kind,
        components,
        points,
        sharpened(chances, heat),
        sharpened(honest, heat),
        asked,
        evidence,
    )
