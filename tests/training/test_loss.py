"""Each loss term does what its name says, and only that."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pulps.training.loss import SIDES_ONLY, LossWeights, group_mean, pu_loss
from pulps.training.pseudo_labels import hard_pseudo_labels, soft_pseudo_labels

W = LossWeights()
ZERO, ONE = torch.zeros(1), torch.ones(1)


def loss(log_p, log_n, labeled, **options):
    labeled = torch.tensor([labeled], dtype=torch.float32)
    arguments = dict(frobenius_p=ZERO, frobenius_n=ZERO, norm_weight=ONE) | options
    return pu_loss(
        torch.tensor([log_p]),
        torch.tensor([log_n]),
        labeled,
        arguments.pop("unlabeled", 1 - labeled),
        arguments.pop("frobenius_p"),
        arguments.pop("frobenius_n"),
        W,
        arguments.pop("norm_weight"),
        **arguments,
    )


def test_perfectly_placed_rows_cost_nothing():
    terms = loss([W.sphere, W.sphere, W.kernel], [W.kernel, W.kernel, W.sphere], [1, 0, 0])
    assert terms.total == 0


@pytest.mark.parametrize(
    ("log_p", "log_n", "labeled", "name", "value"),
    [
        (6.0, -50.0, 1, "labeled", 4.0),
        (5.0, -49.0, 1, "labeled", 4.0),
        (6.0, -50.0, 0, "positive", 1.0),
        (5.0, -49.0, 0, "positive", 2.0),
        (-49.0, 5.0, 0, "negative", 2.0),
        (-50.0, 6.0, 0, "negative", 1.0),
    ],
)
def test_a_step_off_its_place_costs_the_weight_of_the_term(log_p, log_n, labeled, name, value):
    terms = loss([log_p], [log_n], [labeled])
    assert getattr(terms, name).item() == pytest.approx(value)
    others = {"labeled", "positive", "negative"} - {name}
    assert all(getattr(terms, other) == 0 for other in others)


def test_the_norm_term_is_three_absolute_values_times_its_weight():
    terms = loss([5.0], [-50.0], [1], frobenius_p=2 * ONE, frobenius_n=-ONE, norm_weight=10 * ONE)
    assert terms.norm == 10 * (2 + 1 + 3)


def test_the_balance_term_pulls_the_mean_log_ratio_to_where_the_prior_has_it():
    assert loss([1.0, 3.0], [0.0, 0.0], [0, 0]).balance == 4 * 2**2
    assert loss([1.0, 3.0], [0.0, 0.0], [0, 0], prior=1.0).balance == 0
    assert loss([2.0, 0.0, 0.0, 0.0], [0.0, 2.0, 2.0, 2.0], [0] * 4, prior=0.25).balance == 0


def test_rows_within_the_margin_take_no_side():
    terms = loss([1.0, 0.0], [0.0, 1.0], [0, 0], margin=2.0)
    assert terms.positive == terms.negative == 0
    terms = loss([9.0, 0.0], [0.0, 9.0], [0, 0], margin=2.0)
    assert terms.positive > 0
    assert terms.negative > 0


def test_squared_norms_double_every_logarithm():
    plain = loss([2.0, 6.0], [-8.0, 10.0], [1, 0], frobenius_p=2 * ONE, frobenius_n=4 * ONE)
    doubled = loss(
        [1.0, 3.0], [-4.0, 5.0], [1, 0], frobenius_p=ONE, frobenius_n=2 * ONE, squared=True
    )
    assert plain == doubled


def test_a_row_of_no_weight_is_held_out():
    with_row = loss([1.0, 7.0], [0.0, 3.0], [1, 0], unlabeled=torch.zeros(1, 2))
    assert with_row == loss([1.0], [0.0], [1])


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=5), st.integers(2, 4))
def test_a_weight_of_k_equals_k_copies(values, k):
    values = torch.tensor([values])
    weights = torch.ones_like(values)
    weights[0, 0] = k
    copies = torch.cat([values, values[:, :1].expand(1, k - 1)], dim=1)
    torch.testing.assert_close(group_mean(values, weights), copies.mean(-1), rtol=1e-4, atol=1e-3)


def test_an_empty_group_costs_nothing_and_has_no_gradient_trouble():
    value = torch.ones(1, 2, requires_grad=True)
    group_mean(value, torch.zeros(1, 2)).sum().backward()
    assert (value.grad == 0).all()


def test_a_hint_gives_a_row_to_a_class_and_changes_nothing_else():
    plain = loss([0.0, 0.0], [1.0, 1.0], [0, 0])
    hinted = loss([0.0, 0.0], [1.0, 1.0], [0, 0], hints=torch.tensor([0.0, 5.0]))
    assert plain.positive == 0
    assert hinted.positive == W.positive_own * 5**2 + W.positive_other * 51**2
    assert hinted.negative == plain.negative
    assert hinted.balance == plain.balance
    within = loss([0.0], [1.0], [0], hints=torch.tensor([2.0]), margin=3.0)
    assert within.positive == within.negative == 0


def sides(log_ratio, labeled, weights, rule, *, frobenius=(0.0, 0.0), **options):
    """Loss terms of rows that are asked for their side only; ``labeled`` and weights per row."""
    labeled = torch.tensor([labeled], dtype=torch.float64)
    weights = torch.tensor([weights], dtype=torch.float64)
    log_n = torch.zeros_like(log_ratio)
    norms = (torch.tensor([size], dtype=torch.float64) for size in frobenius)
    norm_weight = torch.ones(1, dtype=torch.float64)
    terms = SIDES_ONLY, norm_weight
    shown, unlabeled = labeled * weights, (1 - labeled) * weights
    return pu_loss(
        log_ratio, log_n, shown, unlabeled, *norms, *terms, pseudo_labels=rule, **options
    )


def by_hand(ratios, labeled, weights, shares):
    """The logistic term, row by row: a mean for each of three groups."""
    total = 0.0
    for sign, counted in (
        (-1, [w * side for w, side in zip(weights, labeled, strict=True)]),
        (-1, [w * (1 - s) * p for w, s, p in zip(weights, labeled, shares, strict=True)]),
        (1, [w * (1 - s) * (1 - p) for w, s, p in zip(weights, labeled, shares, strict=True)]),
    ):
        size = sum(counted)
        if size:
            losses = [math.log1p(math.exp(sign * r)) for r in ratios]
            total += sum(c * loss for c, loss in zip(counted, losses, strict=True)) / size
    return total


some_rows = st.lists(
    st.tuples(st.floats(-20, 20), st.integers(0, 1), st.floats(0.1, 9), st.floats(-6, 6)),
    min_size=1,
    max_size=6,
).map(lambda rows: tuple(map(list, zip(*rows, strict=True))))


@given(some_rows, st.floats(0, 2))
def test_the_logistic_term_is_softplus_of_the_log_ratio_by_soft_sides(rows, own):
    ratios, labeled, weights, hints = rows
    shares = [1 / (1 + math.exp(-own * r - h)) for r, h in zip(ratios, hints, strict=True)]
    log_p, hints = (torch.tensor([x], dtype=torch.float64) for x in (ratios, hints))
    terms = sides(log_p, labeled, weights, soft_pseudo_labels, hints=hints, own=own)
    expected = by_hand(ratios, labeled, weights, shares)
    assert terms.logistic.item() == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert terms.total == terms.logistic


@given(some_rows)
def test_with_hard_sides_a_row_counts_for_one_class(rows):
    ratios, labeled, weights, hints = rows
    shares = [float(r + h > 0) for r, h in zip(ratios, hints, strict=True)]
    log_p, hints = (torch.tensor([x], dtype=torch.float64) for x in (ratios, hints))
    terms = sides(log_p, labeled, weights, hard_pseudo_labels, hints=hints)
    expected = by_hand(ratios, labeled, weights, shares)
    assert terms.logistic.item() == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_logistic_term_has_a_gradient_through_the_log_ratio_alone():
    """The shares are taken as they are: their own dependence on the states is not followed."""
    ratios, hints = [1.0, -2.0, 0.5], [0.0, 1.0, -0.3]
    log_p = torch.tensor([ratios], dtype=torch.float64, requires_grad=True)
    heard = torch.tensor([hints], dtype=torch.float64, requires_grad=True)
    terms = sides(log_p, [1, 0, 0], [1, 1, 1], soft_pseudo_labels, hints=heard.detach())
    terms.logistic.sum().backward()
    w = [1 / (1 + math.exp(-r - h)) for r, h in zip(ratios, hints, strict=True)]
    sigmoid = [1 / (1 + math.exp(-r)) for r in ratios]
    positive, negative = w[1] + w[2], 2 - w[1] - w[2]
    expected = [sigmoid[0] - 1] + [
        w[i] / positive * (sigmoid[i] - 1) + (1 - w[i]) / negative * sigmoid[i] for i in (1, 2)
    ]
    torch.testing.assert_close(log_p.grad[0], torch.tensor(expected, dtype=torch.float64))


def test_the_size_of_the_states_costs_its_square():
    ratio = torch.zeros(1, 2, dtype=torch.float64)
    terms = sides(ratio, [1, 0], [1, 1], None, frobenius=(3.0, -2.0))
    assert terms.norm.item() == pytest.approx(SIDES_ONLY.size * (3**2 + 2**2))


def test_places_and_sides_can_be_asked_for_together():
    both = replace(LossWeights(), logistic=2.0)
    plain = loss([1.0, 7.0], [0.0, 9.0], [1, 0])
    arguments = torch.tensor([[1.0, 7.0]]), torch.tensor([[0.0, 9.0]])
    labeled = torch.tensor([[1.0, 0.0]])
    mixed = pu_loss(*arguments, labeled, 1 - labeled, ZERO, ZERO, both, ONE)
    assert mixed[:5] == plain[:5]
    assert plain.logistic == 0
    softplus = math.log1p(math.exp(-1)) + math.log1p(math.exp(-2))
    assert mixed.logistic.item() == pytest.approx(2 * softplus)
