"""Variants of the default that no parameter makes; :mod:`pulps.benchmark.ablations` lists them.

The rules themselves are in :mod:`pulps.benchmark.variant_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pulps.benchmark.variant_rules import (
    SwapNoise,
    agreement_weights,
    labels_of_the_others,
    late_labels,
    soft_labels,
)
from pulps.decision.selection import kappa_matrix
from pulps.estimators.table import LPSClassifier
from pulps.training.loop import Recipe


class ChangedRecipe(LPSClassifier):
    """The default with some fields of its recipe replaced."""

    changes: Mapping[str, Any] = {}

    def _recipe(self, labeled) -> Recipe:
        return replace(super()._recipe(labeled), **self.changes)


class SoftLabels(ChangedRecipe):
    """Unlabeled rows count for both classes, by a logistic function of the log-ratio.

    The loss places rows at log-ratios of squared norms of 55. With a softness of 5, rows that
    have arrived there count for one class only, and rows on their way for both.
    """

    changes = {"sides": partial(soft_labels, softness=5.0)}


class LateLabels(ChangedRecipe):
    """Unlabeled rows have no pseudo-label in the first fifth of the epochs."""

    changes = {"sides": partial(late_labels, begin=0.2)}


class CoTraining(ChangedRecipe):
    """Each half of the members takes its pseudo-labels from the other half."""

    changes = {"sides": labels_of_the_others}


class WeightAveraging(ChangedRecipe):
    """Cores are averaged over the last quarter of the epochs."""

    changes = {"average_last": 0.25}


class SwappedCells(LPSClassifier):
    """In every step, one cell in ten is taken from another row."""

    def _augment(self, values) -> SwapNoise:
        return SwapNoise(0.1, len(self.encoder_.columns_))


class AgreementWeighted(LPSClassifier):
    """Members count by their mean κ with the others on the training rows.

    The threshold stays that of the plain mean.
    """

    def _fit_encoded(self, values, labeled, weights):
        super()._fit_encoded(values, labeled, weights)
        votes = self._scores(values) > self.threshold_report_.threshold
        self.member_weights_ = agreement_weights(kappa_matrix(votes))
        return self

    def _scores(self, values: np.ndarray) -> np.ndarray:
        return self._ratios(values) / self.member_scales_[:, None]

    def _decision(self, values: np.ndarray) -> np.ndarray:
        return self.member_weights_ @ self._scores(values) - self.threshold_report_.threshold
