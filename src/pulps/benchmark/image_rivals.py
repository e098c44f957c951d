"""Plain rivals for images: pixels as a table, and labels that spread between neighbors."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from pulps.estimators.images.neighbor_graph import NeighborGraph
from pulps.images import edge_directions, resize, upright

N_COMPONENTS = 50
SIZE = 24  # of images whose edges are counted, as the classifier by states has it


def flat(images: np.ndarray) -> np.ndarray:
    """Write every image as one row of numbers.

    Parameters
    ----------
    images
        Images of one size.

    Returns
    -------
    array of shape (images, pixels)
        The rows.

    Examples
    --------
    >>> flat(np.zeros((2, 3, 4))).shape
    (2, 12)
    """
    return np.asarray(images, dtype=float).reshape(len(images), -1)


def elkan_noto_on_pixels(random_state: int) -> Any:
    """Make Elkan and Noto's correction of a logistic regression on principal components.

    Its classes are balanced, so it estimates no frequency of labels and the correction is a
    rule of thumb; with a hundred labels it answers better so on development pairs.

    Parameters
    ----------
    random_state
        Seed, generator or None.

    Returns
    -------
    Pipeline
        Unfitted.
    """
    from pulps.baselines import ElkanNotoClassifier

    return make_pipeline(
        FunctionTransformer(flat),
        PCA(N_COMPONENTS, random_state=random_state),
        ElkanNotoClassifier(
            LogisticRegression(class_weight="balanced", max_iter=1000), random_state=random_state
        ),
    )


class NeighborSpreading(ClassifierMixin, BaseEstimator):
    """Labels spread between neighbors, cut at the known prior.

    A new image has the mean score of its nearest training images. The best share ``prior`` of
    the training images is positive. With ``deskew`` images are set upright first, as
    :class:`pulps.LPSImageClassifier` can do; with ``edges`` neighbors are those with edges alike,
    as in its first guess.
    """

    def __init__(
        self,
        n_neighbors: int = 10,
        alpha: float = 0.99,
        prior: float = 0.5,
        deskew: bool = False,
        edges: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ):
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.prior = prior
        self.deskew = deskew
        self.edges = edges
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Spread the labels.

        Parameters
        ----------
        X
            Images.
        y
            Labels, 1 for a labeled positive.

        Returns
        -------
        self
            Fitted.
        """
        y = np.asarray(y)
        self.classes_ = np.array([0, 1])
        rows = self._rows(X)
        self.components_ = PCA(N_COMPONENTS, random_state=self.random_state).fit(rows)
        points = self.components_.transform(rows)
        self.neighbors_ = NearestNeighbors(n_neighbors=self.n_neighbors).fit(points)
        self.scores_ = NeighborGraph.of(points, self.n_neighbors).spread(y == 1, self.alpha).scores
        self.cut_ = float(np.quantile(self.scores_, 1 - self.prior))
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Average the scores of the nearest training images, less the cut.

        Parameters
        ----------
        X
            Images.

        Returns
        -------
        array
            Positive above the cut.
        """
        points = self.components_.transform(self._rows(X))
        nearest = self.neighbors_.kneighbors(points, return_distance=False)
        return self.scores_[nearest].mean(axis=1) - self.cut_

    def predict(self, X: Any) -> np.ndarray:
        """Predict classes.

        Parameters
        ----------
        X
            Images.

        Returns
        -------
        array
            1 above the cut, else 0.
        """
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def _rows(self, X: Any) -> np.ndarray:
        if not self.deskew:
            return flat(X)
        images = upright(torch.as_tensor(np.asarray(X)).float())
        if self.edges:
            return edge_directions(resize(images, SIZE)).numpy()
        return flat(images.numpy())
