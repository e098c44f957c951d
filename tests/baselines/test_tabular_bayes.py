"""PNB, PTAN and their averages: exact where proportions are exact, near where they are drawn."""

from itertools import product

import numpy as np
import pytest
from datafolder import DATA, needs_data
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from sklearn.metrics import f1_score
from sklearn.naive_bayes import CategoricalNB

from pulps.baselines import (
    AveragedPositiveNaiveBayes,
    AveragedPositiveTAN,
    PositiveNaiveBayes,
    PositiveTAN,
)
from pulps.baselines._shared.averaging import beta_candidates
from pulps.baselines._shared.codes import TableCoder
from pulps.baselines._shared.dependency_tree import ROOT, log_likelihood
from pulps.baselines._shared.naive_bayes_prior import naive_bayes_prior
from pulps.datasets import load_published_folds
from pulps.labels import share_among_unlabeled
from pulps.tables.dependence import MISSING

CELLS = np.array(list(product([0, 1], [0, 1, 2], [0, 1])), dtype=float)
ALL = [0, 1, 2]


@st.composite
def exact_tables(draw):
    """Every row occurs in both classes; each positive twice, labeled and unlabeled."""
    counts = draw(st.lists(st.integers(1, 4), min_size=24, max_size=24))
    positive = np.repeat(CELLS, counts[:12], axis=0)
    negative = np.repeat(CELLS, counts[12:], axis=0)
    X = np.concatenate([positive, positive, negative])
    y = np.repeat([1, 0, 0], [len(positive), len(positive), len(negative)])
    truth = np.repeat([1, 1, 0], [len(positive), len(positive), len(negative)])
    return X, y, truth


@given(exact_tables())
@settings(max_examples=25)
def test_pnb_with_the_true_prior_is_supervised_naive_bayes(tables):
    X, y, truth = tables
    model = PositiveNaiveBayes(prior=truth.mean(), smoothing=1e-9, categorical_features=ALL)
    supervised = CategoricalNB(alpha=1e-9).fit(X, truth)
    log_odds = np.diff(supervised.predict_joint_log_proba(CELLS)).ravel()
    np.testing.assert_allclose(model.fit(X, y).decision_function(CELLS), log_odds, atol=1e-6)


@given(exact_tables())
@settings(max_examples=25)
def test_ptan_with_the_true_prior_is_a_supervised_tree(tables):
    X, y, truth = tables
    model = PositiveTAN(prior=truth.mean(), smoothing=1e-9, categorical_features=ALL).fit(X, y)

    def log_joint(rows):
        total = np.log(len(rows) / len(X))
        for attribute, parent in enumerate(model.parents_):
            same = rows[:, None] == CELLS
            given_parent = same[:, :, parent] if parent != ROOT else np.ones(same.shape[:2])
            total = total + np.log((same[:, :, attribute] * given_parent).sum(axis=0))
            total = total - np.log(given_parent.sum(axis=0))
        return total

    log_odds = log_joint(X[truth == 1]) - log_joint(X[truth == 0])
    np.testing.assert_allclose(model.decision_function(CELLS), log_odds, atol=1e-6)


