"""How the views of several classes are fitted, each on the rows of some labels."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import diags_array
from sklearn.covariance import ledoit_wolf
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors

from pulps.io.randomness import new_seed
from pulps.views.classes.models import (
    KernelClasses,
    LinearClasses,
    NeighborClasses,
    TreeClasses,
)
from pulps.views.classes.opinions import ClassScorer
from pulps.views.forest import Forest

N_TREES, N_HELD_OUT_TREES = 150, 40  # of the forest that is kept, and of one that only judges
N_CENTERS = 200
N_STRETCHING_TREES = 40
LEAST_USEFUL = 0.1  # of all columns together
N_NEIGHBORS, SPREAD, N_STEPS = 7, 0.8, 60
MOST_POINTS = 4000  # that labels spread between


@dataclass(frozen=True)
class Known:
    """What a view may know: all rows, and the labels of some of them.

    Parameters
    ----------
    matrix
        All rows, shape (rows, columns).
    rows
        Numbers of the labeled rows.
    classes
        Class of each of these.
    weights
        Weight of each of these.
    n_classes
        Number of classes, of which some may have no label here.
    brief
        Whether the model is asked once only, about labels that were held out.
    """

    matrix: np.ndarray
    rows: np.ndarray
    classes: np.ndarray
    weights: np.ndarray
    n_classes: int
    brief: bool = False

    @property
    def labeled(self) -> np.ndarray:
        """The labeled rows."""
        return self.matrix[self.rows]


@dataclass(frozen=True)
class ClassView:
    """A way to look at labeled classes.

    Parameters
    ----------
    name
        What it is called in reports.
    fit
        From what is known and a source of randomness to a :class:`ClassScorer`.
    sentence
        What it does, for people.
    """

    name: str
    fit: Callable[[Known, np.random.RandomState], ClassScorer]
    sentence: str


def fit_trees(
    known: Known, rng: np.random.RandomState, *, kind: type[RandomForestClassifier]
) -> TreeClasses:
    """Fit a forest to the labeled rows.

    Parameters
    ----------
    known
        What may be known.
    rng
        Source of the trees.
    kind
        Which forest of scikit-learn.

    Returns
    -------
    TreeClasses
    """
    n_trees = N_HELD_OUT_TREES if known.brief else N_TREES
    forest = kind(n_trees, random_state=new_seed(rng))
    forest.fit(known.labeled, known.classes, known.weights)
    trees, shares, n_nodes = [], [], 0
    for one in forest.estimators_:
        nodes = one.tree_
        here = np.arange(nodes.node_count)
        leaf = nodes.children_left < 0
        trees.append(
            Forest(
                feature=np.where(leaf, 0, nodes.feature),
                cut=nodes.threshold,
                left=np.where(leaf, here, nodes.children_left),
                right=np.where(leaf, here, nodes.children_right),
                value=(n_nodes + here).astype(float),
                missing_left=np.zeros(len(here), dtype=bool),
                n_trees=1,
                depth=nodes.max_depth,
            )
        )
        counts = np.zeros((len(here), known.n_classes))
        counts[:, forest.classes_] = nodes.value[:, 0]
        shares.append(counts / counts.sum(axis=1, keepdims=True))
        n_nodes += len(here)
    # Rows are compared with cuts in single precision, as scikit-learn's trees do.
    return TreeClasses(Forest.join(trees), np.concatenate(shares))


def fit_linear(known: Known, rng: np.random.RandomState) -> LinearClasses:
    """Fit a logistic regression to the labeled rows.

    Parameters
    ----------
    known
        What may be known.
    rng
        Not used.

    Returns
    -------
    LinearClasses
    """
    return _logistic(known.labeled, known, strength=10.0)


def _logistic(matrix: np.ndarray, known: Known, strength: float) -> LinearClasses:
    regression = LogisticRegression(C=strength, max_iter=300)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # near enough for a vote
        regression.fit(matrix, known.classes, known.weights)
    slopes, starts = regression.coef_, regression.intercept_
    if len(slopes) == 1:  # of two classes it has one function
        slopes, starts = np.concatenate([-slopes, slopes]) / 2, np.r_[-starts, starts] / 2
    return _of_all_classes(slopes, starts, regression.classes_, known.n_classes)


def _of_all_classes(
    slopes: np.ndarray, starts: np.ndarray, classes: np.ndarray, n_classes: int
) -> LinearClasses:
    """Put in the classes that have no label here; they are never the answer."""
    all_slopes, all_starts = np.zeros((slopes.shape[1], n_classes)), np.full(n_classes, -1e9)
    all_slopes[:, classes], all_starts[classes] = slopes.T, starts
    return LinearClasses(all_slopes, all_starts)


def fit_kernel_classes(known: Known, rng: np.random.RandomState) -> KernelClasses:
    """Fit a logistic regression on a kernel of the columns that matter.

    Its centers are drawn from all rows, labeled or not.

    Parameters
    ----------
    known
        What may be known.
    rng
        Source of trees and centers.

    Returns
    -------
    KernelClasses
    """
    stretch, n_columns = _stretch(known, rng), known.matrix.shape[1]
    features = Nystroem(
        gamma=1 / n_columns,
        n_components=min(N_CENTERS, len(known.matrix)),
        random_state=new_seed(rng),
    ).fit(known.matrix * stretch)
    linear = _logistic(features.transform(known.labeled * stretch), known, strength=100.0)
    by_value = LinearClasses(features.normalization_.T @ linear.slopes, linear.intercepts)
    return KernelClasses(1 / n_columns, stretch, features.components_, by_value)


def _stretch(known: Known, rng: np.random.RandomState) -> np.ndarray:
    """Find how much each column should count in distances: as much as trees use it."""
    trees = ExtraTreesClassifier(
        N_STRETCHING_TREES, min_samples_leaf=2, max_features=0.5, random_state=new_seed(rng)
    ).fit(known.labeled, known.classes, known.weights)
    useful = trees.feature_importances_ + LEAST_USEFUL / known.matrix.shape[1]
    return np.sqrt(useful / useful.mean())


def fit_normal(known: Known, rng: np.random.RandomState) -> LinearClasses:
    """Fit a normal distribution to each class, all with one shrunk covariance.

    Parameters
    ----------
    known
        What may be known.
    rng
        Not used.

    Returns
    -------
    LinearClasses
    """
    present = np.unique(known.classes)
    mass = np.array([known.weights[known.classes == one].sum() for one in present])
    means = np.stack(
        [
            np.average(
                known.labeled[known.classes == one],
                axis=0,
                weights=known.weights[known.classes == one],
            )
            for one in present
        ]
    )
    apart = known.labeled - means[np.searchsorted(present, known.classes)]
    scale = np.sqrt(known.weights * len(apart) / known.weights.sum())
    spread = known.matrix.var(axis=0) + 1e-6  # of all rows: what a class cannot exceed by much
    covariance, _ = ledoit_wolf(apart / np.sqrt(spread) * scale[:, None], assume_centered=True)
    covariance = covariance + 1e-3 * np.eye(len(covariance))
    whitened = means / np.sqrt(spread)
    slopes = np.linalg.solve(covariance, whitened.T).T
    starts = np.log(mass / mass.sum()) - (slopes * whitened).sum(axis=1) / 2
    return _of_all_classes(slopes / np.sqrt(spread), starts, present, known.n_classes)


def fit_spread(
    known: Known, rng: np.random.RandomState, *, stretched: bool = False
) -> NeighborClasses:
    """Let labels spread along the graph of nearest neighbors, labeled or not.

    What each class sends out is shared among its labels, and what arrives of it everywhere
    adds up to its share of the labels.

    Parameters
    ----------
    known
        What may be known.
    rng
        Chooses rows where there are very many.
    stretched
        Whether columns that matter count more in distances.

    Returns
    -------
    NeighborClasses
    """
    stretch = _stretch(known, rng) if stretched else np.ones(known.matrix.shape[1])
    rows, classes, weights = known.rows, known.classes, known.weights
    points = np.arange(len(known.matrix))
    if len(points) > MOST_POINTS:
        others = np.setdiff1d(points, rows)
        labels = rng.permutation(len(rows))[: MOST_POINTS // 2]
        rows, classes, weights = rows[labels], classes[labels], weights[labels]
        others = rng.choice(others, min(len(others), MOST_POINTS - len(rows)), replace=False)
        points = np.sort(np.concatenate([rows, others]))
        rows = np.searchsorted(points, rows)
    matrix = known.matrix[points] * stretch
    n_neighbors = min(N_NEIGHBORS, len(matrix) - 1)
    near = NearestNeighbors(n_neighbors=n_neighbors).fit(matrix)
    graph = near.kneighbors_graph(mode="connectivity")
    graph = graph.maximum(graph.T)
    root = diags_array(1 / np.sqrt(np.asarray(graph.sum(axis=1)).ravel()))
    step = SPREAD * (root @ graph @ root)
    mass = np.bincount(classes, weights, known.n_classes)
    sent = np.zeros((len(matrix), known.n_classes))
    sent[rows, classes] = weights / mass[classes]
    arrived = sent
    for _ in range(N_STEPS):
        arrived = step @ arrived + sent
    arrived = arrived / np.maximum(arrived.sum(axis=0), 1e-300) * mass / mass.sum()
    arrived = arrived + 1e-12 * mass / mass.sum()
    shares = arrived / arrived.sum(axis=1, keepdims=True)
    return NeighborClasses(matrix, shares, n_neighbors, stretch)


CLASS_VIEWS = (
    ClassView("forest", partial(fit_trees, kind=RandomForestClassifier), "random forest"),
    ClassView("random-trees", partial(fit_trees, kind=ExtraTreesClassifier), "random trees"),
    ClassView("linear", fit_linear, "logistic regression"),
    ClassView("kernel", fit_kernel_classes, "logistic regression, kernel of columns that matter"),
    ClassView("normal", fit_normal, "normal distributions with one covariance"),
    ClassView("neighbors", fit_spread, "labels that spread between neighbors"),
    ClassView(
        "relevant-neighbors",
        partial(fit_spread, stretched=True),
        "labels that spread between neighbors in the columns that matter",
    ),
)
