r"""The class prior by the best bin of a classifier's scores (BBE).

Garg et al., *Mixture proportion estimation and PU learning: a modern approach* (2021).
A classifier tells labeled from unlabeled rows. Among the rows it scores highest nearly all
are positive, so that the share of the unlabeled rows above a threshold, divided by the
share of the labeled rows above it, is the share of positives among the unlabeled ones:

.. math:: \hat\alpha = \frac{q_U(z)}{q_P(z)}, \quad z = \arg\min_z \frac{q_U(z)}{q_P(z)}
   + \frac{1 + \gamma}{q_P(z)} \Big( \sqrt{\tfrac{\log(4/\delta)}{2 n_U}}
   + \sqrt{\tfrac{\log(4/\delta)}{2 n_P}} \Big).

The scores must come from rows the classifier has not seen. The authors' code has
:math:`\log(1/\delta)`; we keep the paper's 4.
"""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import RandomForestClassifier

DELTA, GAMMA = 0.1, 0.01


def best_bin_share(
    labeled_scores: np.ndarray, unlabeled_scores: np.ndarray, delta: float = DELTA
) -> float:
    """Share of positives among the unlabeled rows, from scores of rows not trained on.

    Half of the unlabeled rows score as the labeled ones do, the others far below:

    >>> best_bin_share(np.linspace(1, 2, 200), np.r_[np.linspace(1, 2, 200), np.zeros(200)])
    0.5
    """
    thresholds = np.unique(labeled_scores)
    above_labeled = _share_above(labeled_scores, thresholds)
    above_unlabeled = _share_above(unlabeled_scores, thresholds)
    slack = sum(
        np.sqrt(np.log(4 / delta) / (2 * len(scores)))
        for scores in (labeled_scores, unlabeled_scores)
    )
    ratio = above_unlabeled / above_labeled
    best = np.argmin(ratio + (1 + GAMMA) * slack / above_labeled)
    return float(min(ratio[best], 1.0))


def estimate_prior(
    features: np.ndarray,
    labeled: np.ndarray,
    *,
    scenario: str = "single-training-set",
    random_state=None,
) -> float:
    """Share of positives in the population, by BBE on the out-of-bag scores of a forest.

    Parameters
    ----------
    features
        Dense rows.
    labeled
        Boolean, True for a labeled positive.
    scenario
        Whether the labeled rows belong to the population (``"single-training-set"``) or
        come on top of it (``"case-control"``).
    random_state
        Seed of the forest.
    """
    scores = out_of_bag_scores(features, labeled, random_state)
    share = best_bin_share(scores[labeled], scores[~labeled])
    if scenario == "case-control":
        return share
    return float((labeled.sum() + share * (~labeled).sum()) / len(labeled))


def out_of_bag_scores(features: np.ndarray, labeled: np.ndarray, random_state) -> np.ndarray:
    """Share of trees that call a row labeled, among those that were grown without it."""
    forest = RandomForestClassifier(
        n_estimators=200, min_samples_leaf=5, oob_score=True, random_state=random_state
    )
    return forest.fit(features, labeled).oob_decision_function_[:, 1]


def _share_above(scores: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    ordered = np.sort(scores)
    return 1 - np.searchsorted(ordered, thresholds, side="left") / len(ordered)
