"""Named lists of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from pulps.benchmark.ablations import DATASETS
from pulps.benchmark.image_problems import ALL_PAIRS, CORE, N_LABELED, is_image_problem
from pulps.benchmark.protocol import Task
from pulps.datasets import PAPER_TABLES, table_info
from pulps.datasets.toy import TOYS

SUITES = {
    "categorical": PAPER_TABLES,
    "missing": PAPER_TABLES,
    "ablations": DATASETS,
    "toy": TOYS,
    "images": (*CORE, *(name for name in ALL_PAIRS if name not in CORE)),
}
LABEL_FREQUENCIES = (0.3, 0.4, 0.5)
MISSING = {"missing": (0.0, 0.1, 0.3, 0.5)}


def suite_tasks(
    suite: str,
    *,
    datasets: Sequence[str] | None = None,
    label_frequencies: Sequence[float] = LABEL_FREQUENCIES,
    folds: Sequence[int] = tuple(range(10)),
    seeds: Sequence[int] = (0,),
    n_labeled: Sequence[int] = N_LABELED,
) -> list[Task]:
    """List the tasks of a suite, small data sets first.

    ``"categorical"`` is the paper's: 15 tables × 30, 40, 50 % × 10 folds. ``"toy"`` is the
    same on the three point sets and needs no data folder. ``"missing"`` runs the tables with
    0, 10, 30 and 50 % of the cells removed. ``"ablations"`` is a choice of small tables to
    compare variants of the default on. ``"images"`` is MNIST and Fashion-MNIST, one class
    against another and against the rest, with a number of labeled images instead of a share; by
    default a choice of problems, and any pair of digits by name. Its seeds are sets of labels.

    Parameters
    ----------
    suite
        Name of the suite.
    datasets
        Names of data sets; None takes all of the suite.
    label_frequencies
        Shares of the positives to label.
    folds
        Numbers of test folds.
    seeds
        Seeds of folds and labels.
    n_labeled
        Numbers of labeled images, for the suite ``"images"``.

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
    if datasets is None:
        datasets = CORE if suite == "images" else SUITES[suite]
    chosen = list(datasets)
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


def size(dataset: str) -> int:
    """Estimate the work that a data set makes by its number of cells.

    Parameters
    ----------
    dataset
        Its name.

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
    if is_image_problem(dataset):
        return 12000 * 28 * 28
    here = table_info(dataset).here
    return (here.positive + here.negative) * here.attributes