def drawn_table(n_rows, share, seed):
    """Three attributes, independent in each class; the positives have a region of their own."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_rows) < share
    chances = np.where(truth[:, None, None], [0.05, 0.15, 0.3, 0.5], [0.5, 0.35, 0.15, 0.0])
    X = (rng.random((n_rows, 3, 1)) > chances.cumsum(axis=2)).sum(axis=2).clip(max=3)
    labeled = truth & (rng.random(n_rows) < 0.4)
    return X.astype(float), truth, labeled


def test_pnb_on_drawn_rows_approaches_supervised_naive_bayes():
    X, truth, labeled = drawn_table(40_000, 0.5, seed=0)
    model = PositiveNaiveBayes(prior=0.5, categorical_features=ALL).fit(X, labeled.astype(int))
    supervised = CategoricalNB().fit(X, truth)
    ours, theirs = model.predict_proba(X)[:, 1], supervised.predict_proba(X)[:, 1]
    assert np.abs(ours - theirs).mean() < 0.006
    assert (model.predict(X) == supervised.predict(X)).mean() > 0.99


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
def test_the_estimated_share_is_near_the_true_one(share):
    X, truth, labeled = drawn_table(3000, share, seed=1)
    coder = TableCoder(ALL)
    codes = coder.fit_transform(X)
    estimate = naive_bayes_prior(codes, coder.n_values_, labeled, 0)
    assert estimate == pytest.approx(truth[~labeled].mean(), abs=0.06)


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


def test_ptan_recovers_a_planted_tree():
    rng = np.random.default_rng(4)
    parents = [ROOT, 0, 0, 1, 1, 2]
    truth = rng.random(6000) < 0.5
    X = np.zeros((6000, 6))
    for attribute, parent in enumerate(parents):
        if parent == ROOT:
            X[:, 0] = rng.random(6000) < np.where(truth, 0.7, 0.3)
        else:
            kept = rng.random(6000) < np.where(truth, 0.85, 0.15)
            X[:, attribute] = np.where(kept, X[:, parent], 1 - X[:, parent])
    labeled = truth & (rng.random(6000) < 0.3)
    model = PositiveTAN(prior=0.5, categorical_features=list(range(6))).fit(X, labeled)
    assert model.parents_.tolist() == parents


@st.composite
def forests(draw):
    n_values = draw(st.lists(st.integers(2, 3), min_size=3, max_size=4))
    parents = [ROOT] + [draw(st.integers(ROOT, k - 1)) for k in range(1, len(n_values))]
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    tables = [
        np.log(rng.dirichlet(np.ones(r), size=1 if parent == ROOT else n_values[parent]))
        for r, parent in zip(n_values, parents, strict=True)
    ]
    row = [draw(st.integers(MISSING, r - 1)) for r in n_values]
    return np.array(parents), tables, n_values, row


@given(forests())
def test_missing_attributes_are_summed_over(forest):
    parents, tables, n_values, row = forest
    total = 0.0
    for cell in product(*(range(r) for r in n_values)):
        if all(seen in (MISSING, value) for seen, value in zip(row, cell, strict=True)):
            total += np.exp(
                sum(
                    tables[i][0 if parents[i] == ROOT else cell[parents[i]], cell[i]]
                    for i in range(len(cell))
                )
            )
    ours = log_likelihood(np.array([row]), parents, tables)[0]
    assert ours == pytest.approx(np.log(total), abs=1e-9)


def test_one_labeled_row_does_not_show_the_share():
    X = np.random.default_rng(0).normal(size=(20, 3))
    model = PositiveNaiveBayes()
    with pytest.raises(ValueError, match="Pass the share of positives"):
        model.fit(X, np.arange(20) == 0)
    assert model.set_params(prior=0.5).fit(X, np.arange(20) == 0).predict(X).shape == (20,)


def test_the_prior_must_leave_room_for_the_labeled_rows():
    labeled = np.array([True] * 4 + [False] * 6)
    assert share_among_unlabeled(0.7, labeled, "single-training-set") == pytest.approx(0.5)
    assert share_among_unlabeled(0.7, labeled, "case-control") == 0.7
    with pytest.raises(ValueError, match="Pass a larger prior"):
        share_among_unlabeled(0.3, labeled, "single-training-set")


def published_f1(name):
    folds = load_published_folds(name, data_home=DATA)
    scores = []
    for train, test, y in folds.splits(30):
        model = PositiveNaiveBayes(prior=folds.y[train].mean()).fit(folds.X.iloc[train], y)
        predicted = model.predict(folds.X.iloc[test])
        scores.append([f1_score(folds.y[test], predicted, pos_label=label) for label in (0, 1)])
    return np.mean(scores, axis=0)


@needs_data
def test_pnb_with_the_true_prior_on_the_published_folds():
    assert (published_f1("dermatology") >= 0.99).all()
    assert published_f1("vote") == pytest.approx([0.89, 0.92], abs=0.03)
