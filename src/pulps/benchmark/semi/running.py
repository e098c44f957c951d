"""One task and one method make one record; what is there already is not run again."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

import numpy as np
from sklearn.metrics import accuracy_score, f1_score

from pulps.benchmark import provenance
from pulps.benchmark.protocol import Record
from pulps.benchmark.semi.open_set import method_for
from pulps.benchmark.semi.problems import SemiFold
from pulps.benchmark.semi.rivals import SemiMethod
from pulps.benchmark.store import Store


class Task(Protocol):
    """What is run: it names itself and loads its rows."""

    @property
    def id(self) -> str:
        """One line that names the task, the same in every run."""

    @property
    def model_seed(self) -> int:
        """Seed for the estimator."""

    def describe(self) -> dict[str, Any]:
        """Name the task in a record."""

    def load(self) -> SemiFold:
        """Load rows and labels."""


def run_semi_task(task: Task, method: SemiMethod) -> Record:
    """Train and test one method on one task.

    Parameters
    ----------
    task
        The task.
    method
        The method.

    Returns
    -------
    dict
        The record: accuracy and macro-F1 on unlabeled training rows and on test rows, or the
        error.
    """
    fold, model = task.load(), method.make(task.model_seed)
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(fold.X, fold.y_true if method.knows_all else fold.y)
            seconds = time.perf_counter() - start
            scores = _scores(fold, model)
        error = None
    except Exception as raised:
        seconds, scores = time.perf_counter() - start, {}
        error = f"{type(raised).__name__}: {raised}"[:500]
    return {
        **task.describe(),
        "method": method.name,
        "version": provenance.version(),
        "commit": provenance.commit(),
        "machine": provenance.machine(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "n_train": len(fold.y),
        "n_labeled": int((fold.y >= 0).sum()),
        "n_test": len(fold.y_test),
        "n_classes": len(np.unique(fold.y_true)),
        "n_attributes": int(np.prod(fold.X.shape[1:])),
        **scores,
        "fit_seconds": seconds,
        "error": error,
    }


def run_semi(
    tasks: Sequence[Task], methods: Sequence[SemiMethod], store: Store
) -> Iterator[Record]:
    """Run what is missing, fold by fold, and yield every record once it is stored.

    Parameters
    ----------
    tasks
        The tasks, in the order in which they are run.
    methods
        The methods.
    store
        The store; several runners may share it.

    Yields
    ------
    dict
        A record.
    """
    for task in tasks:
        for method in methods:
            key = task.id, method.name, provenance.version()
            if key in store.keys(failed=False) or not store.claim(key):
                continue
            try:
                record = run_semi_task(task, method_for(task, method))
                if store.append(record):
                    yield record
            finally:
                store.release(key)


def _scores(fold: SemiFold, model: Any) -> dict[str, float]:
    unlabeled = fold.y < 0
    scores = {}
    for name, X, truth in (
        ("transductive", fold.X[unlabeled], fold.y_true[unlabeled]),
        ("inductive", fold.X_test, fold.y_test),
    ):
        predicted = np.asarray(model.predict(X))
        scores[f"{name}_accuracy"] = float(accuracy_score(truth, predicted))
        scores[f"{name}_macro_f1"] = float(
            f1_score(truth, predicted, average="macro", zero_division=0)
        )
    return scores
