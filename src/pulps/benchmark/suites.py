"""Named lists of tasks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import product

from pulps.benchmark.ablations import DATASETS
from pulps.benchmark.image_problems import CORE, GROUPS, N_LABELED, is_image_problem
from pulps.benchmark.protocol import Task
from pulps.benchmark.table_problems import (
    LABEL_FREQUENCIES as DEVELOP_FREQUENCIES,
)
from pulps.benchmark.table_problems import (
    MAX_TRAIN,
    RULES,
    is_table_problem,
    problem_names,
    problem_size,
)
from pulps.datasets import PAPER_TABLES, table_info
from pulps.datasets.toy import TOYS

SUITES = {
    "categorical": PAPER_TABLES,
    "missing": PAPER_TABLES,
    "ablations": DATASETS,
    "toy": TOYS,
    "develop": tuple(RULES),  # and what the folder has
    "images": GROUPS["every"],
}
LABEL_FREQUENCIES = (0.3, 0.4, 0.5)
MISSING = {"missing": (0.0, 0.1, 0.3, 0.5)}


def suite_tasks(
    suite: str,
    *,
    datasets: Sequence[str] | None = None,
    label_frequencies: Sequence[float] | None = None,
    folds: Sequence[int] | None = None,
    seeds: Sequence[int] = (0,),
    n_labeled: Sequence[int] = N_LABELED,
    data_home: str | os.PathLike[str] | None = None,
) -> list[Task]:
    """List the tasks of a suite, small data sets first.

    ``"categorical"`` is the paper's: 15 tables × 30, 40, 50 % × 10 folds. ``"toy"`` is the
    same on the three point sets and needs no data folder. ``"missing"`` runs the tables with
    0, 10, 30 and 50 % of the cells removed. ``"ablations"`` is a choice of small tables to
    compare variants of the default on. ``"images"`` is MNIST and Fashion-MNIST, one class
    against another and against the rest, with a number of labeled images instead of a share; by
    default a choice of problems; any other by name, and ``"every"``, ``"pairs"`` and
    ``"natural"`` stand for groups of them. Its seeds are sets of labels.
    ``"develop"`` runs every table of a folder with its larger and with its smaller class as the
    positive one, and generated rule tables, with at most 1,000 training rows.

    Parameters
    ----------
    suite
        Name of the suite.
    datasets
        Names of data sets; None takes all of the suite.
    label_frequencies
        Shares of the positives to label; None takes 30, 40 and 50 %, for ``"develop"`` 10 and
        30 %.
    folds
        Numbers of test folds; None takes all ten, for ``"develop"`` the first.
    seeds
        Seeds of folds and labels.
    n_labeled
        Numbers of labeled images, for the suite ``"images"``.
    data_home
        Folder of tables with a ``datasets.json``, for the suite ``"develop"``; None takes the
        folder ``develop`` in that of ``PULPS_DATA``.

    Returns
    -------
    list of Task
        The tasks.

    Examples
    --------
    >>> len(suite_tasks("categorical"))
    450
    """
    if suite not in SUITES:
        raise ValueError(f"There is no suite {suite!r}. Known: {', '.join(SUITES)}.")
    if label_frequencies is None:
        label_frequencies = DEVELOP_FREQUENCIES if suite == "develop" else LABEL_FREQUENCIES
    if folds is None:
        folds = (0,) if suite == "develop" else range(10)
    if suite == "develop":
        return _develop_tasks(datasets, label_frequencies, folds, seeds, data_home)
    if data_home is not None:
        raise ValueError(
            f"The suite {suite!r} has its own tables; a folder of tables is for the suite "
            "'develop'. Where files are looked for first is said by PULPS_DATA."
        )
    if datasets is None:
        datasets = CORE if suite == "images" else SUITES[suite]
    chosen = list(datasets)
    if suite == "images":
        chosen = list(dict.fromkeys(one for name in chosen for one in GROUPS.get(name, (name,))))
    unknown = sorted(set(chosen) - set(SUITES[suite]))
    if unknown:
        raise ValueError(
            f"{', '.join(unknown)} is not in the suite {suite!r}. Known: "
            f"{', '.join(SUITES[suite])}."
        )
    if suite == "images":
        return [
            Task(name, n_labeled=n, seed=seed, fold_scheme="original", n_folds=1)
            for seed, name, n in product(seeds, chosen, n_labeled)
        ]
    chosen.sort(key=size)
    return [
        Task(name, label_frequency=frequency, fold=fold, seed=seed, missing=share)
        for name, seed, frequency, share, fold in product(
            chosen, seeds, label_frequencies, MISSING.get(suite, (0.0,)), folds
        )
    ]


def _develop_tasks(
    datasets: Sequence[str] | None,
    label_frequencies: Sequence[float],
    folds: Sequence[int],
    seeds: Sequence[int],
    data_home: str | os.PathLike[str] | None,
) -> list[Task]:
    names, folder = problem_names(datasets, None if data_home is None else os.fspath(data_home))
    names.sort(key=lambda name: problem_size(name, folder))
    return [
        Task(
            name,
            label_frequency=frequency,
            fold=fold,
            seed=seed,
            max_train=MAX_TRAIN,
            data_home=None if name.endswith(":rule") else folder,
        )
        for name, seed, frequency, fold in product(names, seeds, label_frequencies, folds)
    ]


def size(dataset: str, data_home: str | None = None) -> int:
    """Estimate the work that a data set makes by its number of cells.

    Parameters
    ----------
    dataset
        Its name.
    data_home
        Folder of the tables of the suite ``"develop"``.

    Returns
    -------
    int
        Rows times attributes.

    Examples
    --------
    >>> size("iris"), size("moons")
    (400, 2000)
    """
    if dataset in TOYS:
        return 2000
    if is_table_problem(dataset):
        return problem_size(dataset, data_home)
    if is_image_problem(dataset):
        return (60000 if dataset.endswith("-all") else 12000) * 28 * 28
    here = table_info(dataset).here
    return (here.positive + here.negative) * here.attributes
