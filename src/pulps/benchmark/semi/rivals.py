"""What learns from some labels and many rows without one: ours, the field's, and the limits.

All rivals see the same matrix: numbers standardized, categories one-hot, missing cells marked
(:class:`pulps.tables.table_matrix.TableMatrix`). Labels are numbers, -1 for none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.semi_supervised import LabelPropagation, LabelSpreading, SelfTrainingClassifier
from sklearn.tree import DecisionTreeClassifier

from pulps.tables.table_matrix import TableMatrix

N_TREES = 100


@dataclass(frozen=True)
class SemiMethod:
    """A named factory of estimators.

    Parameters
    ----------
    name
        Name in records and on the command line.
    make
        From a seed to an estimator.
    title
        Name on the page.
    knows_all
        Whether it is told the label of every training row: the limit, not a rival.
    """

    name: str
    make: Callable[[int], Any]
    title: str
    knows_all: bool = False


class LabelsAlone(ClassifierMixin, BaseEstimator):
    """A classifier of the labeled rows; it never sees the others.

    Parameters
    ----------
    base
        The classifier.
    """

    def __init__(self, base: Any):
        self.base = base

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from the labeled rows.

        Parameters
        ----------
        X, y
            Rows, and labels with -1 for none.

        Returns
        -------
        self
        """
        labeled = np.asarray(y) >= 0
        self.model_ = clone(self.base).fit(X[labeled], np.asarray(y)[labeled])
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predict classes.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array
        """
        return self.model_.predict(X)


class TriTraining(ClassifierMixin, BaseEstimator):
    """Three trees teach each other (Zhou and Li, 2005).

    Each learns from a bootstrap of the labels. Where two agree on an unlabeled row and err less
    often together than before, the third learns that row as well.

    Parameters
    ----------
    random_state
        Seed.
    """

    def __init__(self, random_state: int = 0):
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all rows.

        Parameters
        ----------
        X, y
            Rows, and labels with -1 for none.

        Returns
        -------
        self
        """
        rng = np.random.RandomState(self.random_state)
        labeled = y >= 0
        X_l, y_l, X_u = X[labeled], y[labeled], X[~labeled]
        self.classes_ = np.unique(y_l)
        self.trees_ = []
        for _ in range(3):
            rows = rng.randint(len(y_l), size=len(y_l))
            self.trees_.append(self._tree(rng).fit(X_l[rows], y_l[rows]))
        error, size = np.full(3, 0.5), np.zeros(3)
        changed = len(X_u) > 0
        while changed:
            changed, lessons = False, {}
            for i in range(3):
                one, other = (self.trees_[j] for j in range(3) if j != i)
                on_labels = one.predict(X_l), other.predict(X_l)
                agree = on_labels[0] == on_labels[1]
                now = np.mean(on_labels[0][agree] != y_l[agree]) if agree.any() else 0.5
                if now >= error[i]:
                    continue
                guess = one.predict(X_u)
                rows = np.flatnonzero(guess == other.predict(X_u))
                if size[i] == 0:
                    size[i] = np.floor(now / (error[i] - now) + 1)
                if size[i] >= len(rows):
                    continue
                if now * len(rows) >= error[i] * size[i]:
                    if size[i] <= now / (error[i] - now):
                        continue
                    most = int(np.ceil(error[i] * size[i] / max(now, 1e-9) - 1))
                    rows = rng.permutation(rows)[: max(most, 0)]
                if len(rows):
                    lessons[i] = X_u[rows], guess[rows], now
            for i, (X_more, y_more, now) in lessons.items():
                self.trees_[i] = self._tree(rng).fit(
                    np.concatenate([X_l, X_more]), np.concatenate([y_l, y_more])
                )
                error[i], size[i], changed = now, len(y_more), True
        return self

    def _tree(self, rng: np.random.RandomState) -> Any:
        return DecisionTreeClassifier(random_state=rng.randint(2**31 - 1))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class that most of the three predict.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array
        """
        votes = np.stack([tree.predict(X) for tree in self.trees_])
        counts = np.stack([(votes == one).sum(axis=0) for one in self.classes_])
        return self.classes_[counts.argmax(axis=0)]


class CoForest(ClassifierMixin, BaseEstimator):
    """A forest whose trees are taught by the rest of the forest (Li and Zhou, 2007).

    Parameters
    ----------
    n_trees
        Number of trees.
    confidence
        Share of the other trees that must agree on a row before a tree learns it.
    random_state
        Seed.
    """

    def __init__(
        self,
        n_trees: int = N_TREES,
        confidence: float = 0.75,
        random_state: int = 0,
    ):
        self.n_trees = n_trees
        self.confidence = confidence
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn from all rows.

        Parameters
        ----------
        X, y
            Rows, and labels with -1 for none.

        Returns
        -------
        self
        """
        rng = np.random.RandomState(self.random_state)
        labeled = y >= 0
        X_l, y_l, X_u = X[labeled], y[labeled], X[~labeled]
        self.classes_, codes = np.unique(y_l, return_inverse=True)
        n_classes, n_trees = len(self.classes_), self.n_trees
        bags = [rng.randint(len(y_l), size=len(y_l)) for _ in range(n_trees)]
        self.trees_ = [self._tree(rng).fit(X_l[bag], codes[bag]) for bag in bags]
        left_out = np.stack([~np.isin(np.arange(len(y_l)), bag) for bag in bags])
        error, mass = np.full(n_trees, 0.5), np.zeros(n_trees)
        changed = len(X_u) > 0
        while changed:
            changed = False
            of_labels, of_rest = (_votes(self.trees_, rows, n_classes) for rows in (X_l, X_u))
            honest = np.einsum("tn,tnk->nk", left_out, of_labels)
            for i in range(n_trees):
                others = honest - left_out[i][:, None] * of_labels[i]
                asked = others.sum(axis=1) > 0
                wrong = others.argmax(axis=1) != codes
                now = wrong[asked].mean() if asked.any() else 0.5
                if now >= error[i]:
                    continue
                shares = (of_rest.sum(axis=0) - of_rest[i]) / (n_trees - 1)
                sure = shares.max(axis=1)
                rows = rng.permutation(np.flatnonzero(sure > self.confidence))
                limit = error[i] * (mass[i] or min(0.1 * len(X_l), 100)) / max(now, 1e-9)
                rows = rows[np.cumsum(sure[rows]) < limit]
                weight = sure[rows].sum()
                if not len(rows) or now * weight >= error[i] * max(mass[i], weight):
                    continue
                self.trees_[i] = self._tree(rng).fit(
                    np.concatenate([X_l[bags[i]], X_u[rows]]),
                    np.concatenate([codes[bags[i]], shares[rows].argmax(axis=1)]),
                    np.concatenate([np.ones(len(bags[i])), sure[rows]]),
                )
                error[i], mass[i], changed = now, weight, True
        return self

    def _tree(self, rng: np.random.RandomState) -> Any:
        return DecisionTreeClassifier(max_features="sqrt", random_state=rng.randint(2**31 - 1))

    def predict(self, X: Any) -> np.ndarray:
        """Predict the class that most trees predict.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array
        """
        votes = _votes(self.trees_, X, len(self.classes_)).sum(axis=0)
        return self.classes_[votes.argmax(axis=1)]


