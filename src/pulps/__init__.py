"""Positive-unlabeled learning with locally purified states.

The house, from the ground up:

========================================  =====================================================
:mod:`pulps.labels`, :mod:`pulps.io`      what y means; files, workers, other libraries' insides
:mod:`pulps.kernel`                       the compiled kernel, called on arrays
:mod:`pulps.network`, `pulps.metrics`     the tensor network; scores from PU labels
:mod:`pulps.tables`, :mod:`pulps.images`  rows become sites, and sites become rows again
:mod:`pulps.training`                     how states learn from labeled and unlabeled rows
:mod:`pulps.priors`                       how many rows are positive
:mod:`pulps.decision`                     who is kept, where to cut, how sure
:mod:`pulps.views`                        cheap honest opinions on a table, and their consensus
:mod:`pulps.report`                       one page that tells what was learned
:mod:`pulps.estimators`, `pulps.score`    what users fit; what scores without PyTorch
`baselines`, `datasets`, `tuning`,        rivals; data; searches; large tables; pictures
`scale`, `displays`
`benchmark`, `comparison`, `studio`,      the evidence; methods on your table; the web page;
`cli`, `mlflow`                           the commands; models in MLflow
========================================  =====================================================

Read in this order: :mod:`pulps.network.basis`, a value becomes a vector;
:mod:`pulps.network.lps`, the chain and its sweep; :mod:`pulps.training.loss`, where rows
should be; :mod:`pulps.training.loop`, how they get there;
:mod:`pulps.estimators.tables.classifier`, one call for tables;
:mod:`pulps.estimators.images.classifier`, one for images;
:mod:`pulps.estimators.tables.consensus`, the answer for tables.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # imported when first asked for, so that commands start at once
    from pulps.comparison import compare
    from pulps.estimators import (
        ImageRecipe,
        LPSClassifier,
        LPSImageClassifier,
        LPSPrior,
        LPSSemiSupervisedClassifier,
        LPSSemiSupervisedImageClassifier,
        PUClassifier,
        Recipe,
        check_drift,
        load_model,
        trusted_types,
    )
    from pulps.labels import hide_labels, stack_pu
    from pulps.training.loss import LossWeights

__version__ = "1.0.0"
__all__ = [
    "ImageRecipe",
    "LPSClassifier",
    "LPSImageClassifier",
    "LPSPrior",
    "LPSSemiSupervisedClassifier",
    "LPSSemiSupervisedImageClassifier",
    "LossWeights",
    "PUClassifier",
    "Recipe",
    "check_drift",
    "compare",
    "hide_labels",
    "load_model",
    "stack_pu",
    "trusted_types",
]

_HOMES = {
    "LossWeights": "pulps.training.loss",
    "compare": "pulps.comparison",
    "hide_labels": "pulps.labels",
    "stack_pu": "pulps.labels",
}

if not TYPE_CHECKING:  # type checkers know every name, and should refuse any other

    def __getattr__(name: str) -> Any:
        if name in __all__:
            home = importlib.import_module(_HOMES.get(name, "pulps.estimators"))
            return globals().setdefault(name, getattr(home, name))
        if name in _packages():
            return importlib.import_module(f"pulps.{name}")
        raise AttributeError(
            f"module 'pulps' has no attribute {name!r}", name=name, obj=sys.modules[__name__]
        )  # both for the interpreter, which looks for a name like it


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_packages()})


def _packages() -> set[str]:
    return {found.name for found in pkgutil.iter_modules(__path__)} - {"__main__"}
