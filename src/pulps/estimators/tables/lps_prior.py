"""The share of positives as the tensor network sees it: from labels its members were not shown.

Each member of an ensemble takes a part of the labeled rows for unlabeled ones; how it scores
them is how it scores hidden positives, and best bin estimation follows, drawn towards one half
where the labels are few (:mod:`pulps.decision.held_out`). The prior enters the training itself
(:mod:`pulps.decision.learned_prior`), so scores and estimate fit each other.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from pulps.decision import AgreementWarning
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.priors.estimator import Estimate, PriorEstimator


class LPSPrior(PriorEstimator):
    """Estimate the share of positives with an ``LPSClassifier`` and labels it was not shown.

    Parameters
    ----------
    classifier : LPSClassifier or None, default=None
        The model to fit, None for the default one. Its ``scenario`` and ``random_state`` are
        set from here.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the table came about; decides what ``prior_`` and ``label_frequency_`` are.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    random_state : int, RandomState or None, default=None
        Seed of the model.

    Attributes
    ----------
    prior_ : float
        Share of positives in the population.
    prior_of_unlabeled_ : float
        Share of positives among the unlabeled rows.
    label_frequency_ : float
        Chance of a positive to be labeled; NaN in case-control.
    interval_ : (float, float)
        For ``prior_of_unlabeled_``: where nine in ten resamples of the labeled rows fall;
        (0, 1) with fewer than eight labels, of which none is held out.
    diagnostics_ : dict
        Counts of rows, the ``classifier`` fitted, and what was doubted, as ``warnings``.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y_true = make_blobs(200, centers=[[0, 0], [6, 6]], random_state=0)
    >>> y = np.where(np.arange(200) % 2 == 0, y_true, 0)
    >>> quick = LPSClassifier(n_members=4, max_epochs=40)
    >>> abs(LPSPrior(quick, random_state=0).fit(X, y).prior_ - 0.5) < 0.1
    True
    """

    _parameter_constraints = {
        name: constraint
        for name, constraint in PriorEstimator._parameter_constraints.items()
        if name != "confidence"
    } | {"classifier": [LPSClassifier, None]}

    def __init__(
        self,
        classifier: LPSClassifier | None = None,
        *,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.classifier = classifier
        self.scenario = scenario
        self.pos_label = pos_label
        self.random_state = random_state

    def _estimate(self, X: Any, labeled: np.ndarray, rng: np.random.RandomState) -> Estimate:
        model = LPSClassifier() if self.classifier is None else clone(self.classifier)
        model.set_params(
            scenario=self.scenario, random_state=int(rng.randint(np.iinfo(np.int32).max))
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", AgreementWarning)
            model.fit(X, labeled.astype(int))
        report = model.threshold_report_
        estimate, (low, high) = report.prior_of_unlabeled, report.prior_interval
        doubts = []
        for warning in caught:
            if issubclass(warning.category, AgreementWarning):
                doubts.append(str(warning.message))
            else:
                warnings.warn_explicit(
                    warning.message, warning.category, warning.filename, warning.lineno
                )
        return Estimate(
            estimate,
            (min(low, estimate), max(high, estimate)),
            {"classifier": model, "warnings": doubts},
        )
