"""APNB and APTAN average over a Beta distribution of the prior."""

import numpy as np
import pytest
from scipy import integrate, stats
from small_tables import ALL, drawn_table

from pulps.baselines import (
    AveragedPositiveNaiveBayes,
    AveragedPositiveTAN,
    PositiveNaiveBayes,
    PositiveTAN,
)
from pulps.baselines._shared.averaging import beta_candidates
from pulps.baselines._shared.dependency_tree import log_likelihood


@pytest.mark.parametrize("averaging", ["conditional", "joint"])
@pytest.mark.parametrize(
    ("averaged", "plain"),
    [(AveragedPositiveNaiveBayes, PositiveNaiveBayes), (AveragedPositiveTAN, PositiveTAN)],
)
def test_the_average_approaches_the_plain_model_as_the_beta_narrows(averaged, plain, averaging):
    X, _, labeled = drawn_table(600, 0.5, seed=2)
    shared = {"prior": 0.55, "categorical_features": ALL}
    limit = plain(**shared).fit(X, labeled).decision_function(X)
    distance = [
        np.abs(
            averaged(**shared, concentration=concentration, averaging=averaging)
            .fit(X, labeled)
            .decision_function(X)
            - limit
        ).max()
        for concentration in (10, 1000, 1e6)
    ]
    assert distance[0] > 3 * distance[1] > 9 * distance[2]
    assert distance[2] < 1e-3


def test_the_closed_form_is_the_average_of_the_subtraction():
    alpha, beta, mixed, positive = 6.0, 5.0, 0.4, 0.2
    average = integrate.quad(
        lambda p: (mixed - p * positive) / (1 - p) * stats.beta.pdf(p, alpha, beta), 0, 1
    )[0]
    share = beta_candidates(alpha, beta, "conditional").subtracted[0]
    assert (mixed - share * positive) / (1 - share) == pytest.approx(average)


def test_the_joint_average_is_an_integral_over_the_beta():
    X, _, labeled = drawn_table(200, 0.4, seed=3)
    model = AveragedPositiveNaiveBayes(
        prior=0.4,
        concentration=20,
        averaging="joint",
        scenario="case-control",
        categorical_features=ALL,
    ).fit(X, labeled)

    def density(p):
        chance = 1.0
        for column in X.T.astype(int):
            ours = np.bincount(column[labeled], minlength=4) + 1
            theirs = np.bincount(column[~labeled], minlength=4)
            left = 1 + np.maximum(0, theirs - p * theirs.sum() * ours / ours.sum())
            chance *= left[column[0]] / left.sum()
        return chance

    grid = (np.arange(1000) + 0.5) / 1000
    negative = np.mean([(1 - p) * density(p) * stats.beta.pdf(p, 8, 12) for p in grid])
    row = model.coder_.transform(X[:1])
    positive = 0.4 * np.exp(log_likelihood(row, model.parents_, model.positive_tables_))[0]
    assert model.decision_function(X[:1])[0] == pytest.approx(
        np.log(positive / negative), abs=1e-2
    )


def test_without_knowledge_the_share_is_one_half():
    X, _, labeled = drawn_table(200, 0.4, seed=3)
    model = AveragedPositiveTAN(prior=None, categorical_features=ALL).fit(X, labeled)
    assert model.prior_of_unlabeled_ == 0.5
