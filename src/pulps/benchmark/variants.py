"""Variants that no parameter makes; :mod:`pulps.benchmark.ablations` lists them.

They are of the states on their own, so they are made with ``first_guess=None``.

The rules themselves are in :mod:`pulps.benchmark.variant_rules`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from pulps.benchmark.variant_rules import (
    AveragedCores,
    SwapNoise,
    agreement_weights,
    labels_of_the_others,
    late_labels,
)
from pulps.decision.rule import DecisionRule
from pulps.decision.selection import kappa_matrix
from pulps.estimators.recipes.recipe import Recipe
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.estimators.tables.fit import EncodedTable
from pulps.estimators.tables.guess import Teacher
from pulps.tables.embedding import Embedding
from pulps.training.loop import LoopSettings
from pulps.training.pseudo_labels import soft_pseudo_labels


class ChangedSettings(LPSClassifier):
    """A classifier with some settings of its training loop replaced."""

    changes: Mapping[str, Any] = {}

    def _settings(self, table: EncodedTable, recipe: Recipe) -> LoopSettings:
        return replace(super()._settings(table, recipe), **self.changes)


class SoftLabels(ChangedSettings):
    """Unlabeled rows count for both classes, by a logistic function of the log-ratio.

    The loss places rows at log-ratios of squared norms of 55. With a softness of 5, rows that
    have arrived there count for one class only, and rows on their way for both.
    """

    changes = {"pseudo_labels": partial(soft_pseudo_labels, softness=5.0)}


class LateLabels(ChangedSettings):
    """Unlabeled rows have no pseudo-label in the first fifth of the epochs."""

    changes = {"pseudo_labels": partial(late_labels, begin=0.2)}


class CoTraining(ChangedSettings):
    """Each half of the members takes its pseudo-labels from the other half."""

    changes = {"pseudo_labels": labels_of_the_others}


class WeightAveraging(LPSClassifier):
    """Cores are averaged over the last quarter of the epochs."""

    def _settings(self, table: EncodedTable, recipe: Recipe) -> LoopSettings:
        return replace(super()._settings(table, recipe), after_epoch=AveragedCores(0.25))


class SwappedCells(LPSClassifier):
    """In every step, one cell in ten is taken from another row."""

    def _augment(self, table: EncodedTable, embedding: Embedding) -> SwapNoise:
        return SwapNoise(0.1, embedding.n_columns)


@dataclass(frozen=True)
class WeightedRule(DecisionRule):
    """A decision in which some members count more."""

    weights: np.ndarray

    def decision(self, log_ratios: np.ndarray) -> np.ndarray:
        """Decision of all members together, shape (rows,).

        Parameters
        ----------
        log_ratios
            What each member says of each row.

        Returns
        -------
        array
            Above zero where positive.
        """
        return self.weights @ (log_ratios / self.scales[:, None]) - self.threshold


class AgreementWeighted(LPSClassifier):
    """Members count by their mean κ with the others on the training rows.

    The threshold stays that of the plain mean.
    """

    member_weights_: np.ndarray

    def fit_encoded(self, table: EncodedTable, teacher: Teacher | None = None) -> Self:
        """Learn from encoded rows, and weigh the members.

        Parameters
        ----------
        table
            Encoded rows and their labels.
        teacher
            What members follow besides the labels; None for nothing.

        Returns
        -------
        self
            Fitted.
        """
        if hasattr(self, "member_weights_"):
            del self.member_weights_
        super().fit_encoded(table, teacher)
        votes = self.decision_rule.member_decisions(self.states.log_ratios(table.values)) > 0
        self.member_weights_ = agreement_weights(kappa_matrix(votes))
        return self

    @property
    def decision_rule(self) -> DecisionRule:
        """How log-ratios of the members become a decision and a probability."""
        plain = super().decision_rule
        if not hasattr(self, "member_weights_"):
            return plain
        return WeightedRule(plain.scales, plain.threshold, plain.slope, self.member_weights_)
