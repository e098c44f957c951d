"""Some classes have labels, all others are one class without any: "none of these"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from pulps.benchmark.semi.image_problems import SemiImageTask
from pulps.benchmark.semi.problems import SemiFold, SemiTask, make_semi_fold
from pulps.benchmark.semi.rivals import SemiMethod

OPEN_SETS = ("audiology", "soybean", "mnist")
N_KNOWN = (3, 5, 7)
LABELED = 0.5  # share of the rows of a known class of a table
N_IMAGES, PER_CLASS = 3000, 50
NONE_OF_THESE = -1


@dataclass(frozen=True)
class OpenTask:
    """A fold of a table, or a draw of images, with labels of some classes only.

    Parameters
    ----------
    dataset
        One of ``OPEN_SETS``.
    n_known
        Number of classes with labels: the most frequent ones of a table, random ones of images.
    fold
        Test fold of a table.
    seed
        Draws folds and labels.
    """

    dataset: str
    n_known: int
    fold: int = 0
    seed: int = 0

    @property
    def id(self) -> str:
        """One line that names the task, the same in every run.

        >>> OpenTask("soybean", 3).id
        'soybean known=3 open-set seed=0 fold=0'
        """
        return f"{self.dataset} known={self.n_known} open-set seed={self.seed} fold={self.fold}"

    @property
    def model_seed(self) -> int:
        """Seed for the estimator."""
        return 10 * self.seed + self.fold

    def describe(self) -> dict[str, Any]:
        """Name the task in a record.

        Returns
        -------
        dict
        """
        return {
            "task": self.id,
            "dataset": self.dataset,
            "label_frequency": self.n_known,
            "fold": self.fold,
            "seed": self.seed,
            "max_train": N_IMAGES if self.dataset == "mnist" else None,
        }

    def load(self) -> SemiFold:
        """Hide labels: half of a known class of a table stays, fifty images of each known digit.

        Returns
        -------
        SemiFold
            Classes that are not known are -1 in the truth.
        """
        rng = np.random.RandomState(100 * self.seed + self.fold)
        if self.dataset == "mnist":
            whole = SemiImageTask("mnist", 1, self.model_seed).load()
            rows = np.sort(rng.permutation(len(whole.y_true))[:N_IMAGES])
            whole = whole._replace(X=whole.X[rows], y_true=whole.y_true[rows])
            known = rng.permutation(10)[: self.n_known]
            wanted = {one: PER_CLASS for one in known.tolist()}
        else:
            whole = make_semi_fold(SemiTask(self.dataset, 0.5, self.fold, self.seed))
            counts = np.bincount(whole.y_true)
            known = np.argsort(-counts, kind="stable")[: self.n_known]
            wanted = {one: round(LABELED * counts[one]) for one in known.tolist()}
        labels = np.full(len(whole.y_true), -1)
        for one, count in wanted.items():
            labels[rng.permutation(np.flatnonzero(whole.y_true == one))[:count]] = one
        truths = (
            np.where(np.isin(truth, known), truth, NONE_OF_THESE)
            for truth in (whole.y_true, whole.y_test)
        )
        y_true, y_test = truths
        return SemiFold(whole.X, labels, y_true, whole.X_test, y_test)


def open_tasks(
    datasets: Sequence[str] | None = None,
    n_known: Sequence[int] | None = None,
    folds: Sequence[int] | None = None,
    seeds: Sequence[int] = (0,),
) -> list[OpenTask]:
    """List the tasks.

    Parameters
    ----------
    datasets
        Names; None takes all three.
    n_known
        Numbers of classes with labels; None takes 3, 5 and 7.
    folds
        Folds of tables, draws of images; None takes the first three.
    seeds
        Seeds of folds and labels.

    Returns
    -------
    list of OpenTask

    Examples
    --------
    >>> len(open_tasks())
    27
    """
    return [
        OpenTask(name, count, fold, seed)
        for seed, fold, name, count in product(
            seeds, range(3) if folds is None else folds, datasets or OPEN_SETS, n_known or N_KNOWN
        )
    ]


class OneVsRestPU(ClassifierMixin, BaseEstimator):
    """One positive-unlabeled model per class with labels, each on its own.

    A row belongs to the class whose model is surest that it is positive, and to none if no model
    calls it positive.

    Parameters
    ----------
    base
        The classifier of labeled and unlabeled rows.
    """

    def __init__(self, base: Any):
        self.base = base

    def fit(self, X: Any, y: Any) -> Any:
        """Fit one model per class.

        Parameters
        ----------
        X, y
            Rows, and labels with -1 for none.

        Returns
        -------
        self
        """
        y = np.asarray(y)
        known = np.unique(y[y != NONE_OF_THESE])
        self.models_ = [clone(self.base).fit(X, (y == one).astype(int)) for one in known]
        self.classes_ = np.append(known, NONE_OF_THESE)
        return self

    def predict(self, X: Any) -> Any:
        """Predict classes.

        Parameters
        ----------
        X
            Rows.

        Returns
        -------
        array
        """
        chances = np.stack([model.predict_proba(X)[:, 1] for model in self.models_], axis=1)
        called = np.stack([model.predict(X) for model in self.models_], axis=1) == 1
        chances = np.where(called, chances, -1.0)
        best = np.where(called.any(axis=1), chances.argmax(axis=1), len(self.models_))
        return self.classes_[best]


def _one_vs_rest(name: str, **given: Any) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        import pulps

        return OneVsRestPU(getattr(pulps, name)(random_state=seed, **given))

    return make


def _open(name: str, **given: Any) -> Callable[[int], Any]:
    def make(seed: int) -> Any:
        import pulps

        return getattr(pulps, name)(unlabeled_class=True, random_state=seed, **given)

    return make


STEPS = 300  # of both on images: fifteen models of two states are compared with three
OPEN_METHODS = {
    method.name: method
    for method in (
        SemiMethod("lps-open", _open("LPSSemiSupervisedClassifier"), "one model, open set"),
        SemiMethod("pu-one-vs-rest", _one_vs_rest("PUClassifier"), "PU models, one per class"),
    )
}
OPEN_IMAGE_METHODS = {
    method.name: method
    for method in (
        SemiMethod(
            "lps-open",
            _open("LPSSemiSupervisedImageClassifier", n_steps=STEPS),
            "one model, open set",
        ),
        SemiMethod(
            "pu-one-vs-rest",
            _one_vs_rest("LPSImageClassifier", n_steps=STEPS, n_members=1),
            "PU models, one per class",
        ),
    )
}


def method_for(task: Any, method: SemiMethod) -> SemiMethod:
    """Find the method of this name for the kind of rows of a task.

    Parameters
    ----------
    task
        The task.
    method
        Of tables, if the task is an :class:`OpenTask`.

    Returns
    -------
    SemiMethod
    """
    of_images = isinstance(task, OpenTask) and task.dataset == "mnist"
    return OPEN_IMAGE_METHODS[method.name] if of_images else method
