"""Each loss term does what its name says, and only that."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pulps.training.loss import LossWeights, group_mean, pu_loss

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
