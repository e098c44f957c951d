"""The methods that can be run by name. Heavy imports happen when a method is used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from pulps.benchmark.protocol import Method, Task


def _lps_default(task: Task) -> Any:
    from pulps.classifier import LPSClassifier

    return LPSClassifier(random_state=task.model_seed)


def _lps_paper(task: Task) -> Any:
    from pulps.classifier import LPSClassifier

    return LPSClassifier.from_paper(task.dataset, random_state=task.model_seed)


def _all_positive(task: Task) -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier(strategy="constant", constant=1)


def _all_negative(task: Task) -> Any:
    from sklearn.dummy import DummyClassifier

    return DummyClassifier(strategy="constant", constant=0)


def _baseline(kind: str, **options: Any) -> Callable[[Task], Any]:
    """Make a factory of a class of :mod:`pulps.baselines`, imported when it is called."""

    def make(task: Task) -> Any:
        estimator = getattr(import_module("pulps.baselines"), kind)
        options_of_task = dict(options)
        if "scenario" in estimator().get_params():
            options_of_task["scenario"] = task.scenario
        return estimator(random_state=task.model_seed, **options_of_task)

    return make


METHODS = {
    method.name: method
    for method in (
        Method("lps-default", _lps_default, "LPS (default)"),
        Method("lps-paper", _lps_paper, "LPS (paper)"),
        Method("all-positive", _all_positive, "all positive"),
        Method("all-negative", _all_negative, "all negative"),
        Method("dist-pu", _baseline("DistPUClassifier"), "Dist-PU"),
        Method("elkan-noto", _baseline("ElkanNotoClassifier"), "Elkan–Noto"),
        Method(
            "elkan-noto-weighted",
            _baseline("ElkanNotoClassifier", weighted=True),
            "Elkan–Noto (weighted)",
        ),
        Method("nnpu", _baseline("NNPUClassifier"), "nnPU"),
        Method("one-class-lps", _baseline("OneClassLPS"), "one-class LPS"),
        Method("pu-bagging", _baseline("PUBaggingClassifier"), "PU bagging"),
        Method("pu-extra-trees", _baseline("PUExtraTreesClassifier"), "PU extra-trees"),
        Method("spies", _baseline("SpyClassifier"), "spies"),
        Method("ted-n", _baseline("TEDnClassifier"), "(TED)ⁿ"),
        Method("upu", _baseline("UPUClassifier"), "uPU"),
        Method("vpu", _baseline("VPUClassifier"), "VPU"),
    )
}


def find_method(name: str) -> Method:
    """Look a method up by name, or import one of yours as ``module:attribute``.

    >>> find_method("all-positive").title
    'all positive'
    """
    if name in METHODS:
        return METHODS[name]
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(
            f"There is no method {name!r}. Known: {', '.join(METHODS)}. Your own method is named "
            "module:attribute, where the attribute is a pulps.benchmark.protocol.Method."
        )
    method = getattr(import_module(module), attribute)
    if not isinstance(method, Method):
        raise ValueError(f"{name} is a {type(method).__name__}, not a Method.")
    return method


def title(name: str) -> str:
    """Name of a method for people."""
    return METHODS[name].title if name in METHODS else name
