r"""The graph of nearest neighbors, and labels that spread along it.

With S the normalized symmetric graph, :math:`(1 - \alpha S) f = y` lets the labels y spread. Only
positives are labeled, so f tells dense regions from sparse ones as much as positives from
negatives; what counts is how much larger f is than it would be if every point were labeled, as a
logarithm. The equation is linear: what one part of the labels spreads can be told from what
the others do, and a labeled point can be scored as if its own label had not been there.

Where all classes have labels, what arrives of each class is compared instead. Every class sends
out as much as it has labels, and what arrives of it everywhere is scaled to that share (class mass
normalization: Zhu, Ghahramani and Lafferty, 2003), or a class in a dense region would win most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array, diags_array
from sklearn.neighbors import NearestNeighbors

N_NEIGHBORS = 10
MOST_PARTS = 20  # of the labels, each of which is left out once
CLASS_PARTS = 5  # of the labels of each of several classes
EXACT = 1e-8  # relative size of what is left of the equations
MOST_ROUNDS = 5000
TINY = 1e-12


@dataclass(frozen=True)
class Spread:
    """How far labels reach.

    Parameters
    ----------
    scores
        One per point, larger for better connected to labeled ones.
    honest
        The same, but a labeled point without its own label and those left out with it; NaN
        for the only labeled point.
    """

    scores: np.ndarray
    honest: np.ndarray


@dataclass(frozen=True)
class ClassSpread:
    """Which class reaches which point.

    Parameters
    ----------
    chances
        Share of each class in what arrives at a point, shape (points, classes).
    honest
        The same, but a labeled point without its own label and those left out with it.
    asked
        Labeled points of which this is true.
    """

    chances: np.ndarray
    honest: np.ndarray
    asked: np.ndarray


@dataclass(frozen=True)
class NeighborGraph:
    """Points that know their neighbors.

    Parameters
    ----------
    links
        Symmetric, shape (points, points): one where either is a neighbor of the other.
    """

    links: csr_array

    @classmethod
    def of(cls, points: np.ndarray, n_neighbors: int = N_NEIGHBORS) -> NeighborGraph:
        """Find the nearest neighbors of every point.

        Parameters
        ----------
        points
            Shape (points, numbers).
        n_neighbors
            Neighbors of each point.

        Returns
        -------
        NeighborGraph
        """
        return cls.at_scales(points, (n_neighbors,))[0]

    @classmethod
    def at_scales(cls, points: np.ndarray, n_neighbors: Sequence[int]) -> list[NeighborGraph]:
        """Link points to fewer and to more neighbors, which are looked for once.

        Parameters
        ----------
        points
            Shape (points, numbers).
        n_neighbors
            Neighbors of each point, one number per graph.

        Returns
        -------
        list of NeighborGraph
        """
        n_points, most = len(points), min(max(n_neighbors), len(points) - 1)
        search = NearestNeighbors(n_neighbors=most).fit(points)
        nearest = search.kneighbors(return_distance=False)
        graphs = []
        for n_linked in np.minimum(n_neighbors, most):
            ends = np.repeat(np.arange(n_points), n_linked), nearest[:, :n_linked].ravel()
            found = csr_array((np.ones(len(ends[0])), ends), shape=(n_points, n_points))
            graphs.append(cls(csr_array(found.maximum(found.T))))
        return graphs

    def __len__(self) -> int:
        """Return the number of points."""
        return self.links.shape[0]

    @property
    def degrees(self) -> np.ndarray:
        """Number of links of each point."""
        return np.asarray(self.links.sum(axis=1)).ravel()

    def spread(self, labeled: np.ndarray, alpha: float) -> Spread:
        """Let labels spread, and score every point.

        Of up to twenty labeled points each is left out alone for its honest score; more are left
        out in twenty parts, and the rest is scaled up for those that are missing.

        Parameters
        ----------
        labeled
            Boolean, shape (points,).
        alpha
            How far labels spread, between zero and one.

        Returns
        -------
        Spread

        Examples
        --------
        >>> points = np.concatenate([np.arange(20.0), np.arange(100.0, 120.0)])[:, None]
        >>> spread = NeighborGraph.of(points, 3).spread(np.arange(40) < 2, 0.9)
        >>> bool(spread.scores[:20].min() > spread.scores[20:].max())
        True
        >>> bool((spread.honest[:2] < spread.scores[:2]).all())
        True
        """
        known = np.flatnonzero(labeled)
        n_parts = min(len(known), MOST_PARTS)
        part = np.arange(len(known)) % n_parts
        sources = np.zeros((len(self), n_parts + 1))
        sources[known, part] = 1.0
        sources[:, -1] = 1.0
        reached = self._reached(sources, alpha)
        everywhere, by_part = reached[:, -1], reached[:, :-1]
        total = by_part.sum(axis=1)
        scores = np.log(np.clip(total, TINY, None)) - np.log(everywhere)
        honest = scores.copy()
        left = len(known) - np.bincount(part)[part]
        with np.errstate(divide="ignore", invalid="ignore"):
            others = (total[known] - by_part[known, part]) * len(known) / left
        honest[known] = np.log(np.clip(others, TINY, None)) - np.log(everywhere[known])
        return Spread(scores, honest)

    def spread_classes(
        self,
        known: np.ndarray,
        n_classes: int,
        alpha: float,
        weights: np.ndarray | None = None,
    ) -> ClassSpread:
        """Let the labels of several classes spread.

        Labels are left out in five parts of each class, for honest chances of labeled points. The
        only label of a class is never left out.

        Parameters
        ----------
        known
            Class of each labeled point, -1 for others.
        n_classes
            Number of classes; each has a label.
        alpha
            How far labels spread, between zero and one.
        weights
            How much the label of each point sends out; None for as much of each.

        Returns
        -------
        ClassSpread

        Examples
        --------
        >>> points = np.concatenate([np.arange(20.0), np.arange(100.0, 120.0)])[:, None]
        >>> known = np.full(40, -1)
        >>> known[[0, 9, 30, 35]] = 0, 0, 1, 1
        >>> spread = NeighborGraph.of(points, 3).spread_classes(known, 2, 0.9)
        >>> spread.chances.argmax(axis=1).tolist() == [0] * 20 + [1] * 20
        True
        """
        labeled = np.flatnonzero(known >= 0)
        classes = known[labeled]
        sent = np.ones(len(labeled)) if weights is None else weights[labeled]
        n_labels = np.bincount(classes, minlength=n_classes)
        n_parts = min(int(n_labels.max()), CLASS_PARTS)
        part = np.empty(len(labeled), dtype=int)
        for one in range(n_classes):
            part[classes == one] = np.arange(n_labels[one]) % n_parts
        sources = np.zeros((len(self), n_classes, n_parts))
        sources[labeled, classes, part] = sent
        reached = self._reached(sources.reshape(len(self), -1), alpha).reshape(sources.shape)
        sizes = np.zeros((n_classes, n_parts))
        np.add.at(sizes, (classes, part), sent)
        counts = sizes.sum(axis=1)
        total, shares = reached.sum(axis=2), counts / counts.sum()
        mass = shares / np.maximum(total.sum(axis=0), TINY)
        honest, asked = _shares(total * mass), np.zeros(len(self), dtype=bool)
        chances = honest.copy()
        for out in range(n_parts):
            others = n_labels > np.bincount(classes[part == out], minlength=n_classes)
            left = np.where(others, counts - sizes[:, out], counts)
            rest = total[labeled] - np.where(others, reached[labeled, :, out], 0.0)
            mine = (part == out) & others[classes]
            honest[labeled[mine]] = _shares(rest[mine] * (counts / left) * mass)
            asked[labeled[mine]] = True
        return ClassSpread(chances, honest, asked)

    def _reached(self, sources: np.ndarray, alpha: float) -> np.ndarray:
        """Let what each column sends out spread."""
        root = diags_array(1 / np.sqrt(self.degrees))
        return _solved(csr_array(root @ self.links @ root), alpha, sources)


def _shares(arrived: np.ndarray) -> np.ndarray:
    """Turn what arrived of each class into chances."""
    arrived = np.clip(arrived, TINY, None)
    return arrived / arrived.sum(axis=1, keepdims=True)


def _solved(graph: csr_array, alpha: float, sources: np.ndarray) -> np.ndarray:
    """Solve (1 - alpha S) f = y for many y at once, by conjugate gradients."""
    found, rest = np.zeros_like(sources), sources.copy()
    step, size = rest.copy(), (rest**2).sum(axis=0)
    enough = EXACT**2 * size
    for _ in range(MOST_ROUNDS):
        moved = step - alpha * (graph @ step)
        length = size / np.maximum((step * moved).sum(axis=0), np.finfo(float).tiny)
        found += length * step
        rest -= length * moved
        before, size = size, (rest**2).sum(axis=0)
        if (size <= enough).all():
            break
        step = rest + size / np.maximum(before, np.finfo(float).tiny) * step
    return found
