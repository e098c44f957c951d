"""The risks of uPU and nnPU, by hand: the sigmoid loss of a score g is 1 / (1 + e^g)."""

import math

import pytest
import torch

from pulps.baselines._shared.pu_risk import non_negative_risk, unbiased_risk


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
