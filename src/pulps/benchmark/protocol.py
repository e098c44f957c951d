"""One honest protocol: a task and a method make one record, and nothing else does.

A *task* names a data set, how many positives are labeled, the scenario, and one fold. The
folds are ``StratifiedKFold(10, shuffle=True, random_state=seed)`` on the true classes; in
each training fold the stated share of the positives, rounded, is labeled by
``RandomState(1000 * seed + fold)``; all other rows of the training fold are unlabeled, and
the test fold is scored against the truth. A task may allow fewer training rows than a fold
has; they are drawn class by class, with the same seed, before labels are hidden. In the
``"case-control"`` scenario the labeled rows are added to the unlabeled ones, so that these
remain a sample of the population.

A *method* is a named factory of estimators. :func:`run_task` reads no state but the data,
keeps none, and returns one flat record: scores of *both* classes, scores that need no
truth (Lee–Liu, PU-F1 with the true prior, PU-AUC and agreement, all on the training rows, the
only ones a user has), what the model says of itself, times, memory and origin.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple, cast

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from pulps.benchmark import provenance
from pulps.benchmark.image_problems import is_image_problem, split
from pulps.benchmark.missing import remove_cells
from pulps.benchmark.scores import scores_against_truth, scores_from_pu_labels
from pulps.benchmark.table_problems import is_table_problem, load_rows, subsample
from pulps.benchmark.told import (
    decision_values,
    engine_of,
    prior_scores,
    share_scores,
    told_accuracy,
    told_agreement,
    told_prior,
    told_reliability,
)
from pulps.datasets import load_published_folds
from pulps.labels import hide_labels
from pulps.metrics import Scenario

Record = dict[str, Any]


@dataclass(frozen=True)
class Task:
    """One fold of one PU problem.

    Parameters
    ----------
    dataset : str
        A table of :func:`pulps.datasets.table_names`, a toy set, or a problem of
        :mod:`pulps.benchmark.image_problems` or :mod:`pulps.benchmark.table_problems`.
    label_frequency : float, optional
        Share of the positives of the training fold that is labeled.
    n_labeled : int, optional
        Number of labeled positives; give this or ``label_frequency``.
    fold : int
        Test fold, from 0.
    seed : int
        Draws folds and labels.
    repeat : int
        Trains again on the same fold and labels with another seed of the model.
    scenario : {"single-training-set", "case-control"}
        How labeled and unlabeled rows relate.
    fold_scheme : {"stratified", "published", "original"}
        Our folds, those published with the GPU baseline (ten folds; 0.3, 0.4, 0.5), or the
        original split of an image set (one fold).
    n_folds : int
        Number of folds.
    missing : float
        Share of the cells that are removed at random, from training and test rows.
    max_train : int, optional
        Training rows at most; None takes all of the fold.
    data_home : str, optional
        Folder of the tables of :mod:`pulps.benchmark.table_problems`. It says where, not what:
        neither the id nor the record has it.
    """

    dataset: str
    label_frequency: float | None = None
    n_labeled: int | None = None
    fold: int = 0
    seed: int = 0
    repeat: int = 0
    scenario: Scenario = "single-training-set"
    fold_scheme: Literal["stratified", "published", "original"] = "stratified"
    n_folds: int = 10
    missing: float = 0.0
    max_train: int | None = None
    data_home: str | None = None

    def __post_init__(self) -> None:
        if (self.label_frequency is None) == (self.n_labeled is None):
            raise ValueError(
                f"label_frequency is {self.label_frequency} and n_labeled is {self.n_labeled}; "
                "a task has exactly one of them."
            )
        if self.label_frequency is not None and not 0 < self.label_frequency <= 1:
            raise ValueError(f"label_frequency is {self.label_frequency}; it lies in (0, 1].")
        if not 0 <= self.missing < 1:
            raise ValueError(f"missing is {self.missing}; it lies in [0, 1).")
        if not 0 <= self.fold < self.n_folds:
            raise ValueError(f"fold is {self.fold}; with {self.n_folds} folds it is below that.")
        if self.max_train is not None and (self.max_train < 2 or self.fold_scheme != "stratified"):
            raise ValueError(
                f"max_train is {self.max_train}; it is at least 2, for stratified folds only."
            )
        if self.fold_scheme == "published" and (self.n_folds != 10 or not self.label_frequency):
            raise ValueError("Published folds are ten, with a label_frequency of 0.3, 0.4 or 0.5.")
        if (self.fold_scheme == "original") != is_image_problem(self.dataset):
            raise ValueError(
                f"The data set is {self.dataset!r} and the fold scheme {self.fold_scheme!r}; "
                "image problems, and only these, have the original split."
            )
        if self.fold_scheme == "original" and (self.n_folds != 1 or self.missing):
            raise ValueError("The original split is one fold, and nothing is removed from it.")

    @property
    def id(self) -> str:
        """One line that names the task, the same in every run.

        >>> Task("vote", label_frequency=0.3, fold=2).id
        'vote c=0.3 single-training-set stratified-10 seed=0 fold=2 repeat=0'
        """
        labels = f"c={self.label_frequency:g}" if self.label_frequency else f"n={self.n_labeled}"
        return (
            f"{self.dataset} {labels} {self.scenario} {self.fold_scheme}-{self.n_folds} "
            f"seed={self.seed} fold={self.fold} repeat={self.repeat}"
            + (f" missing={self.missing:g}" if self.missing else "")
            + (f" train={self.max_train}" if self.max_train else "")
        )

    @property
    def model_seed(self) -> int:
        """Seed for the estimator: another one for every seed, fold and repeat."""
        return int(
            np.random.SeedSequence([self.seed, self.fold, self.repeat]).generate_state(1)[0]
        )


class Fold(NamedTuple):
    """What a task trains and tests on. ``y`` are PU labels, ``y_true`` and ``y_test`` truth."""

    X: pd.DataFrame | np.ndarray
    y: np.ndarray
    y_true: np.ndarray
    X_test: pd.DataFrame | np.ndarray
    y_test: np.ndarray


@dataclass(frozen=True)
class Method:
    """A named estimator factory.

    Parameters
    ----------
    name : str
        Name in records and on the command line.
    make : callable
        ``make(task)`` returns an unfitted estimator with ``fit(X, y)`` and ``predict(X)``;
        ``y`` is 1 for labeled positives and 0 for unlabeled rows, ``predict`` answers 1 or 0.
    title : str
        Name in tables and figures.
    fit_folds : callable, optional
        ``fit_folds(tasks, folds)`` returns fitted estimators, one per task, trained in one
        program. The runner then hands over all missing folds of a problem at once.
    """

    name: str
    make: Callable[[Task], Any]
    title: str = ""
    fit_folds: Callable[[Sequence[Task], Sequence[Fold]], Sequence[Any]] | None = None


def make_fold(task: Task) -> Fold:
    """Split the data and hide the labels of a task.

    Parameters
    ----------
    task
        The task.

    Returns
    -------
    Fold
        Training rows with PU labels, and test rows.
    """
    if task.fold_scheme == "original":
        return _image_fold(task)
    if task.fold_scheme == "published":
        published = load_published_folds(task.dataset)
        train, test, y = published.split(task.fold, round(100 * cast(float, task.label_frequency)))
        X, y_true = published.X, published.y
    else:
        X, y_true, _ = load_rows(task.dataset, task.seed, task.data_home)
        folds = StratifiedKFold(task.n_folds, shuffle=True, random_state=task.seed)
        train, test = list(folds.split(X, y_true))[task.fold]
        if task.max_train is not None and len(train) > task.max_train:
            seed = 1000 * task.seed + task.fold
            train = train[subsample(y_true[train], task.max_train, seed)]
        y = label_positives(y_true[train], task)
    if task.scenario == "case-control":
        labeled = train[y == 1]
        train, y = np.r_[labeled, train], np.r_[np.ones_like(labeled), np.zeros_like(y)]
    if task.missing:
        X = remove_cells(X, task.missing, [task.seed, task.fold])
    return Fold(X.iloc[train], y, y_true[train], X.iloc[test], y_true[test])


def _image_fold(task: Task) -> Fold:
    X, y_true, X_test, y_test = split(task.dataset, task.seed)
    y = label_positives(y_true, task)
    if task.scenario == "case-control":
        labeled = y == 1
        X, y_true = np.concatenate([X[labeled], X]), np.r_[y_true[labeled], y_true]
        y = np.r_[y[labeled], np.zeros_like(y)]
    return Fold(X, y, y_true, X_test, y_test)


def label_positives(y_true: np.ndarray, task: Task) -> np.ndarray:
    """Label some positives of a training fold at random.

    Parameters
    ----------
    y_true
        True classes.
    task
        Says how many.

    Returns
    -------
    array of int
        1 for labeled, 0 for unlabeled rows.
    """
    return hide_labels(
        y_true,
        label_frequency=task.label_frequency,
        n_labeled=task.n_labeled,
        random_state=1000 * task.seed + task.fold,
    )


def run_task(task: Task, method: Method) -> Record:
    """Train and test one method on one task.

    An estimator that raises in ``fit`` or ``predict`` gives a record with ``error`` and no
    scores, so that failures are counted instead of lost. What cannot even be made, or data
    that are not there, are no result and raise.

    Parameters
    ----------
    task
        The task.
    method
        The method.

    Returns
    -------
    dict
        The record.
    """
    fold, model = make_fold(task), method.make(task)
    provenance.reset_peak_memory()
    start = time.perf_counter()
    try:
        model.fit(fold.X, fold.y)
        fit_seconds = time.perf_counter() - start
        return _record(task, method, fold, model, fit_seconds)
    except Exception as error:
        return _failure(task, method, fold, error, time.perf_counter() - start)


def run_tasks(tasks: Sequence[Task], method: Method) -> list[Record]:
    """Run several tasks, stacked in one program if the method can do that.

    Parameters
    ----------
    tasks
        The tasks.
    method
        The method.

    Returns
    -------
    list of dict
        One record per task.
    """
    if method.fit_folds is None or len(tasks) == 1:
        return [run_task(task, method) for task in tasks]
    folds = [make_fold(task) for task in tasks]
    provenance.reset_peak_memory()
    start = time.perf_counter()
    try:
        models = method.fit_folds(tasks, folds)
        each = (time.perf_counter() - start) / len(tasks)
        return [
            _record(task, method, fold, model, each)
            for task, fold, model in zip(tasks, folds, models, strict=True)
        ]
    except Exception as error:
        each = (time.perf_counter() - start) / len(tasks)
        return [
            _failure(task, method, fold, error, each)
            for task, fold in zip(tasks, folds, strict=True)
        ]


def record_key(record: Record) -> tuple[str, str, str]:
    """Return the key that no two records share.

    Parameters
    ----------
    record
        A record.

    Returns
    -------
    tuple
        Task, method and version.
    """
    return record["task"], record["method"], record["version"]


def _record(task: Task, method: Method, fold: Fold, model: Any, fit_seconds: float) -> Record:
    start = time.perf_counter()
    predicted = np.asarray(model.predict(fold.X_test)) == 1
    predict_seconds = time.perf_counter() - start
    origin = _origin(task, method, fold)
    told = told_prior(model, fold.y == 1, task.scenario)
    return {
        **origin,
        **scores_against_truth(fold.y_test, predicted, decision_values(model, fold.X_test)),
        **scores_from_pu_labels(
            fold.y,
            np.asarray(model.predict(fold.X)) == 1,
            decision_values(model, fold.X),
            prior=float(np.mean(fold.y_true)),
            scenario=task.scenario,
        ),
        **share_scores(fold.y_test, predicted),
        "agreement": told_agreement(model),
        "expected_accuracy": told_accuracy(model),
        **prior_scores(told, origin["prior_of_unlabeled"]),
        "reliability": told_reliability(model, fold.X_test, fold.y_test),
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
        "peak_memory_mb": provenance.peak_memory_mb(),
        "engine": engine_of(model),
        "error": None,
    }


def _failure(
    task: Task, method: Method, fold: Fold, error: Exception, fit_seconds: float
) -> Record:
    return {
        **_origin(task, method, fold),
        "fit_seconds": fit_seconds,
        "error": f"{type(error).__name__}: {error}"[:500],
    }


def _origin(task: Task, method: Method, fold: Fold) -> Record:
    fields = asdict(task)
    del fields["data_home"]
    if is_table_problem(task.dataset):
        fields["data_sha256"] = load_rows(task.dataset, task.seed, task.data_home).sha256
    return {
        "task": task.id,
        **fields,
        "n_labeled": int(fold.y.sum()),
        "method": method.name,
        "version": provenance.version(),
        "commit": provenance.commit(),
        "machine": provenance.machine(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "n_train": len(fold.y),
        "n_test": len(fold.y_test),
        "n_attributes": math.prod(fold.X.shape[1:]),
        "prior": float(np.mean(fold.y_true)),
        "prior_of_unlabeled": float(np.mean(fold.y_true[fold.y == 0])),
    }
