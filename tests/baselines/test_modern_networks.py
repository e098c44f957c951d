"""uPU, nnPU, VPU, Dist-PU, (TED)ⁿ: the property that defines each, and their networks."""

import math

import numpy as np
import pytest
import torch

from pulps import hide_labels
from pulps.baselines import NNPUClassifier, TEDnClassifier, VPUClassifier
from pulps.baselines._shared.network_training import Schedule, TrainingRows, train_network
from pulps.baselines._shared.pu_risk import non_negative_risk, unbiased_risk
from pulps.baselines.networks.dist_pu import distribution_loss, mean_entropy
from pulps.baselines.networks.ted_n import keep_least_positive
from pulps.baselines.networks.vpu import mixup_consistency, variational_loss
from pulps.datasets import make_toy

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


# (TED)ⁿ


def test_cvir_ignores_the_share_that_looks_most_positive():
    answers = torch.tensor([0.1, 5.0, -2.0, 3.0, 0.2])
    assert keep_least_positive(answers, 0.4).tolist() == [True, False, True, False, True]
    assert keep_least_positive(answers, 0.0).all()
    assert keep_least_positive(answers, 1.0).tolist() == [False, False, True, False, False]


def test_ted_n_finds_the_share_of_positives_while_it_learns():
    X, y, y_true = make_toy("blobs", n_rows=1000, n_labeled=250, random_state=0)
    model = TEDnClassifier(max_epochs=20, learning_rate=0.01, batch_size=300, random_state=0)
    model.fit(X, y)
    assert model.prior_of_unlabeled_ == pytest.approx(y_true[y == 0].mean(), abs=0.1)
    given = model.set_params(prior=0.5).fit(X, y)
    assert given.prior_of_unlabeled_ == pytest.approx((500 - 250) / 750)


def test_one_labeled_row_is_too_few_to_hold_some_out():
    rows = TrainingRows(torch.zeros(1, 1), torch.zeros(5, 1))
    with pytest.raises(ValueError, match="1 labeled rows and 5"):
        rows.split(0.5, torch.Generator())


def test_held_out_rows_are_in_neither_group_that_trains():
    rows = np.arange(60.0)[:, None]
    labeled = np.arange(60) < 20
    model = VPUClassifier(validation_share=0.25)
    rest, held = model._hold_out(rows, labeled, torch.Generator().manual_seed(0))
    assert [len(group) for part in (rest, held) for group in (part.positive, part.other)] == [
        15,
        45,
        5,
        15,
    ]
    trained = {*rest.positive.ravel().tolist(), *rest.other.ravel().tolist()}
    assert not trained & {*held.positive.ravel().tolist(), *held.other.ravel().tolist()}
    assert {*held.positive.ravel().tolist()} < {*held.other.ravel().tolist()}


def test_a_single_labeled_row_cannot_be_held_out():
    X, y, _ = make_toy("moons", n_rows=40, n_labeled=1, random_state=0)
    with pytest.raises(ValueError, match="n_iter_no_change=None"):
        VPUClassifier(max_epochs=2, random_state=0).fit(X, y)


# Networks


def test_a_batch_holds_other_rows_once_and_labeled_rows_in_equal_number():
    rows = TrainingRows(torch.arange(50.0)[:, None], torch.arange(30.0)[:, None])
    batches = list(rows.batches(10, torch.Generator().manual_seed(0)))
    assert sorted(torch.cat([batch.other for batch in batches])[:, 0].tolist()) == list(range(30))
    assert {len(batch.positive) for batch in batches} == {10}
    for batch in batches:
        torch.testing.assert_close(batch.other, rows.other[batch.which])


def test_the_best_weights_of_the_held_out_rows_are_kept():
    network = torch.nn.Linear(1, 1)
    rows = TrainingRows(torch.ones(4, 1), torch.ones(4, 1))
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
    with pytest.raises(ValueError, match="one score per row"):
        NNPUClassifier(network=torch.nn.Linear(2, 2), prior=0.5).fit(X, y)
