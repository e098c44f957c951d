"""The methods that are compared, each by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline

from pulps.baselines import (
    ElkanNotoClassifier,
    NNPUClassifier,
    PUBaggingClassifier,
    SpyClassifier,
)
from pulps.estimators import LPSClassifier, PUClassifier
from pulps.io.naming import quoted
from pulps.tables.table_matrix import TableMatrix

NAIVE = "naive forest"


def _naive(**known: Any) -> Any:
    """Return a forest that takes every unlabeled row for a negative."""
    forest = RandomForestClassifier(
        200, class_weight="balanced_subsample", random_state=known["random_state"]
    )
    return make_pipeline(TableMatrix(), forest)


def _with(kind: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Return a maker that passes on only what a class takes."""
    return lambda **known: kind(**{name: known[name] for name in ("random_state", *names)})


CONTENDERS: dict[str, Callable[..., Any]] = {
    NAIVE: _naive,
    "Elkan–Noto": _with(ElkanNotoClassifier, "scenario"),
    "PU bagging": _with(PUBaggingClassifier, "scenario"),
    "spies": _with(SpyClassifier),
    "nnPU": _with(NNPUClassifier, "scenario"),
    "PUClassifier": _with(PUClassifier, "scenario"),
    "LPSClassifier": _with(LPSClassifier, "scenario"),
}
DEFAULT_CONTENDERS = tuple(name for name in CONTENDERS if name != "LPSClassifier")


def make_contenders(
    methods: Sequence[str | tuple[str, Any]] | None, scenario: str, seed: int
) -> dict[str, Any]:
    """Make the methods to compare, not fitted.

    Parameters
    ----------
    methods
        Names of :data:`CONTENDERS`, or pairs of a name and a classifier; None takes
        :data:`DEFAULT_CONTENDERS`.
    scenario
        How the rows were drawn.
    seed
        Seed of the methods made here.

    Returns
    -------
    dict
        Classifiers by name.
    """
    found: dict[str, Any] = {}
    for one in DEFAULT_CONTENDERS if methods is None else methods:
        if isinstance(one, str):
            by_word = {name.lower().replace("–", "-"): name for name in CONTENDERS}
            name = by_word.get(one.lower().replace("–", "-"), one)
            if name not in CONTENDERS:
                raise ValueError(
                    f"methods holds {quoted(one)}; expected one of {', '.join(CONTENDERS)}, or a "
                    "pair of a name and a classifier."
                )
            model = CONTENDERS[name](scenario=scenario, random_state=seed)
        else:
            name, model = one[0], clone(one[1])
        if name in found:
            raise ValueError(
                f"methods names {quoted(name)} more than once; every name must differ."
            )
        found[name] = model
    if len(found) < 2:
        raise ValueError(
            f"methods names {len(found)} method{'s' * (len(found) != 1)}; a comparison needs two."
        )
    return found
