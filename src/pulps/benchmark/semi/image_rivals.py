"""What learns images of several classes from a few labels: ours, neighbors, a small network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.semi_supervised import LabelSpreading
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from pulps.benchmark.semi.rivals import SemiMethod

SURE = 0.95  # probability from which a pseudo-label is believed
N_ROUNDS, N_STEPS, BATCH = 4, 300, 64


class PseudoLabelCNN(ClassifierMixin, BaseEstimator):
    """A small convolutional network that learns from labels and then from its own answers.

    Two convolutions and a hidden layer, trained on labeled images that are moved by up to two
    pixels; then, round by round, on these and on the images it is sure of, half and half
    (pseudo-labels: Lee, 2013).

    Parameters
    ----------
    random_state
        Seed.
    """

    def __init__(self, random_state: int = 0):
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from all images.

        Parameters
        ----------
        X, y
            Images of 28 × 28 bytes, and labels with -1 for none.

        Returns
        -------
        self
        """
        generator = torch.Generator().manual_seed(self.random_state)
        images, labels = _planes(X), torch.as_tensor(np.asarray(y))
        labeled = (labels >= 0).nonzero()[:, 0]
        self.classes_, codes = np.unique(np.asarray(y)[labeled], return_inverse=True)
        targets = torch.zeros(len(images), dtype=torch.long)
        targets[labeled] = torch.as_tensor(codes)
        state = torch.random.get_rng_state()
        torch.manual_seed(self.random_state)
        self.network_ = _network(len(self.classes_))
        torch.random.set_rng_state(state)
        optimizer = torch.optim.Adam(self.network_.parameters(), 1e-3)
        sure = labeled[:0]
        for _ in range(N_ROUNDS):
            for _ in range(N_STEPS):
                parts = [_some(labeled, BATCH, generator)]
                if len(sure):
                    parts.append(_some(sure, BATCH, generator))
                rows = torch.cat(parts)
                loss = cross_entropy(
                    self.network_(_shifted(images[rows], generator)), targets[rows]
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            best, answer = self._probabilities(images).max(1)
            found = (best > SURE) & (labels < 0)
            sure = found.nonzero()[:, 0]
            targets[sure] = answer[sure]
        return self

    def _probabilities(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            return torch.cat([self.network_(part).softmax(1) for part in images.split(1000)])

    def predict(self, X: Any) -> Any:
        """Predict classes.

        Parameters
        ----------
        X
            Images.

        Returns
        -------
        array
        """
        return self.classes_[self._probabilities(_planes(X)).argmax(1).numpy()]


def _network(n_classes: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 16, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.25),
        nn.Linear(32 * 49, 64),
        nn.ReLU(),
        nn.Linear(64, n_classes),
    )


def _planes(X: Any) -> Tensor:
    return torch.as_tensor(np.asarray(X)).float()[:, None] / 255


def _some(rows: Tensor, n_rows: int, generator: torch.Generator) -> Tensor:
    return rows[torch.randint(len(rows), (n_rows,), generator=generator)]


def _shifted(images: Tensor, generator: torch.Generator) -> Tensor:
    down, right = torch.randint(-2, 3, (2,), generator=generator).tolist()
    return torch.roll(images, (down, right), (2, 3))


def _spreading(seed: int) -> Any:
    flat = FunctionTransformer(lambda X: np.asarray(X, dtype=float).reshape(len(X), -1) / 255)
    return make_pipeline(flat, LabelSpreading(kernel="knn", n_neighbors=7, max_iter=200))


def _ours(**given: Any) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        from pulps.estimators import LPSSemiSupervisedImageClassifier

        return LPSSemiSupervisedImageClassifier(random_state=seed, **given)

    return make


IMAGE_METHODS = {
    method.name: method
    for method in (
        SemiMethod("lps-semi-images", _ours(), "LPSSemiSupervisedImageClassifier"),
        SemiMethod("lps-states-alone", _ours(blend=1.0), "its states alone (blend=1)"),
        SemiMethod("label-spreading-pixels", _spreading, "label spreading, 7 neighbors"),
        SemiMethod(
            "cnn-pseudo-labels", lambda s: PseudoLabelCNN(random_state=s), "CNN, pseudo-labels"
        ),
    )
}
