"""Named lists of tasks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from pulps.benchmark.ablations import DATASETS
from pulps.benchmark.protocol import Task
from pulps.datasets import PAPER_TABLES, table_info
from pulps.datasets.toy import TOYS

SUITES = {
    "categorical": PAPER_TABLES,
    "missing": PAPER_TABLES,
    "ablations": DATASETS,
    "toy": TOYS,
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
) -> list[Task]:
    """List the tasks of a suite, small data sets first.

    ``"categorical"`` is the paper's: 15 tables × 30, 40, 50 % × 10 folds. ``"toy"`` is the
    same on the three point sets and needs no data folder. ``"missing"`` runs the tables with
    0, 10, 30 and 50 % of the cells removed. ``"ablations"`` is a choice of small tables to
    compare variants of the default on.

    >>> len(suite_tasks("categorical"))
    450
    """
    if suite not in SUITES:
        raise ValueError(f"There is no suite {suite!r}. Known: {', '.join(SUITES)}.")
    chosen = list(SUITES[suite] if datasets is None else datasets)
    unknown = sorted(set(chosen) - set(SUITES[suite]))
    if unknown:
        raise ValueError(
            f"{', '.join(unknown)} is not in the suite {suite!r}. Known: "
            f"{', '.join(SUITES[suite])}."
        )
    chosen.sort(key=size)
    return [
        Task(name, label_frequency=frequency, fold=fold, seed=seed, missing=share)
        for name, seed, frequency, share, fold in product(
            chosen, seeds, label_frequencies, MISSING.get(suite, (0.0,)), folds
        )
    ]


def size(dataset: str) -> int:
    """Cells of a data set, a rough measure of the work.

    >>> size("iris"), size("moons")
    (400, 2000)
    """
    if dataset in TOYS:
        return 2000
    here = table_info(dataset).here
    return (here.positive + here.negative) * here.attributes
