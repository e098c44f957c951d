"""Modern rivals: the property that defines each of them."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from pulps import hide_labels
from pulps.baselines import (
    DistPUClassifier,
    ElkanNotoClassifier,
    NNPUClassifier,
    OneClassLPS,
    PUBaggingClassifier,
    PUExtraTreesClassifier,
    SpyClassifier,
    TEDnClassifier,
    UPUClassifier,
    VPUClassifier,
)
from pulps.baselines.bbe_prior import best_bin_share, estimate_prior
from pulps.baselines.contract import population_prior, unlabeled_prior
from pulps.baselines.dist_pu import distribution_loss, mean_entropy
from pulps.baselines.elkan_noto import hidden_positive_weights, label_frequency
from pulps.baselines.network_training import Rows, Schedule, train_network
from pulps.baselines.one_class_lps import one_class_loss
from pulps.baselines.pu_risk import non_negative_risk, unbiased_risk
from pulps.baselines.risk_tree import grow_tree, node_risk
from pulps.baselines.spies import spy_threshold
from pulps.baselines.ted_n import keep_least_positive
from pulps.baselines.vpu import mixup_consistency, variational_loss
from pulps.benchmark.methods import find_method
from pulps.benchmark.protocol import Task
from pulps.datasets import make_toy

FAST_NETWORK = {"batch_size": 250, "learning_rate": 0.01, "random_state": 0}
MOONS = [
    ElkanNotoClassifier(random_state=0),
    ElkanNotoClassifier(weighted=True, random_state=0),
    PUBaggingClassifier(prior=0.5, random_state=0),
    SpyClassifier(random_state=0),
    PUExtraTreesClassifier(prior=0.5, n_estimators=50, random_state=0),
    UPUClassifier(prior=0.5, **FAST_NETWORK),
    NNPUClassifier(prior=0.5, **FAST_NETWORK),
    VPUClassifier(**FAST_NETWORK),
    DistPUClassifier(prior=0.5, **FAST_NETWORK),
    TEDnClassifier(prior=0.5, **FAST_NETWORK),
]


def name(value):
    return type(value).__name__ if hasattr(value, "fit") else None


@pytest.mark.parametrize("model", MOONS, ids=name)
def test_two_moons_with_a_hundred_labels(model):
    X, y, _ = make_toy("moons", random_state=0)
    fresh, _, truth = make_toy("moons", random_state=100)
    assert (model.fit(X, y).predict(fresh) == truth).mean() >= 0.90


# The risk of uPU and nnPU, by hand: sigmoid loss of score g is 1 / (1 + e^g).


def test_the_unbiased_risk_equals_the_hand_value():
    positive, population = torch.tensor([math.log(3)]), torch.tensor([math.log(3), -math.log(3)])
    risk = unbiased_risk(positive, population, 0.4, "sigmoid")
    assert risk.positive == pytest.approx(0.4 * 0.25)
    assert risk.negative == pytest.approx((0.75 + 0.25) / 2 - 0.4 * 0.75)
    assert risk.value == risk.objective == pytest.approx(0.1 + 0.2)


def test_where_the_negative_part_is_negative_value_and_objective_part():
    positive, population = torch.tensor([math.log(9)]), torch.tensor([-math.log(9)])
    unbiased = unbiased_risk(positive, population, 0.5, "sigmoid")
    assert unbiased.negative == pytest.approx(0.1 - 0.5 * 0.9)
    risk = non_negative_risk(positive, population, 0.5, "sigmoid", gamma=0.5)
    assert risk.value == pytest.approx(0.5 * 0.1)
    assert risk.objective == pytest.approx(0.5 * 0.35)
    tolerant = non_negative_risk(positive, population, 0.5, "sigmoid", beta=0.4)
    assert tolerant.value == tolerant.objective == pytest.approx(0.05 - 0.35)
    floor = non_negative_risk(positive, population, 0.5, "sigmoid", beta=0.1)
    assert floor.value == pytest.approx(0.05 - 0.1)


def test_the_step_back_moves_against_the_unbiased_one():
    positive = torch.tensor([math.log(9)])
    population = torch.tensor([-math.log(9)], requires_grad=True)
    (up,) = torch.autograd.grad(
        unbiased_risk(positive, population, 0.5, "sigmoid").objective, population
    )
    (back,) = torch.autograd.grad(
        non_negative_risk(positive, population, 0.5, "sigmoid").objective, population
    )
    assert back == pytest.approx(-up)
    assert back != 0


@pytest.mark.parametrize(
    ("loss", "cost"), [("logistic", math.log1p(math.e)), ("double-hinge", 1.0), ("squared", 1.0)]
)
def test_losses_of_a_margin_of_minus_one(loss, cost):
    risk = unbiased_risk(torch.tensor([-1.0]), torch.tensor([0.0]), 1.0, loss)
    assert risk.positive == pytest.approx(cost)


# VPU


def test_the_variational_loss_is_smallest_at_the_posterior_whatever_its_scale():
    posterior = torch.tensor([1.0, 0.5, 0.1])  # of three kinds of rows, equally frequent
    draws = torch.cat([torch.full((n,), i) for i, n in enumerate((10, 5, 1))])

    def loss(phi):
        return float(variational_loss(phi.log()[draws], phi.log()))

    best = loss(posterior)
    assert loss(0.3 * posterior) == pytest.approx(best, abs=1e-6)
    for other in ([1.0, 0.6, 0.1], [1.0, 0.4, 0.1], [1.0, 0.5, 0.2], [0.9, 0.5, 0.1]):
        assert loss(torch.tensor(other)) > best + 1e-4


def test_mixtures_that_are_answered_consistently_cost_nothing():
    other = torch.tensor([0.2, 0.8]).log()
    mixed = torch.tensor([0.25 + 0.75 * 0.2, 0.25 + 0.75 * 0.8]).log()
    assert float(mixup_consistency(mixed, other, 0.25)) == pytest.approx(0, abs=1e-10)
    assert float(mixup_consistency(other, other, 0.25)) > 0.01


# Dist-PU


def test_the_distribution_loss_is_zero_at_the_class_shares_only():
    sure, shares = torch.tensor([50.0]), torch.tensor([50.0, -50.0, -50.0, -50.0])
    assert float(distribution_loss(sure, shares, 0.25)) == pytest.approx(0, abs=1e-6)
    assert float(distribution_loss(sure, -sure, 0.25)) == pytest.approx(0.25 / 0.5)
    assert float(distribution_loss(-sure, shares, 0.25)) == pytest.approx(1)
    assert float(mean_entropy(shares)) == pytest.approx(0, abs=1e-6)


# Elkan–Noto


def overlapping(n=20_000, prior=0.5, frequency=0.4):
    """Two far normal groups of which the positive one is labeled at random."""
    rng = np.random.RandomState(0)
    y_true = (rng.random_sample(n) < prior).astype(int)
    X = rng.normal(6 * y_true, 1)[:, None]
    return X, hide_labels(y_true, label_frequency=frequency, random_state=0), y_true


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_elkan_noto_finds_the_label_frequency(scenario):
    X, y, y_true = overlapping()
    truth = 0.4
    if scenario == "case-control":
        X, y = np.r_[X[y == 1], X], np.r_[y[y == 1], np.zeros_like(y)]
        n_labeled = y.sum()
        truth = n_labeled / (n_labeled + y_true.sum())
    tree = DecisionTreeClassifier(min_samples_leaf=500)  # f has a plateau, a logistic has none
    model = ElkanNotoClassifier(tree, calibration=None, scenario=scenario, random_state=0)
    assert model.fit(X, y).label_frequency_ == pytest.approx(truth, abs=0.01)
    # far on the positive side a row is positive for sure
    assert model.predict_proba([[6.0], [0.0]])[:, 1] == pytest.approx([1, 0], abs=0.03)


def test_a_given_prior_fixes_the_label_frequency():
    X, y, _ = overlapping(2000)
    model = ElkanNotoClassifier(GaussianNB(), calibration=None, prior=0.5).fit(X, y)
    assert model.label_frequency_ == pytest.approx(y.sum() / 1000)


def test_weights_are_the_posterior_of_unlabeled_rows():
    """By Bayes: P(y=1 | s=0, x) = (1 − c) p / (1 − c p), with f = c p."""
    p, c = np.array([0.0, 0.3, 0.9, 1.0]), 0.4
    np.testing.assert_allclose(hidden_positive_weights(c * p, c), (1 - c) * p / (1 - c * p))


def test_the_three_estimators_of_the_label_frequency_agree_without_overlap():
    labeled = np.repeat([True, False], [40, 160])
    f = np.repeat([0.4, 0.0], [100, 100])
    f[:100], f[100:] = 0.4, 0.0  # a hundred positives, of which forty are labeled
    assert [label_frequency(f, labeled, kind) for kind in ("mean", "ratio", "max")] == [
        pytest.approx(0.4)
    ] * 3


# PU bagging, spies


def test_bagging_with_a_prior_calls_that_share_of_unlabeled_rows_positive():
    X, y, _ = make_toy("moons", random_state=0)
    model = PUBaggingClassifier(prior=0.3, n_estimators=30, random_state=0).fit(X, y)
    share = (model.oob_score_samples_[y == 0] > model.threshold_).mean()
    assert share == pytest.approx((300 - 100) / 900, abs=0.02)


def test_bagging_never_scores_a_row_by_members_that_took_it_for_a_negative():
    X = np.arange(12.0)[:, None]
    y = np.repeat([1, 0], [3, 9])
    model = PUBaggingClassifier(n_estimators=200, random_state=0).fit(X, y)
    inside = model.predict_proba(X)[y == 0, 1]
    assert (model.oob_score_samples_[y == 0] >= inside - 1e-12).all()
    assert (model.oob_score_samples_[y == 0] > inside + 0.01).any()


def test_the_spy_threshold_lets_the_noise_share_fall_below():
    scores = np.random.RandomState(0).permutation(np.arange(100.0))
    for noise in (0, 0.05, 0.15):
        assert (scores < spy_threshold(scores, noise)).mean() == pytest.approx(noise)


def test_spies_find_negatives_that_are_negative():
    X, y, y_true = make_toy("blobs", random_state=0)
    model = SpyClassifier(GaussianNB(), random_state=0).fit(X, y)
    assert model.reliable_negatives_.sum() > 300
    # a row below the lowest of 15 spies is positive now and then; 44 % of all unlabeled are
    assert y_true[model.reliable_negatives_].mean() < 0.05


# PU extra-trees


def test_the_split_criterion_equals_the_hand_value():
    quadratic = {"loss": "quadratic", "non_negative": True}
    assert node_risk([0.1], [0.4], **quadratic) == pytest.approx(4 * 0.4 * 0.25 * 0.75)
    entropy = -0.4 * (0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    assert node_risk([0.1], [0.4], loss="logistic", non_negative=True) == pytest.approx(entropy)
    assert node_risk([0.6], [0.4], **quadratic) == 0
    unbiased = node_risk([0.6], [0.4], loss="quadratic", non_negative=False)
    assert unbiased == pytest.approx(4 * 0.4 * 1.5 * (1 - 1.5))


def test_a_tree_splits_where_labeled_rows_end():
    x = np.arange(20.0)[:, None]
    labeled = x[:, 0] < 5
    tree = grow_tree(
        x,
        labeled * (0.25 / 5),
        np.full(20, 1 / 20),
        n_candidates=1,
        loss="quadratic",
        non_negative=True,
        max_depth=None,
        min_samples_leaf=1,
        rng=np.random.RandomState(0),
    )
    np.testing.assert_array_equal(tree.predict(x) > 0.5, labeled)
    assert tree.predict(np.array([[-9.0], [99.0]])).tolist() == [1, 0]


# (TED)ⁿ and BBE


def test_cvir_ignores_the_share_that_looks_most_positive():
    answers = torch.tensor([0.1, 5.0, -2.0, 3.0, 0.2])
    assert keep_least_positive(answers, 0.4).tolist() == [True, False, True, False, True]
    assert keep_least_positive(answers, 0.0).all()
    assert keep_least_positive(answers, 1.0).tolist() == [False, False, True, False, False]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_the_best_bin_finds_the_share_of_positives(share):
    rng = np.random.RandomState(0)
    unlabeled = rng.normal(4 * (rng.random_sample(4000) < share), 1)
    assert best_bin_share(rng.normal(4, 1, 2000), unlabeled) == pytest.approx(share, abs=0.04)


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
def test_the_estimated_prior_knows_the_scenario(scenario):
    X, y, _ = overlapping(1000)
    labeled = y == 1
    if scenario == "case-control":
        X, labeled = np.r_[X[labeled], X], np.repeat([True, False], [labeled.sum(), 1000])
    found = estimate_prior(X, labeled, scenario=scenario, random_state=0)
    assert found == pytest.approx(0.5, abs=0.1)


def test_a_prior_below_the_labeled_share_is_refused():
    labeled = np.arange(10) < 4
    with pytest.raises(ValueError, match="3 of 10 rows are positive, but 4 are labeled"):
        population_prior(0.3, np.zeros((10, 1)), labeled, "single-training-set", None)
    assert population_prior(0.3, np.zeros((10, 1)), labeled, "case-control", None) == 0.3
    assert unlabeled_prior(0.7, labeled, "single-training-set") == pytest.approx(0.5)


# Networks


def test_a_batch_holds_other_rows_once_and_labeled_rows_in_equal_number():
    rows = Rows(torch.arange(50.0)[:, None], torch.arange(30.0)[:, None])
    batches = list(rows.batches(10, torch.Generator().manual_seed(0)))
    assert sorted(torch.cat([batch.other for batch in batches])[:, 0].tolist()) == list(range(30))
    assert {len(batch.positive) for batch in batches} == {10}
    for batch in batches:
        torch.testing.assert_close(batch.other, rows.other[batch.index])


def test_the_best_weights_of_the_held_out_rows_are_kept():
    network = torch.nn.Linear(1, 1)
    rows = Rows(torch.ones(4, 1), torch.ones(4, 1))
    losses, seen = iter([3.0, 1.0, 2.0, 2.5, 0.0]), []

    def validation():
        seen.append(network.weight.detach().clone())
        return next(losses)

    curve = train_network(
        network,
        rows,
        lambda batch, epoch: network(batch.other).sum(),
        Schedule(5, 0.1, 4, n_iter_no_change=2),
        torch.Generator().manual_seed(0),
        validation=validation,
    )
    assert curve == [3.0, 1.0, 2.0, 2.5]
    torch.testing.assert_close(network.weight.detach(), seen[1])
    assert not torch.equal(seen[1], seen[3])


def stripes(n=120):
    """Images with a vertical (positive) or a horizontal stripe."""
    rng = np.random.RandomState(0)
    y_true = rng.randint(2, size=n)
    images = rng.normal(0, 0.3, size=(n, 8, 8))
    for image, positive, at in zip(images, y_true, rng.randint(8, size=n), strict=True):
        (image.T if positive else image)[at] += 2
    return images, y_true


def test_a_small_cnn_learns_images():
    images, y_true = stripes()
    y = hide_labels(y_true, label_frequency=0.5, random_state=0)
    model = NNPUClassifier(
        network="cnn",
        prior=float(y_true.mean()),
        max_epochs=30,
        learning_rate=0.01,
        random_state=0,
    )
    assert (model.fit(images, y).predict(images) == y_true).mean() > 0.9
    with pytest.raises(ValueError, match="reads images"):
        NNPUClassifier(network="cnn", prior=0.6).fit(images.reshape(120, -1), y)


@pytest.mark.parametrize(
    "network",
    [
        "linear",
        torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.Dropout(), torch.nn.Linear(4, 1)),
        lambda shape: torch.nn.Linear(shape[0], 1),
    ],
    ids=["name", "module", "factory"],
)
def test_any_module_serves_and_its_fit_is_reproducible(network):
    X, y, y_true = make_toy("blobs", n_rows=200, n_labeled=40, random_state=0)
    before = torch.get_rng_state()
    options = {"prior": 0.5, "max_epochs": 20, "learning_rate": 0.02, "random_state": 0}
    first, second = (NNPUClassifier(network=network, **options).fit(X, y) for _ in range(2))
    assert (first.predict(X) == y_true).mean() > 0.95
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))
    assert torch.equal(before, torch.get_rng_state())
    assert all(isinstance(weights, np.ndarray) for weights in first.weights_.values())


def test_a_network_with_two_scores_a_row_is_refused():
    X, y, _ = make_toy("blobs", n_rows=40, n_labeled=8, random_state=0)
    with pytest.raises(ValueError, match="one score a row"):
        NNPUClassifier(network=torch.nn.Linear(2, 2), prior=0.5).fit(X, y)


# One-class LPS


def test_the_one_class_loss_equals_the_hand_value():
    loss = one_class_loss(torch.tensor([[0.5, 1.5], [1.0, 1.0]]), torch.tensor([2.0, -3.0]), 0.25)
    assert loss.tolist() == pytest.approx([(0 + 4) / 2 + 0.25 * 4, 1.0])


def test_one_class_scores_are_densities_and_know_nothing_of_unlabeled_answers():
    rng = np.random.RandomState(0)
    X = rng.uniform(size=(200, 2))
    X[:80] = 0.3 + 0.1 * rng.uniform(size=(80, 2))
    X[80:84] = [[0, 0], [0, 1], [1, 0], [1, 1]]  # the domain is the unit square
    y = np.repeat([1, 0], [80, 120])
    model = OneClassLPS(max_epochs=30, n_members=2, random_state=0).fit(X, y)
    steps = (np.arange(40) + 0.5) / 40
    grid = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    assert np.exp(model.score_samples(grid)).mean() == pytest.approx(1, abs=0.02)
    assert (model.decision_function(X[:80]) > 0).mean() == pytest.approx(0.9, abs=0.02)
    assert (model.predict(X[84:]) == 0).mean() > 0.8
    others = X.copy()
    others[100:] = rng.uniform(size=(100, 2))
    again = OneClassLPS(max_epochs=30, n_members=2, random_state=0).fit(others, y)
    np.testing.assert_allclose(again.score_samples(grid), model.score_samples(grid))


# The contract all share


def mixed_table():
    rng = np.random.RandomState(0)
    y_true = np.repeat([1, 0], 60)
    frame = pd.DataFrame(
        {
            "size": np.where(rng.rand(120) < 0.1, np.nan, y_true + rng.normal(0, 0.3, 120)),
            "word": np.where(rng.rand(120) < 0.1, None, np.array(["no", "yes"])[y_true]),
        }
    )
    return frame, hide_labels(y_true, n_labeled=30, random_state=0), y_true


QUICK = [
    ElkanNotoClassifier(LogisticRegression()),
    PUBaggingClassifier(n_estimators=20),
    SpyClassifier(LogisticRegression(), n_draws=2),
    PUExtraTreesClassifier(n_estimators=20, prior=0.5),
    UPUClassifier(prior=0.5, max_epochs=40, learning_rate=0.01),
    NNPUClassifier(prior=0.5, max_epochs=40, learning_rate=0.01),
    VPUClassifier(max_epochs=40, learning_rate=0.01),
    DistPUClassifier(prior=0.5, warm_up_epochs=30, max_epochs=5, learning_rate=0.01),
    TEDnClassifier(prior=0.5, warm_up_epochs=5, max_epochs=30, learning_rate=0.01),
    OneClassLPS(max_epochs=40, n_members=2),
]


@pytest.mark.parametrize("model", QUICK, ids=name)
def test_a_mixed_table_with_holes_and_words_for_labels(model):
    X, y, y_true = mixed_table()
    words = np.array(["unknown", "known"])[y]
    model.set_params(random_state=0, pos_label="known").fit(X, words)
    assert model.classes_.tolist() == ["unknown", "known"]
    predicted = model.predict(X)
    assert ((predicted == "known") == y_true).mean() > 0.8
    proba = model.predict_proba(X)
    assert proba.shape == (120, 2)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert ((proba >= 0) & (proba <= 1)).all()
    np.testing.assert_array_equal(predicted == "known", proba[:, 1] > 0.5)


METHOD_NAMES = """dist-pu elkan-noto elkan-noto-weighted nnpu one-class-lps pu-bagging
pu-extra-trees spies ted-n upu vpu""".split()


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_methods_are_registered_with_the_seed_and_scenario_of_the_task(method):
    task = Task("vote", label_frequency=0.3, scenario="case-control")
    model = find_method(method).make(task)
    assert model.random_state == task.model_seed
    assert model.get_params().get("scenario", "case-control") == "case-control"
