"""Shares convert by counting; estimates from scores keep what their methods promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import check_random_state

from pulps.labels import hide_labels
from pulps.metrics import prior_of_unlabeled
from pulps.priors import bbe, dedpul, elkan_noto, label_share, prior_from_label_share, shares_of
from pulps.priors.intervals import bootstrap_spread, interval_around, parts_spread
from pulps.priors.scores import deal, held_out_scores, twins_of

SCENARIOS = ["single-training-set", "case-control"]
NINE = np.arange(1, 10) / 10
METHODS = {"bbe": bbe, "dedpul": dedpul}


def draw_scores(prior, distance, *, n_labeled=300, n_unlabeled=1200, seed=0):
    """Normal scores of labeled and unlabeled rows, and which of the latter are positive."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_unlabeled) < prior
    return (
        rng.normal(distance, 1, n_labeled),
        rng.normal(distance * truth, 1),
        truth,
    )


def chance_of_a_label(scores, prior, distance, n_labeled=300, n_unlabeled=1200):
    """What the best classifier would say: the chance to be labeled, given the score."""
    positive, negative = np.exp(-((scores - distance) ** 2) / 2), np.exp(-(scores**2) / 2)
    unlabeled = n_unlabeled * (prior * positive + (1 - prior) * negative)
    return n_labeled * positive / (n_labeled * positive + unlabeled)


def estimate(name, labeled, unlabeled):
    return METHODS[name](labeled, unlabeled, **({"n_resamples": 2} if name == "dedpul" else {}))


# Shares.


@given(st.integers(1, 50), st.integers(1, 50), st.integers(0, 50))
def test_shares_are_counts(n_labeled, n_positive, n_negative):
    n_unlabeled = n_positive + n_negative
    unlabeled = n_positive / n_unlabeled
    counts = {"n_labeled": n_labeled, "n_unlabeled": n_unlabeled}
    one = shares_of(unlabeled, scenario="single-training-set", **counts)
    assert one.prior == pytest.approx((n_labeled + n_positive) / (n_labeled + n_unlabeled))
    assert one.label_frequency == pytest.approx(n_labeled / (n_labeled + n_positive))
    assert one.prior_of_unlabeled == unlabeled
    two = shares_of(unlabeled, scenario="case-control", **counts)
    assert two.prior == two.prior_of_unlabeled == unlabeled
    assert np.isnan(two.label_frequency)


@given(st.integers(1, 50), st.integers(2, 50), st.floats(0.01, 0.99), st.sampled_from(SCENARIOS))
def test_conversions_undo_each_other(n_labeled, n_unlabeled, share, scenario):
    counts = {"n_labeled": n_labeled, "n_unlabeled": n_unlabeled}
    there = label_share(share, **counts)
    assert prior_from_label_share(there, **counts) == pytest.approx(share)
    y = np.repeat([1, 0], [n_labeled, n_unlabeled])
    prior = shares_of(share, scenario=scenario, **counts).prior
    assert prior_of_unlabeled(y, prior=prior, scenario=scenario) == pytest.approx(share)


def test_impossible_label_shares_are_clipped():
    assert prior_from_label_share(0.0, n_labeled=5, n_unlabeled=5) == 1
    assert prior_from_label_share(0.4, n_labeled=5, n_unlabeled=5) == 1
    assert prior_from_label_share(1.0, n_labeled=5, n_unlabeled=5) == 0


# Best bin estimation.


