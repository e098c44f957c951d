r"""Scores that need no negative labels: what can be known from labeled and unlabeled rows.

Everywhere ``y`` holds PU labels (1 labeled positive; 0, −1 or nothing otherwise) and ``y_pred``
or ``y_score`` a model's answers for the same rows: classes (1; 0 or −1), or scores, which metrics
of classes cut at a ``threshold``. If labels were given at random among the
positives (SCAR), the recall *r* on the labeled rows estimates the recall on all positives,
and with the share :math:`\hat p = P(\hat y = 1)` of the population that is predicted
positive and the class prior :math:`\pi = P(y = 1)` the rest follows:

==============  ==================================================
recall          :math:`r`
precision       :math:`\pi r / \hat p`
specificity     :math:`1 - (\hat p - \pi r) / (1 - \pi)`
F1              :math:`2 \pi r / (\pi + \hat p)`
accuracy        :math:`2 \pi r + (1 - \hat p) - \pi`
Lee–Liu         :math:`r^2 / \hat p`, precision × recall without the prior
AUC             :math:`(A - \pi_U / 2) / (1 - \pi_U)`, *A* of labeled against unlabeled
AUL             labeled against the population, :math:`\pi / 2 + (1 - \pi)` AUC, no prior
risk            :math:`\pi R_P^+ + R_X^- - \pi R_P^-`, the last two not below zero if asked
==============  ==================================================

The *scenario* says which rows are a sample of the population. In the
``"single-training-set"`` one sample was drawn and some of its positives were labeled: the
population is all rows, and the unlabeled ones hold fewer positives,
:math:`\pi_U = (\pi n - n_L) / (n - n_L)`. In ``"case-control"`` the unlabeled rows alone
are a sample of the population, and :math:`\pi_U = \pi`. Estimates are clipped to [0, 1].
A model predicts the labeled rows it was trained on too well; use rows it has not seen.

Metrics and curves take ``sample_weight``, how many rows each row stands for: a row of weight two
scores as two rows, in the share of labeled rows of a single training set as well.

:func:`make_pu_scorer` makes scorers for scikit-learn's searches, :class:`PUStratifiedKFold` the
folds; :func:`why_degenerate` recognizes a predictor that puts nearly all rows in one class.
:func:`pu_roc_curve` and :func:`pu_precision_recall_curve` are the curves, :func:`roc_band` and
:func:`precision_recall_band` have bands, and :func:`prior_sensitivity` tells what a wrong prior
would change. :func:`bootstrap_interval` gives any metric an interval.
"""

from pulps.metrics.bootstrap import (
    Difference,
    Interval,
    bootstrap_difference,
    bootstrap_interval,
    estimator_interval,
)
from pulps.metrics.classes import (
    lee_liu_score,
    pu_accuracy_score,
    pu_f1_score,
    pu_precision_score,
    pu_recall_score,
    pu_specificity_score,
)
from pulps.metrics.curves import (
    Band,
    PrecisionRecallCurve,
    RocCurve,
    precision_recall_band,
    prior_sensitivity,
    pu_precision_recall_curve,
    pu_roc_curve,
    roc_band,
)
from pulps.metrics.degenerate import (
    DegeneratePredictorWarning,
    constant_scores,
    why_degenerate,
)
from pulps.metrics.folds import PUStratifiedKFold
from pulps.metrics.ranking import aul_score, pu_roc_auc_score
from pulps.metrics.risk import pu_risk
from pulps.metrics.rows import Scenario, predicted_positive_rate, prior_of_unlabeled
from pulps.metrics.scorer import PUScorer, make_pu_scorer, pu_scorer_names

__all__ = [
    "Band",
    "DegeneratePredictorWarning",
    "Difference",
    "Interval",
    "PUScorer",
    "PUStratifiedKFold",
    "PrecisionRecallCurve",
    "RocCurve",
    "Scenario",
    "aul_score",
    "bootstrap_difference",
    "bootstrap_interval",
    "constant_scores",
    "estimator_interval",
    "lee_liu_score",
    "make_pu_scorer",
    "precision_recall_band",
    "predicted_positive_rate",
    "prior_of_unlabeled",
    "prior_sensitivity",
    "pu_accuracy_score",
    "pu_f1_score",
    "pu_precision_recall_curve",
    "pu_precision_score",
    "pu_recall_score",
    "pu_risk",
    "pu_roc_auc_score",
    "pu_roc_curve",
    "pu_scorer_names",
    "pu_specificity_score",
    "roc_band",
    "why_degenerate",
]