def _votes(trees: Any, X: Any, n_classes: int) -> np.ndarray:
    """Zeros and ones, shape (trees, rows, classes)."""
    return np.stack([np.eye(n_classes)[tree.predict(X).astype(int)] for tree in trees])


def _forest(seed: int) -> RandomForestClassifier:
    return RandomForestClassifier(N_TREES, random_state=seed)


def _boosting(seed: int) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=40, max_leaf_nodes=8, min_samples_leaf=3, early_stopping=False, random_state=seed
    )


def _logistic(seed: int) -> LogisticRegression:
    return LogisticRegression(max_iter=500, random_state=seed)


def _self_training(base: Callable[[int], Any]) -> Callable[[int], Any]:
    return lambda seed: _on_matrix(SelfTrainingClassifier(base(seed), max_iter=5))


def _on_matrix(model: Any) -> Any:
    return make_pipeline(TableMatrix(), model)


def _ours(seed: int) -> Any:
    from pulps.estimators import LPSSemiSupervisedClassifier

    return LPSSemiSupervisedClassifier(random_state=seed)


def _first_guess(seed: int) -> Any:
    from pulps.estimators import LPSSemiSupervisedClassifier

    return LPSSemiSupervisedClassifier(blend=0.0, n_members=1, max_epochs=1, random_state=seed)


METHODS = {
    method.name: method
    for method in (
        SemiMethod("lps-semi", _ours, "LPSSemiSupervisedClassifier"),
        SemiMethod("first-guess", _first_guess, "its first guess alone (blend=0)"),
        SemiMethod(
            "labels-alone", lambda s: _on_matrix(LabelsAlone(_forest(s))), "labels alone, forest"
        ),
        SemiMethod("self-training-logistic", _self_training(_logistic), "self-training, logistic"),
        SemiMethod("self-training-forest", _self_training(_forest), "self-training, forest"),
        SemiMethod(
            "label-spreading",
            lambda s: _on_matrix(LabelSpreading(kernel="knn", n_neighbors=7, max_iter=100)),
            "label spreading, 7 neighbors",
        ),
        SemiMethod(
            "label-propagation",
            lambda s: _on_matrix(LabelPropagation(kernel="knn", n_neighbors=7, max_iter=3000)),
            "label propagation, 7 neighbors",
        ),
        SemiMethod(
            "tri-training", lambda s: _on_matrix(TriTraining(random_state=s)), "tri-training"
        ),
        SemiMethod("co-forest", lambda s: _on_matrix(CoForest(random_state=s)), "co-forest"),
        SemiMethod("self-training-boosting", _self_training(_boosting), "self-training, boosting"),
        SemiMethod(
            "all-labels",
            lambda s: _on_matrix(LabelsAlone(_forest(s))),
            "all labels, forest (the limit)",
            knows_all=True,
        ),
    )
}