def test_best_bin_by_hand():
    labeled, unlabeled = [5.0, 4.0, 3.0, 0.0], [4.5, 3.5, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    found = bbe(labeled, unlabeled)
    # Shares above 0, 3, 4, 5: labeled 1, 3/4, 2/4, 1/4; unlabeled 1, 2/8, 1/8, 0.
    reach = np.sqrt(np.log(40) / 16) + np.sqrt(np.log(40) / 8)
    worst = [1 + 1.01 * reach, (1 / 4 + 1.01 * reach) / (3 / 4)]
    assert worst[1] < worst[0]
    assert found.diagnostics["cut"] == 3
    assert found.prior_of_unlabeled == pytest.approx(1 / 3)
    np.testing.assert_allclose(found.diagnostics["ratios"], [1, 1 / 3, 1 / 4, 0])


@given(st.integers(0, 10_000))
def test_best_bin_equals_a_loop_over_cuts(seed):
    rng = np.random.default_rng(seed)
    labeled, unlabeled = rng.integers(0, 9, 12) + 3.0, rng.integers(0, 9, 30) * 1.0
    reach = np.sqrt(np.log(40) / 24) + np.sqrt(np.log(40) / 60)
    worst = {}
    for cut in labeled:
        above = np.mean(labeled >= cut)
        ratio = np.mean(unlabeled >= cut) / above
        worst[ratio + 1.01 * reach / above] = ratio
    assert bbe(labeled, unlabeled).prior_of_unlabeled == pytest.approx(
        min(1, worst[min(worst)]), abs=1e-12
    )


@pytest.mark.parametrize("distance", [0.5, 1.5, 3.0])
def test_the_upper_bound_of_bbe_holds_with_or_without_a_pure_bin(distance):
    bounds = [
        bbe(
            *draw_scores(prior, distance, n_labeled=100, n_unlabeled=300, seed=seed)[:2]
        ).diagnostics["upper_bound"]
        - prior
        for prior in NINE
        for seed in range(3)
    ]
    assert np.mean(np.array(bounds) >= 0) >= 0.9


# What holds for all that live on the order of scores.


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("distance", [6.0, 3.0])
def test_scores_apart_give_the_share_of_positives(name, distance):
    """To 0.03 on average over draws, and never 0.1 off."""
    for prior in NINE:
        errors = []
        for seed in range(5):
            labeled, unlabeled, truth = draw_scores(
                prior, distance, n_labeled=1000, n_unlabeled=4000, seed=seed
            )
            found = estimate(name, labeled, unlabeled).prior_of_unlabeled
            errors.append(abs(found - truth.mean()))
        assert np.mean(errors) < 0.03, prior
        assert max(errors) < 0.1, prior


@pytest.mark.parametrize("name", METHODS)
def test_scores_that_overlap_give_too_much_on_average(name):
    errors = []
    for prior in NINE[:5]:
        labeled, unlabeled, truth = draw_scores(prior, 1.0)
        errors.append(estimate(name, labeled, unlabeled).prior_of_unlabeled - truth.mean())
    assert np.mean(errors) > 0.05


@pytest.mark.parametrize("name", METHODS)
def test_only_the_order_of_scores_matters(name):
    labeled, unlabeled, _ = draw_scores(0.4, 2.0, n_labeled=60, n_unlabeled=200)
    plain = estimate(name, labeled, unlabeled).prior_of_unlabeled
    assert estimate(name, np.exp(labeled), np.exp(unlabeled)).prior_of_unlabeled == plain
    assert estimate(name, labeled**3, unlabeled**3).prior_of_unlabeled == plain


@pytest.mark.parametrize("name", METHODS)
def test_scores_that_say_nothing_allow_all_rows_to_be_positive(name):
    assert estimate(name, np.ones(20), np.ones(50)).prior_of_unlabeled == 1


def test_em_keeps_the_answer_of_dedpul_within_its_tolerance():
    labeled, unlabeled, truth = draw_scores(0.4, 2.5)
    found = estimate("dedpul", labeled, unlabeled)
    posterior = found.diagnostics["posterior"]
    assert posterior.mean() == pytest.approx(found.prior_of_unlabeled, abs=0.05)
    assert found.diagnostics["em_fixed_point"] <= found.prior_of_unlabeled + 0.05
    assert np.mean((posterior > 0.5) == truth) > 0.8
    order = np.argsort(unlabeled)
    assert (np.diff(posterior[order]) >= 0).all()


# Elkan and Noto.


def test_elkan_noto_by_hand():
    found = elkan_noto([0.4, 0.6], [0.5, 0.5, 0.5, 0.0, 0.0])
    assert found.prior_of_unlabeled == pytest.approx(2 / 5 * (1 - 0.5) / 0.5)
    assert found.diagnostics == {"label_share": 0.5, "mean_unlabeled_score": 0.3}
    variance = 0.4 * 0.6 / 5 + (2 / 5 / 0.25) ** 2 * 0.02 / 2
    assert found.interval == interval_around(0.4, variance**0.5, 0.9)


@pytest.mark.parametrize("prior", NINE)
def test_elkan_noto_is_right_for_classes_apart_and_too_large_for_classes_that_overlap(prior):
    errors = []
    for distance in (8.0, 3.0, 1.5):
        labeled, unlabeled, _ = draw_scores(prior, distance)
        chances = (chance_of_a_label(s, prior, distance) for s in (labeled, unlabeled))
        errors.append(elkan_noto(*chances).prior_of_unlabeled - prior)
    assert errors[0] == pytest.approx(0, abs=0.01)
    assert errors[2] > errors[1] > 0.001
    assert errors[2] > 0.05 or prior > 0.8


# Intervals.


@pytest.mark.parametrize(("name", "least"), [("bbe", 14), ("dedpul", 16)])
def test_the_interval_of_scores_covers_roughly(name, least):
    covered = 0
    for seed in range(20):
        labeled, unlabeled, _ = draw_scores(0.4, 4.0, n_labeled=100, n_unlabeled=400, seed=seed)
        more = {"n_resamples": 30, "random_state": 0} if name == "dedpul" else {}
        found = METHODS[name](labeled, unlabeled, **more)
        low, high = found.interval
        assert low <= found.prior_of_unlabeled <= high
        assert high - low < 0.35
        covered += low <= 0.4 <= high
    assert covered >= least


def test_the_interval_of_elkan_noto_covers_roughly():
    covered = 0
    for seed in range(20):
        labeled, unlabeled, truth = draw_scores(0.4, 8.0, seed=seed)
        chances = (chance_of_a_label(s, truth.mean(), 8.0) for s in (labeled, unlabeled))
        low, high = elkan_noto(*chances).interval
        covered += low <= 0.4 <= high
    assert covered >= 15


def test_parts_and_resamples_know_the_error_of_a_mean():
    rng = np.random.default_rng(0)
    values = rng.normal(0, 2, 1000)
    labeled = np.arange(1000) < 300
    for max_rows in (10_000, 200):
        spread = parts_spread(
            lambda rows: values[rows].mean(),
            labeled,
            n_parts=400,
            max_rows=max_rows,
            rng=check_random_state(0),
        )
        assert spread == pytest.approx(2 / np.sqrt(1000), rel=0.15)
    spread = bootstrap_spread(
        lambda a, b: a.mean() - b.mean(),
        values[:400],
        values[400:],
        n_resamples=400,
        rng=check_random_state(0),
    )
    assert spread == pytest.approx(2 * np.sqrt(1 / 400 + 1 / 600), rel=0.15)


# Scores of rows not seen.


def test_folds_are_even_and_keep_twins_together():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (90, 1)) * 1.0
    labeled = np.arange(90) < 25
    twins = twins_of(X, labeled)
    for number in np.unique(twins):
        members = twins == number
        assert len(np.unique(X[members])) == 1
        assert labeled[members].sum() <= 1
        assert (~labeled[members]).sum() <= 1
    paired = sum(
        min((X[labeled] == value).sum(), (X[~labeled] == value).sum()) for value in np.unique(X)
    )
    assert 90 - len(np.unique(twins)) == paired > 0
    folds = deal(labeled, twins, 5, check_random_state(0))
    for group in (labeled, ~labeled):
        sizes = np.bincount(folds[group], minlength=5)
        assert sizes.max() - sizes.min() <= 1
    assert all(len(np.unique(folds[twins == number])) == 1 for number in np.unique(twins))


