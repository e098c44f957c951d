"""Bayesian networks of categories, against hand and brute force."""

from itertools import product
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from pulps.baselines._shared.bayesian_network import chow_liu, climb, fit_network, k2_score

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
