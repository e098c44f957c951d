"""Which runs the page of each suite shows: what ``pulps bench page`` does before it writes one.

Methods that take long run on fewer folds or tables; the tables of a page say so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pulps.benchmark.image_problems import CORE, MNIST_CORE
from pulps.datasets import PAPER_TABLES

DEFAULT_METHODS = ("lps-default", "all-positive", "all-negative")
CONSTANT = ("all-positive", "all-negative")
STRONG = ("spies", "elkan-noto", "elkan-noto-weighted", "nnpu", "pu-bagging", "pu-extra-trees")
BAYES = ("pnb", "apnb", "ptan", "aptan")
SLOW = ("dist-pu", "gpu", "luhc", "one-class-lps", "ted-n", "upu", "vpu")
GANS = ("cgenpu", "cgenpu-ac", "d-gan", "genpu", "pgan")
FILLED = ("lps-mean-filled", "lps-knn-filled")
LARGE = ("chess", "mushroom", "nursery", "spambase")
SMALL = tuple(name for name in PAPER_TABLES if name not in LARGE)


class Part(NamedTuple):
    """Some methods on some tasks of a suite.

    Parameters
    ----------
    methods
        Names; None for the suite's default.
    choices
        What :func:`pulps.benchmark.suites.suite_tasks` is told.
    """

    methods: tuple[str, ...] | None
    choices: dict[str, Any]


def _part(*methods: str, **choices: Any) -> Part:
    return Part(methods or None, choices)


PLANS: dict[str, tuple[tuple[str, Part], ...]] = {
    suite: tuple((suite, part) for part in parts)
    for suite, parts in {
        "categorical": (
            _part("pu-default", "lps-default", *CONSTANT, *STRONG, *BAYES, "pulce"),
            _part("lps-paper", datasets=SMALL),
            _part("lps-paper", datasets=LARGE, folds=[0], label_frequencies=[0.3]),
            _part(*SLOW, datasets=SMALL, folds=range(5)),
            _part(*SLOW, datasets=LARGE, folds=[0]),
            _part(*GANS, datasets=SMALL, folds=[0], label_frequencies=[0.3]),
        ),
        "develop": (
            _part("pu-default", "lps-default", *CONSTANT, *STRONG, folds=range(2)),
            _part("elkan-noto-trees", *BAYES, "pulce", *SLOW),
        ),
        "missing": (
            _part(
                "lps-default", *FILLED, "elkan-noto-trees", folds=range(3), label_frequencies=[0.3]
            ),
        ),
        "ablations": (_part("ablations", seeds=[1], folds=range(5), label_frequencies=[0.3]),),
        "images": (
            _part("lps-images", "label-spreading-upright", datasets=["every"]),
            _part("lps-images", "label-spreading-upright", datasets=MNIST_CORE, seeds=[1, 2]),
            _part("label-spreading", datasets=CORE),
            _part("elkan-noto-pixels", datasets=CORE, n_labeled=[100, 10]),
            _part("nnpu-cnn", "vpu-cnn", datasets=MNIST_CORE),
        ),
    }.items()
}
PLANS["semi"] = tuple((suite, _part()) for suite in ("semi", "semi-images", "open-set"))


def how_to_make(suite: str) -> str:
    """Tell readers of a page how it is made.

    Parameters
    ----------
    suite
        Name of the suite that the page is about.

    Returns
    -------
    str
        Markdown.
    """
    return f"""\
This page is generated from the records in the store; do not edit it. One command runs what is
missing of all that it shows, and writes it:

```sh
PULPS_DATA=path/to/data pulps bench page {suite}
```
"""


def plan_of(suite: str) -> Sequence[tuple[str, Part]]:
    """Look up what a page shows.

    Parameters
    ----------
    suite
        Name of the suite that the page is about.

    Returns
    -------
    sequence of (suite, Part)
        In the order of running.

    Examples
    --------
    >>> [part.methods for _, part in plan_of("ablations")]
    [('ablations',)]
    """
    if suite not in PLANS:
        raise ValueError(f"No page is planned for {suite!r}. Known: {', '.join(PLANS)}.")
    return PLANS[suite]
