"""GPU: its networks against hand and brute force, its grid against scikit-learn's."""

from itertools import product
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit
from sklearn.svm import SVC

from pulps.baselines import GenerativePUClassifier
from pulps.baselines._shared.bayesian_network import chow_liu, climb, fit_network, k2_score
from pulps.baselines.bayes.generative_pu import grid_scores

BINARY = np.array([2, 2])


def test_the_k2_score_equals_a_hand_computed_one():
    codes = np.array([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2]])
    sizes = np.array([2, 3])
    f = factorial
    alone = f(1) / f(6) * f(3) * f(2)  # 3 zeros and 2 ones of two values
    assert np.exp(k2_score(codes, sizes, 0, [])) == pytest.approx(alone)
    given_first = (f(2) / f(5) * f(2) * f(1)) * (f(2) / f(4) * f(1) * f(1))
    assert np.exp(k2_score(codes, sizes, 1, [0])) == pytest.approx(given_first)


def test_tables_are_posterior_means_with_one_imaginary_row():
    codes = np.array([[0, 0], [0, 0], [0, 1], [1, 1]])
    network = fit_network(codes, BINARY, [[], [0]])
    np.testing.assert_allclose(np.exp(network.log_tables[0]), [[3.5 / 5, 1.5 / 5]])
    wanted = [[2.25 / 3.5, 1.25 / 3.5], [0.25 / 1.5, 1.25 / 1.5]]
    np.testing.assert_allclose(np.exp(network.log_tables[1]), wanted)


def drawn(seed, n_rows=60, n_columns=4):
    """A chain of attributes, each mostly a copy of the one before."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (n_rows, n_columns))
    for k in range(1, n_columns):
        copied = rng.random(n_rows) < rng.choice([0.2, 0.95])
        codes[copied, k] = codes[copied, k - 1]
    return codes, np.full(n_columns, 2)


def score(codes, sizes, parents):
    return sum(k2_score(codes, sizes, child, others) for child, others in enumerate(parents))


def acyclic(parents):
    left = {child: set(others) for child, others in enumerate(parents)}
    while left:
        free = [child for child, others in left.items() if not others & set(left)]
        if not free:
            return False
        for child in free:
            del left[child]
    return True


def neighbors_of(parents):
    """All graphs one edge away: added, removed or turned."""
    for parent, child in product(range(len(parents)), repeat=2):
        if parent == child:
            continue
        changed = [set(others) for others in parents]
        if parent in changed[child]:
            changed[child].discard(parent)
            yield changed
            turned = [set(others) for others in changed]
            turned[parent].add(child)
            yield turned
        else:
            changed[child].add(parent)
            yield changed


@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_the_climb_ends_where_no_step_goes_up(seed):
    codes, sizes = drawn(seed)
    parents = climb(codes, sizes)
    assert acyclic(parents)
    top = score(codes, sizes, parents)
    for other in neighbors_of(parents):
        if acyclic(other):
            assert score(codes, sizes, [sorted(others) for others in other]) <= top + 1e-9


def test_parents_are_limited():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (300, 4))
    codes[:, 3] = codes[:, :3].sum(axis=1) > 1
    sizes = np.full(4, 2)
    assert [max(map(len, climb(codes, sizes, limit))) for limit in (None, 2, 1, 0)] == [3, 2, 1, 0]


def test_chow_liu_finds_a_planted_tree():
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (3000, 5))
    for child, parent in ((1, 0), (2, 0), (3, 1), (4, 3)):
        copied = rng.random(3000) < 0.7
        codes[copied, child] = codes[copied, parent]
    assert chow_liu(codes, np.full(5, 2)) == [[], [0], [0], [1], [3]]


@pytest.mark.parametrize("learn", [climb, chow_liu])
def test_probabilities_of_all_rows_sum_to_one(learn):
    codes, sizes = drawn(5)
    network = fit_network(codes, sizes, learn(codes, sizes))
    everything = np.array(list(product(*(range(size) for size in sizes))))
    assert logsumexp(network.log_likelihood(everything)) == pytest.approx(0)


def pu_table(seed=0, n_rows=150):
    rng = np.random.default_rng(seed)
    truth = np.arange(n_rows) < n_rows // 2
    X = np.where(rng.random((n_rows, 6)) < 0.85, truth[:, None], ~truth[:, None]).astype(float)
    return X, (truth & (np.arange(n_rows) % 3 == 0)).astype(int), truth


SMALL = {"C_grid": [0.1, 1, 10], "gamma_grid": [0.01, 0.1, 1], "categorical_features": [*range(6)]}


@pytest.mark.parametrize("network", ["k2", "chow-liu"])
@pytest.mark.parametrize("n_networks", [1, 5])
def test_the_least_likely_unlabeled_rows_are_negative(network, n_networks):
    X, y, truth = pu_table()
    model = GenerativePUClassifier(
        network=network, n_networks=n_networks, random_state=0, **SMALL
    ).fit(X, y)
    assert len(model.networks_) == n_networks
    codes = model.coder_.transform(X)
    density = np.mean([np.exp(n.log_likelihood(codes)) for n in model.networks_], axis=0)
    chosen = np.isin(np.arange(len(X)), model.reliable_negatives_)
    assert chosen.sum() == y.sum()
    assert not (chosen & (y == 1)).any()
    assert density[chosen].max() <= density[(y == 0) & ~chosen].min() + 1e-12
    assert (model.predict(X) == truth).mean() > 0.85


@pytest.mark.parametrize("balanced", [True, False])
def test_the_grid_is_that_of_a_grid_search(balanced):
    rng = np.random.default_rng(0)
    features = rng.random((40, 3))
    height = features[:, 0] + 0.3 * rng.normal(size=40)
    signs = np.where(height > np.quantile(height, 0.5 if balanced else 0.7), 1, -1)
    splits = list(StratifiedShuffleSplit(5, test_size=0.2, random_state=0).split(features, signs))
    grid = {"C": [1e-5, 1e-3, 0.1, 1, 10, 1e3], "gamma": [1e-4, 0.1, 10, 1e3]}
    search = GridSearchCV(
        SVC(), grid, cv=splits, scoring=make_scorer(f1_score, pos_label=-1, zero_division=0)
    ).fit(features, signs)
    ours = grid_scores(features, signs, splits, grid["C"], grid["gamma"])
    np.testing.assert_allclose(ours.ravel(), search.cv_results_["mean_test_score"])


def test_two_labeled_rows_are_too_few_for_a_grid():
    X, y, _ = pu_table()
    y = np.where(np.cumsum(y) <= 2, y, 0)
    assert GenerativePUClassifier(**SMALL).fit(X, y).svm_.gamma == "auto"
