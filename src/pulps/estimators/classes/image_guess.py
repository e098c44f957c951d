"""The first guess of images of several classes: a chance per class for any image.

Labels spread between images whose edges are alike, or whose pixels are
(:mod:`pulps.estimators.images.neighbor_graph`); held-out labels say which, and without any it is
edges. If there is a class without labels as well, the images like any labeled one are cut off
first, where few links are cut: as one group, or class by class (:func:`like_labeled`). New images
hear what their nearest neighbors do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from scipy.special import expit
from sklearn.neighbors import NearestNeighbors

from pulps.estimators.images.graph_cut import log_odds, normalized_cut
from pulps.estimators.images.guess import MOST_LINKED, SCALES, LinkedImages
from pulps.estimators.images.kinds import KINDS, ROWS_AT_ONCE
from pulps.io.lazy_rows import LazyRows
from pulps.training.subsample import thin_out
from pulps.views.classes.sureness import sharpened
from pulps.views.classes.weighing import find_temperature

REACH = 0.99  # how far labels spread
SURE = 3.0  # temperature of what arrives, before held-out labels have a say
SUREST = 6.0  # log-odds that the network is told at most
MOST_CUT = 2.0  # times the links that the whole leaves, for groups class by class
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
    images: LazyRows,
    known: np.ndarray,
    n_classes: int,
    generator: torch.Generator,
    weights: np.ndarray,
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
    weights
        How much each image counts.

    Returns
    -------
    ImageClassGuess
    """
    n_labeled = int(known.max()) + 1
    rows = thin_out(known >= 0, MOST_LINKED, generator)
    shown, mass = known[rows], weights[rows]
    kinds = {
        name: LinkedImages.of(LazyRows(images, kind, at_once=ROWS_AT_ONCE), rows)
        for name, kind in OF_NAMES.items()
    }
    found = max(
        (_spread(name, linked, shown, mass, n_labeled) for name, linked in kinds.items()),
        key=lambda one: one.evidence,
    )
    honest, chances = found.honest, found.chances
    if n_labeled < n_classes:
        like = like_labeled(list(kinds.values()), shown)[:, None]
        honest, chances = (np.hstack([like * part, 1 - like]) for part in (honest, chances))
    components = found.linked.components
    teacher = NeighborImages(
        found.kind,
        components.mean_.astype(np.float32),
        components.components_.astype(np.float32),
        found.linked.points,
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
    """What labels of the classes say in one graph."""

    kind: str
    linked: LinkedImages
    chances: np.ndarray
    honest: np.ndarray
    asked: np.ndarray
    evidence: float


def _spread(
    kind: str, linked: LinkedImages, known: np.ndarray, weights: np.ndarray, n_classes: int
) -> _Spread:
    """Spread labels along graphs of one kind, at both scales."""
    spreads = [graph.spread_classes(known, n_classes, REACH, weights) for graph in linked.graphs]
    honest = np.mean([one.honest for one in spreads], axis=0)
    chances = np.mean([one.chances for one in spreads], axis=0)
    asked = spreads[0].asked
    heat, evidence = SURE, 0.0
    if asked.any():
        # Chances are too modest everywhere; how much so, held-out labels tell.
        truth, mass = np.eye(n_classes)[known[asked]], weights[asked]
        heat *= find_temperature(sharpened(honest[asked], SURE), truth, mass)
        of_truth = (truth * sharpened(honest[asked], heat)).sum(axis=1)
        evidence = float(np.average(np.log(of_truth + 1e-12), weights=mass))
    return _Spread(
        kind, linked, sharpened(chances, heat), sharpened(honest, heat), asked, evidence
    )


def like_labeled(kinds: Sequence[LinkedImages], known: np.ndarray) -> np.ndarray:
    """Tell the chance that an image is like any labeled one.

    The labels of all classes may mean one group of images, which is cut off as a whole; or those
    of each class mean a group of their own. Where labeled classes are near unlabeled ones but not
    near each other, the order of the whole is poor; where two labeled classes run into each other,
    their own groups are. Of both answers, by every kind of numbers, that is taken which the labels
    and the links make likeliest (:func:`pulps.estimators.images.graph_cut.log_odds`). But groups
    that leave most of their links are parts of classes, as when all labels of a class are by one
    hand.

    Parameters
    ----------
    kinds
        The linked images, by all kinds of numbers.
    known
        Class of each, -1 for none.

    Returns
    -------
    array of shape (images,)
    """
    answers = []
    for linked in kinds:
        whole = _in_any(linked, [known >= 0])
        apart = _in_any(linked, [known == one for one in range(known.max() + 1)])
        answers += [whole, apart] if apart.links_cut <= MOST_CUT * whole.links_cut else [whole]
    return max(answers, key=lambda one: one.odds).chances


class _Likeness(NamedTuple):
    """The chance of each image to be in a group, the links cut, and how likely that is meant."""

    chances: np.ndarray
    links_cut: float
    odds: float


def _in_any(linked: LinkedImages, labels: Sequence[np.ndarray]) -> _Likeness:
    """Tell the chance that an image is in one of the groups that labels mean.

    The only label of a group counts as inside: nobody can tell.
    """
    groups = [linked.group_of(labeled) for labeled in labels]
    chances = 1 - np.prod([1 - expit(SUREST * group.hints()[0]) for group in groups], axis=0)
    recalls = [np.nan_to_num(group.cuts.recalls[group.cuts.best], nan=1.0) for group in groups]
    counts = [group.labeled.sum() for group in groups]
    inside = chances > 0.5
    links_cut = normalized_cut(linked.graphs[0], inside)
    odds = log_odds(inside.mean(), links_cut, np.dot(recalls, counts), sum(counts))
    return _Likeness(chances, links_cut, float(odds))
