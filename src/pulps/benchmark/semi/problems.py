"""Tables with all their classes, and which of their rows are labeled in a fold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pulps.datasets import load_dataset
from pulps.datasets.folder import load_folder_classes, table_folder

OF_PAPER = ("audiology", "soybean", "dermatology", "nursery", "lymph", "iris")
OF_FOLDER = (
    *("hayes-roth", "tae", "wine", "contraceptive", "vowel", "segment", "led7digit", "libras"),
    *("optdigits", "texture"),
)
TABLES = (*OF_PAPER, *OF_FOLDER)
LABELED_SHARES = (0.1, 0.2, 0.3, 0.4)
N_FOLDS, MAX_TRAIN = 10, 1000


@dataclass(frozen=True)
class SemiTask:
    """One fold of one table with some labels.

    Parameters
    ----------
    dataset
        One of ``TABLES``.
    label_frequency
        Share of the training rows that is labeled, class by class and at least one of each.
    fold
        Test fold, from 0.
    seed
        Draws folds and labels.
    """

    dataset: str
    label_frequency: float
    fold: int = 0
    seed: int = 0

    @property
    def id(self) -> str:
        """One line that names the task, the same in every run.

        >>> SemiTask("iris", 0.1, fold=2).id
        'iris labeled=0.1 all-classes stratified-10 seed=0 fold=2 train=1000'
        """
        return (
            f"{self.dataset} labeled={self.label_frequency:g} all-classes stratified-{N_FOLDS} "
            f"seed={self.seed} fold={self.fold} train={MAX_TRAIN}"
        )

    @property
    def model_seed(self) -> int:
        """Seed for the estimator."""
        return int(np.random.SeedSequence([self.seed, self.fold]).generate_state(1)[0])

    def describe(self) -> dict[str, Any]:
        """Name the task in a record.

        Returns
        -------
        dict
        """
        return {
            "task": self.id,
            "dataset": self.dataset,
            "label_frequency": self.label_frequency,
            "fold": self.fold,
            "seed": self.seed,
            "max_train": MAX_TRAIN,
        }

    def load(self) -> SemiFold:
        """Split the table and hide labels, see :func:`make_semi_fold`.

        Returns
        -------
        SemiFold
        """
        return make_semi_fold(self)


class SemiFold(NamedTuple):
    """What a task trains and tests on; ``y`` are labels, -1 where there is none."""

    X: Any
    y: np.ndarray
    y_true: np.ndarray
    X_test: Any
    y_test: np.ndarray


def semi_tasks(
    datasets: Sequence[str] | None = None,
    label_frequencies: Sequence[float] | None = None,
    folds: Sequence[int] | None = None,
    seeds: Sequence[int] = (0,),
) -> list[SemiTask]:
    """List the tasks: fold by fold, few labels first.

    Parameters
    ----------
    datasets
        Names of tables; None takes all sixteen.
    label_frequencies
        Shares of the training rows to label; None takes 10, 20, 30 and 40 %.
    folds
        Numbers of test folds; None takes the first three.
    seeds
        Seeds of folds and labels.

    Returns
    -------
    list of SemiTask

    Examples
    --------
    >>> len(semi_tasks())
    192
    """
    unknown = sorted(set(datasets or ()) - set(TABLES))
    if unknown:
        raise ValueError(
            f"{', '.join(unknown)} is not in the suite 'semi'. Known: {', '.join(TABLES)}."
        )
    shares = LABELED_SHARES if label_frequencies is None else label_frequencies
    return [
        SemiTask(name, share, fold, seed)
        for seed, fold, share, name in product(
            seeds, range(3) if folds is None else folds, shares, datasets or TABLES
        )
    ]


def make_semi_fold(task: SemiTask) -> SemiFold:
    """Split a table and hide labels.

    Rows are dealt to folds class by class; of more than 1,000 training rows that many are drawn,
    class by class as well.

    Parameters
    ----------
    task
        The task.

    Returns
    -------
    SemiFold
        Classes are numbers in the order of their names.
    """
    X, names = load_classes(task.dataset)
    y = np.unique(names, return_inverse=True)[1]
    fold_of = _deal(y, N_FOLDS, np.random.RandomState(task.seed))
    train = np.flatnonzero(fold_of != task.fold)
    test = np.flatnonzero(fold_of == task.fold)
    rng = np.random.RandomState(1000 * task.seed + task.fold)
    if len(train) > MAX_TRAIN:
        train = train[_of_each_class(y[train], MAX_TRAIN / len(train), rng)]
    y_true = y[train]
    labels = np.full(len(train), -1)
    labeled = _of_each_class(y_true, task.label_frequency, rng)
    labels[labeled] = y_true[labeled]
    return SemiFold(X.iloc[train], labels, y_true, X.iloc[test], y[test])


@lru_cache(maxsize=16)
def load_classes(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Load a table with all its classes.

    Parameters
    ----------
    name
        One of ``TABLES``.

    Returns
    -------
    X, y
        Attributes, and the name of the class of every row.
    """
    if name in OF_PAPER:
        X, y = load_dataset(name, classes="all").X, load_dataset(name, classes="all").y
        return X, y
    return load_folder_classes(table_folder(), name)


def _deal(y: np.ndarray, n_folds: int, rng: np.random.RandomState) -> np.ndarray:
    """Deal rows to folds, one class after the other."""
    folds, start = np.empty(len(y), dtype=int), 0
    for one in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == one))
        folds[rows] = (start + np.arange(len(rows))) % n_folds
        start += len(rows)
    return folds


def _of_each_class(y: np.ndarray, share: float, rng: np.random.RandomState) -> np.ndarray:
    """Row numbers of a share of every class, at least one of each."""
    chosen = []
    for one in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == one))
        chosen.append(rows[: max(1, round(share * len(rows)))])
    return np.sort(np.concatenate(chosen))
