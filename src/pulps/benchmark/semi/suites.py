"""The three suites of several classes: tables, images, and some classes without labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pulps.benchmark.semi.image_problems import semi_image_tasks
from pulps.benchmark.semi.image_rivals import IMAGE_METHODS
from pulps.benchmark.semi.open_set import OPEN_METHODS, open_tasks
from pulps.benchmark.semi.problems import semi_tasks
from pulps.benchmark.semi.rivals import METHODS, SemiMethod

SUITES: Mapping[str, Mapping[str, SemiMethod]] = {
    "semi": METHODS,
    "semi-images": IMAGE_METHODS,
    "open-set": OPEN_METHODS,
}


def find_semi_methods(names: Sequence[str] | None, suite: str = "semi") -> list[SemiMethod]:
    """Look methods up by name.

    Parameters
    ----------
    names
        Their names; None takes all.
    suite
        One of ``SUITES``.

    Returns
    -------
    list of SemiMethod
    """
    known = SUITES[suite]
    unknown = sorted(set(names or ()) - set(known))
    if unknown:
        raise ValueError(
            f"There is no method {', '.join(unknown)} for several classes. Known: "
            f"{', '.join(known)}."
        )
    return [known[name] for name in names or known]


def semi_suite_tasks(
    suite: str,
    datasets: Sequence[str] | None,
    counts: Sequence[float] | None,
    folds: Sequence[int] | None,
    seeds: Sequence[int],
) -> list[Any]:
    """List the tasks of a suite.

    Parameters
    ----------
    suite
        One of ``SUITES``.
    datasets
        Names; None takes all.
    counts
        Shares of labeled rows, labeled images per class, or numbers of known classes.
    folds
        Test folds; None takes the first three.
    seeds
        Seeds of folds and labels.

    Returns
    -------
    list
    """
    if suite == "semi":
        return semi_tasks(datasets, counts, folds, seeds)
    whole = None if counts is None else [int(count) for count in counts]
    if suite == "semi-images":
        return semi_image_tasks(datasets, whole, seeds)
    return open_tasks(datasets, whole, folds, seeds)
