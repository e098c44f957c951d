"""Agreement and its guards."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from pulps import LPSClassifier
from pulps.decision.agreement import estimate_agreement
from pulps.decision.copies import collect_votes, fit_members, set_seeds
from pulps.decision.selection import (
    agreement_matrix,
    kappa_matrix,
    largest_agreeing_cluster,
    mean_of_pairs,
    most_agreeing_pair,
    select_members,
    sound_members,
)

LABELED = np.array([True, True] + [False] * 6)
GOOD = [1, 1, 1, 1, 1, 0, 0, 0]
NEAR = [1, 1, 1, 1, 0, 0, 0, 0]
ALL = [1] * 8
LOST = [0, 0, 1, 1, 1, 0, 0, 0]


def test_constant_twins_are_not_chosen_although_they_agree_perfectly():
    choice = select_members([ALL, GOOD, ALL, NEAR], LABELED)
    assert sorted(choice.chosen) == [1, 3]
    assert choice.agreement == pytest.approx(7 / 8)
    assert choice.sound.tolist() == [False, True, False, True]


def test_a_member_that_loses_the_labeled_rows_is_not_chosen():
    assert sorted(select_members([LOST, LOST, GOOD, NEAR], LABELED).chosen) == [2, 3]


def test_if_all_are_degenerate_the_result_says_so():
    choice = select_members([ALL, ALL], LABELED)
    assert not choice.sound.any()
    assert len(choice.chosen) == 2


def test_one_sound_member_has_no_agreement():
    choice = select_members([ALL, GOOD], LABELED)
    assert choice.chosen.tolist() == [1]
    assert np.isnan(choice.agreement)


def test_members_join_in_order_of_agreement_with_those_chosen():
    far = [1, 1, 0, 0, 0, 1, 1, 1]
    assert select_members([GOOD, far, NEAR], LABELED, size=3).chosen.tolist() == [0, 2, 1]
    assert len(select_members([GOOD, far, NEAR], LABELED, size=None).chosen) == 3


predictions = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 1), min_size=n, max_size=n), min_size=2, max_size=4)
)


@given(predictions)
def test_agreement_is_symmetric_and_one_with_oneself(rows):
    matrix = agreement_matrix(rows)
    assert (matrix == matrix.T).all()
    assert (np.diag(matrix) == 1).all()


@given(predictions)
def test_kappa_equals_scikit_learns_where_that_is_defined(rows):
    ours = kappa_matrix(rows)
    for i, a in enumerate(rows):
        for j, b in enumerate(rows):
            if len({*a, *b}) == 2:
                assert ours[i, j] == pytest.approx(cohen_kappa_score(a, b))
            else:
                assert ours[i, j] == 0


def test_the_corrections_for_chance_by_hand():
    """Two members with shares 1/2 and 1/4 that agree on three of four rows."""
    votes = [[1, 1, 0, 0], [1, 0, 0, 0]]
    mean = 3 / 8
    expected = {
        "cohen": (3 / 4 - 1 / 2) / (1 / 2),
        "scott": (3 / 4 - mean**2 - (1 - mean) ** 2) / (2 * mean * (1 - mean)),
        "gwet": (3 / 4 - 2 * mean * (1 - mean)) / (1 - 2 * mean * (1 - mean)),
    }
    for chance, value in expected.items():
        assert kappa_matrix(votes, chance)[0, 1] == pytest.approx(value)
    with pytest.raises(ValueError, match="'scott'"):
        kappa_matrix(votes, "fleiss")


@given(predictions)
def test_corrections_never_exceed_one_and_equal_members_reach_it(rows):
    for chance in ("cohen", "scott", "gwet"):
        matrix = kappa_matrix([*rows, rows[0]], chance)
        assert (matrix <= 1 + 1e-12).all()
        if len(set(rows[0])) == 2:
            assert matrix[0, -1] == pytest.approx(1)


@given(predictions)
def test_the_pair_agrees_most(rows):
    matrix = agreement_matrix(rows)
    pair = most_agreeing_pair(matrix)
    assert matrix[pair] == max(matrix[i, j] for i, j in combinations(range(len(rows)), 2))


def test_a_cluster_of_members_outvotes_a_closer_pair():
    rng = np.random.default_rng(0)
    labeled = np.arange(400) < 4
    truth, other = rng.random((2, 400)) < 0.5
    truth[labeled] = other[labeled] = True
    three = [truth ^ ((np.arange(400) % 25 == k) & ~labeled) for k in (5, 6, 7)]
    votes = np.stack([other, three[0], other, three[1], three[2]])
    assert sorted(select_members(votes, labeled, size=2).chosen) == [0, 2]
    assert sorted(select_members(votes, labeled, size="cluster").chosen) == [1, 3, 4]
    scattered = rng.random((3, 400)) < 0.5
    scattered[:, labeled] = True
    assert len(select_members(scattered, labeled, size="cluster").chosen) == 2


@given(st.integers(1, 7), st.integers(0, 10**6), st.sampled_from([0.3, 0.5, 0.7]))
def test_the_largest_cluster_is_that_of_an_exhaustive_search(n_members, seed, least):
    votes = np.random.RandomState(seed).randint(0, 2, (n_members, 8))
    matrix = agreement_matrix(votes)

    def agrees(members):
        return all(matrix[pair] >= least for pair in combinations(members, 2))

    sets = [
        members
        for size in range(1, n_members + 1)
        for members in combinations(range(n_members), size)
        if agrees(members)
    ]
    size = max(map(len, sets))
    found = largest_agreeing_cluster(matrix, least)
    assert len(found) == size
    assert agrees(found)
    if size > 1:
        tightness = [mean_of_pairs(matrix[np.ix_(s, s)]) for s in sets if len(s) == size]
        assert mean_of_pairs(matrix[np.ix_(found, found)]) == pytest.approx(max(tightness))


def test_degenerate_members_are_told():
    votes = [ALL, GOOD, LOST, [1] + [0] * 7]
    assert sound_members(votes, LABELED).tolist() == [False, True, False, False]
    assert sound_members(votes, LABELED, min_recall=0.0).tolist() == [False, True, True, False]
    near_constant = [1, 1, 1, 0, 0, 0, 0, 0]
    assert sound_members([near_constant], LABELED, min_share=0.2).tolist() == [False]


def noisy_members(n_members, n_rows, error, rng):
    """Votes of members that each err on their own share of the rows."""
    truth = rng.random(n_rows) < 0.5
    votes = truth ^ (rng.random((n_members, n_rows)) < error)
    return votes, truth & (rng.random(n_rows) < 0.4)


@pytest.mark.parametrize("n_members", [2, 4])
def test_the_interval_covers_the_true_agreement(n_members):
    """Members that err independently with share e agree on 1 - 2e(1 - e) of all rows."""
    rng = np.random.default_rng(0)
    error, covered = 0.1, 0
    for seed in range(100):
        votes, labeled = noisy_members(n_members, 300, error, rng)
        found = estimate_agreement(
            votes, labeled, statistic="mean", n_resamples=200, random_state=seed
        )
        assert found.low <= found.value <= found.high
        covered += found.low <= 1 - 2 * error * (1 - error) <= found.high
    assert 80 <= covered <= 100


def test_fewer_rows_and_unequal_members_make_the_interval_wider():
    rng = np.random.default_rng(0)
    votes, labeled = noisy_members(4, 2000, 0.1, rng)

    def width(votes, labeled):
        found = estimate_agreement(votes, labeled, statistic="mean", random_state=0)
        return found.high - found.low

    even = width(votes, labeled)
    assert width(votes[:, :100], labeled[:100]) > 2 * even
    worse = votes.copy()
    worse[0] ^= rng.random(2000) < 0.3
    assert width(worse, labeled) > 2 * even


def test_the_best_pair_is_the_papers_estimate():
    votes = [GOOD, NEAR, [1, 1, 1, 1, 1, 1, 1, 0], ALL]
    found = estimate_agreement(votes, LABELED, random_state=0)
    assert found.value == pytest.approx(7 / 8)
    assert found.pair == (0, 1)
    assert found.cluster.tolist() == [0]
    assert found.sound.tolist() == [True, True, True, False]
    wide = estimate_agreement(votes, LABELED, min_agreement=0.7, random_state=0)
    assert wide.cluster.tolist() == [0, 1]
    assert "3 of 4 members sound" in str(found)


def test_constant_members_have_no_agreement():
    found = estimate_agreement([ALL, ALL, GOOD], LABELED)
    assert (found.value, found.low, found.high, found.pair) == (0, 0, 0, ())
    with pytest.raises(ValueError, match="'pair' or 'mean'"):
        estimate_agreement([GOOD, NEAR], LABELED, statistic="median")


def points(n=120):
    rng = np.random.default_rng(0)
    truth = rng.random(n) < 0.5
    return rng.normal(size=(n, 2)) + 3 * truth[:, None], (truth & (rng.random(n) < 0.6)) * 1


MODELS = [
    (RandomForestClassifier(3, class_weight="balanced"), "auto"),
    (make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced")), True),
    (DecisionTreeClassifier(max_depth=2), True),
]


@pytest.mark.parametrize(("model", "bootstrap"), MODELS, ids=["forest", "pipeline", "tree"])
def test_any_estimators_can_be_compared(model, bootstrap):
    X, y = points()

    def votes_of(seed):
        options = {"n_members": 4, "bootstrap": bootstrap, "random_state": seed}
        members = fit_members(model, X, y, **options)
        votes = collect_votes(members, X)
        np.testing.assert_array_equal(votes[2], members[2].predict(X) == 1)
        return votes

    votes = votes_of(0)
    found = estimate_agreement(votes, y == 1, random_state=0)
    assert 0.6 < found.value <= 1
    np.testing.assert_array_equal(votes, votes_of(0))
    assert (votes != votes_of(1)).any()


def test_an_estimator_without_a_seed_sees_other_rows():
    X, y = points()
    first, second = fit_members(GaussianNB(), X, y, n_members=2, random_state=0)
    assert (first.theta_ != second.theta_).any()
    assert first.class_count_.tolist() == second.class_count_.tolist() == np.bincount(y).tolist()


def test_all_parts_are_seeded_and_differently():
    model = make_pipeline(RandomForestClassifier(), RandomForestClassifier())
    assert set_seeds(model, 3)
    assert len({step.random_state for _, step in model.steps}) == 2
    assert not set_seeds(StandardScaler(), 3)


def test_the_votes_of_our_members_are_those_of_the_agreement():
    X, y = points()
    model = LPSClassifier.from_parameters(
        n_members=3, max_epochs=15, label_parts=None, random_state=0
    ).fit(X, y)
    votes = collect_votes([model], X)
    np.testing.assert_allclose(agreement_matrix(votes), model.agreement_matrix_)
    mean = model.member_decisions(X).mean(axis=0)
    np.testing.assert_allclose(mean, model.decision_function(X))
