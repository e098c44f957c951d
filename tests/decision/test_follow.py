"""Members that had a first guess: it says how many rows are positive, they say which."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from pulps.decision.calibration import fit_slope_to
from pulps.decision.follow import Guess, follow


def population(n_rows=400, share=0.4, shift=2.5, seed=0):
    rng = np.random.RandomState(seed)
    positive = rng.rand(n_rows) < share
    labeled = positive & (rng.rand(n_rows) < 0.4)
    scores = rng.normal(shift * positive, 1)
    scores = (scores - scores[~labeled].mean()) / scores[~labeled].std()
    return scores, labeled, positive


@pytest.fixture(scope="module")
def guess():
    scores, labeled, _ = population()
    return Guess.of(scores, labeled, np.ones(len(scores)), random_state=0)


def members(guess, n_members=3, seed=1):
    """Log-ratios that rank rows about as the guess does, each on a scale of its own."""
    rng = np.random.RandomState(seed)
    noise = rng.normal(0, 0.3, (n_members, len(guess.scores)))
    return (guess.scores + noise) * np.array([1.0, 7.0, 30.0])[:n_members, None]


def test_hints_change_sign_at_the_cut_and_are_no_larger_than_one(guess):
    hints = guess.hint(guess.scores)
    assert (np.sign(hints) == np.sign(guess.scores - guess.cut)).all()
    assert np.abs(hints).max() <= 1
    assert hints.max() > 0.99


@pytest.mark.parametrize("rule", ["auto", "prior", "pu-f1", "lee-liu"])
def test_as_many_training_rows_are_positive_as_the_guess_calls(rule):
    scores, labeled, _ = population()
    guess = Guess.of(scores, labeled, np.ones(len(scores)), rule=rule, random_state=0)
    decision = follow(members(guess), guess, size=None, rule=rule)
    mean = (members(guess)[decision.members] / decision.scales[:, None]).mean(axis=0)
    called = int((mean > decision.report.threshold).sum())
    assert abs(called - (scores > guess.told.report.threshold).sum()) <= 1
    assert decision.report.rule == rule
    assert decision.report.recall == guess.told.report.recall
    assert decision.prior == guess.told.prior


def test_balance_cuts_where_norms_are_equal_and_tells_what_that_means():
    scores, labeled, _ = population()
    guess = Guess.of(scores, labeled, np.ones(len(scores)), rule="balance", random_state=0)
    ratios = members(guess) + np.array([2.0, 14.0, 60.0])[:, None]  # too many are positive
    decision = follow(ratios, guess, size=None, rule="balance")
    assert decision.report.threshold == 0
    assert decision.report.recall > guess.told.report.recall
    assert decision.report.prior_of_unlabeled == guess.told.report.prior_of_unlabeled


def test_members_that_agree_with_the_guess_have_its_probabilities(guess):
    decision = follow(guess.scores[None] * 5, guess, size=None, rule="auto")
    found = expit(
        decision.slope * (guess.scores * 5 / decision.scales - decision.report.threshold)
    )
    np.testing.assert_allclose(found, guess.probability, atol=0.02)


def test_a_weight_of_two_is_the_row_twice():
    scores, labeled, _ = population(120)
    twice = np.random.RandomState(3).rand(120) < 0.3
    copies = np.repeat(np.arange(120), 1 + twice)
    weighted = Guess.of(scores, labeled, 1.0 + twice, random_state=0)
    repeated = Guess.of(scores[copies], labeled[copies], np.ones(len(copies)), random_state=0)
    assert weighted.cut == pytest.approx(repeated.cut)
    ratios = members(weighted)
    one = follow(ratios, weighted, size=None, rule="auto")
    other = follow(ratios[:, copies], repeated, size=None, rule="auto")
    np.testing.assert_allclose(one.scales, other.scales)
    assert one.report.threshold == pytest.approx(other.report.threshold)
    assert one.slope == pytest.approx(other.slope, rel=1e-3)


def test_in_case_control_the_unlabeled_rows_are_the_population():
    scores, labeled, _ = population()
    ones = np.ones(len(scores))
    guess = Guess.of(scores, labeled, ones, single_training_set=False, random_state=0)
    decision = follow(members(guess), guess, size=None, rule="auto")
    told = (scores[~labeled] > guess.told.report.threshold).mean()
    assert decision.report.share == pytest.approx(told, abs=0.02)


@settings(max_examples=20)
@given(st.floats(0.05, 20), st.integers(0, 99))
def test_a_slope_is_found_from_probabilities(slope, seed):
    decision = np.random.RandomState(seed).normal(0, 1, 500)
    assert fit_slope_to(decision, expit(slope * decision)) == pytest.approx(slope, rel=0.01)
