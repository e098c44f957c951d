r"""Which rows were labeled: a classifier of labeled against unlabeled rows, honest about itself.

Several methods start from :math:`f(x) = P(s = 1 \mid x)`, the probability that a row is
labeled, and need its values on rows that the classifier was not fitted on. A forest has
them for free, out of its bags; any other classifier is cross-validated.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import logit
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

CLIP = 0.01


def default_forest(*, oob_score: bool = True) -> RandomForestClassifier:
    """Forest of 200 trees with at least five rows a leaf, which keeps its out-of-bag values."""
    return RandomForestClassifier(n_estimators=200, min_samples_leaf=5, oob_score=oob_score)


def seeded(estimator, rng: np.random.RandomState):
    """Copy an estimator; if it draws random numbers and has no seed, give it one."""
    copy = clone(estimator)
    if copy.get_params().get("random_state", 0) is None:
        copy.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
    return copy


class LabelModel(NamedTuple):
    """A fitted classifier of labeled rows, its calibration, and its values on unseen rows.

    Attributes
    ----------
    classifier
        Fitted on all rows.
    calibration
        Fitted on ``held_out``, or None.
    held_out
        Calibrated :math:`f` of each training row, from classifiers that did not see it.
    """

    classifier: object
    calibration: object
    held_out: np.ndarray

    def probability(self, features: np.ndarray) -> np.ndarray:
        """Probability that a row is labeled, for new rows."""
        return _calibrated(self.calibration, labeled_column(self.classifier, features))


def fit_label_model(
    estimator, features: np.ndarray, labeled: np.ndarray, *, calibration, n_folds: int, rng
) -> LabelModel:
    """Fit a classifier of labeled against unlabeled rows, and calibrate it.

    Parameters
    ----------
    estimator
        A probabilistic classifier; None takes :func:`default_forest`.
    features, labeled
        Dense rows, and the mask of labeled ones.
    calibration
        ``"sigmoid"``: a logistic function of the log-odds, which leaves probabilities that
        are right already as they are; ``"isotonic"``; or None. Fitted on held-out values.
    n_folds
        Folds of the cross-validation, at most as many as there are labeled rows.
    rng
        Seeds the classifier and the folds.
    """
    estimator = seeded(default_forest() if estimator is None else estimator, rng)
    fitted = clone(estimator).fit(features, labeled)
    if hasattr(fitted, "oob_decision_function_"):
        raw = fitted.oob_decision_function_[:, 1]
    else:
        folds = StratifiedKFold(_possible_folds(n_folds, labeled), shuffle=True, random_state=rng)
        raw = cross_val_predict(estimator, features, labeled, cv=folds, method="predict_proba")
        raw = raw[:, 1]
    calibrator = _fit_calibration(calibration, raw, labeled)
    return LabelModel(fitted, calibrator, _calibrated(calibrator, raw))


def labeled_column(classifier, features: np.ndarray) -> np.ndarray:
    """Probability of the class True."""
    column = list(classifier.classes_).index(True)
    return classifier.predict_proba(features)[:, column]


def _possible_folds(n_folds: int, labeled: np.ndarray) -> int:
    rarest = int(min(labeled.sum(), (~labeled).sum()))
    if rarest < 2:
        raise ValueError(
            f"{int(labeled.sum())} of {len(labeled)} rows are labeled; cross-validation needs at "
            "least two labeled and two unlabeled ones. Label more rows, or take an estimator "
            "that keeps out-of-bag values, such as RandomForestClassifier(oob_score=True)."
        )
    return min(n_folds, rarest)


def _fit_calibration(kind, raw: np.ndarray, labeled: np.ndarray):
    if kind is None:
        return None
    if kind == "isotonic":
        return IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(raw, labeled)
    return LogisticRegression(C=np.inf).fit(_log_odds(raw), labeled)


def _calibrated(calibrator, raw: np.ndarray) -> np.ndarray:
    if calibrator is None:
        return raw
    if isinstance(calibrator, IsotonicRegression):
        return calibrator.predict(raw)
    return calibrator.predict_proba(_log_odds(raw))[:, 1]


def _log_odds(raw: np.ndarray) -> np.ndarray:
    """Log-odds as a column; a forest's zeros and ones are kept off infinity."""
    return logit(np.clip(raw, CLIP, 1 - CLIP))[:, None]