@pytest.mark.parametrize(("scenario", "honest"), [(SCENARIOS[0], False), (SCENARIOS[1], True)])
def test_in_case_control_no_row_is_judged_by_its_twin(scenario, honest):
    rng = np.random.default_rng(0)
    y_true = np.repeat([1, 0], [60, 60])
    cloud = rng.normal(size=(120, 2)) + 8 * y_true[:, None]
    rows, y = hide_labels(y_true, n_labeled=40, scenario="case-control", random_state=0)
    scores = held_out_scores(
        cloud[rows],
        y == 1,
        classifier=KNeighborsClassifier(1),
        cv=10,
        scenario=scenario,
        rng=check_random_state(0),
    )
    assert (scores[y == 1].mean() > 0.2) == honest


@pytest.mark.parametrize("function", [bbe, dedpul, elkan_noto])
@pytest.mark.parametrize(
    ("labeled", "unlabeled", "message"),
    [
        ([0.5], [0.1, 0.2], r"labeled_scores has shape \(1,\)"),
        ([0.5, 0.4], [[0.1, 0.2]], r"unlabeled_scores has shape \(1, 2\)"),
        ([0.5, np.nan], [0.1, 0.2], "1 values that are not finite"),
    ],
)
def test_scores_that_cannot_be_used_are_said(function, labeled, unlabeled, message):
    with pytest.raises(ValueError, match=message):
        function(labeled, unlabeled)


def test_elkan_noto_wants_probabilities():
    with pytest.raises(ValueError, match=r"ranges from -1 to .*; expected probabilities"):
        elkan_noto([0.5, -1.0], [0.1, 0.2])


def test_an_unknown_scenario_is_refused():
    with pytest.raises(ValueError, match="scenario is 'both'"):
        shares_of(0.5, n_labeled=1, n_unlabeled=1, scenario="both")
