"""Positive-unlabeled learning with locally purified states.

The house, from the ground up:

========================================  =====================================================
:mod:`pulps.labels`, :mod:`pulps.io`      what y means; files, workers, other libraries' insides
:mod:`pulps.network`, `pulps.metrics`     the tensor network; scores from PU labels
:mod:`pulps.tables`, :mod:`pulps.images`  rows become sites, and sites become rows again
:mod:`pulps.training`                     how states learn from labeled and unlabeled rows
:mod:`pulps.priors`                       how many rows are positive
:mod:`pulps.decision`                     who is kept, where to cut, how sure
:mod:`pulps.views`                        cheap honest opinions on a table, and their consensus
:mod:`pulps.report`                       one page that tells what was learned
:mod:`pulps.estimators`                   what users fit
`baselines`, `datasets`, `tuning`,        rivals; data; searches; large tables; pictures
`scale`, `displays`
`benchmark`, `studio`, `cli`              the evidence; the web page; the commands
========================================  =====================================================

Read in this order: :mod:`pulps.network.basis`, a value becomes a vector;
:mod:`pulps.network.lps`, the chain and its sweep; :mod:`pulps.training.loss`, where rows
should be; :mod:`pulps.training.loop`, how they get there; :mod:`pulps.estimators.table`, one
call for tables; :mod:`pulps.estimators.image`, one for images;
:mod:`pulps.estimators.consensus`, the answer for tables.
"""

from pulps.estimators import (
    ImageRecipe,
    LPSClassifier,
    LPSImageClassifier,
    LPSPrior,
    PUClassifier,
    Recipe,
    load_model,
)
from pulps.labels import hide_labels
from pulps.training.loss import LossWeights

__version__ = "0.4.0.dev0"
__all__ = [
    "ImageRecipe",
    "LPSClassifier",
    "LPSImageClassifier",
    "LPSPrior",
    "LossWeights",
    "PUClassifier",
    "Recipe",
    "hide_labels",
    "load_model",
]
