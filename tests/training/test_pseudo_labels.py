"""Pseudo-labels: the paper's rule, and what any rule is told and may say."""

import math
from dataclasses import replace
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from small_chains import rows, run, start

from pulps.training.loop import LoopSettings
from pulps.training.loss import LossWeights, pu_loss
from pulps.training.pseudo_labels import (
    hard_pseudo_labels,
    soft_pseudo_labels,
    sure_log_odds,
)

NO_PSEUDO_LABELS = LossWeights(
    positive_own=0.0, positive_other=0.0, negative_own=0.0, negative_other=0.0
)

leanings = st.lists(
    st.floats(-100, 100).filter(lambda x: abs(x) > 1e-3), min_size=1, max_size=6
).map(lambda values: torch.tensor([values, values[::-1]], dtype=torch.float64))


@pytest.mark.parametrize(("margin", "classes"), [(0.0, "nnnpp"), (2.0, "n   p")])
def test_the_hard_rule_is_the_sign_outside_the_margin(margin, classes):
    positive, negative = hard_pseudo_labels(
        torch.tensor([-3.0, -2.0, 0.0, 2.0, 3.0]), margin=margin
    )
    assert positive.tolist() == [name == "p" for name in classes]
    assert negative.tolist() == [name == "n" for name in classes]


@given(leanings)
def test_soft_pseudo_labels_tend_to_hard_ones(leaning):
    soft = soft_pseudo_labels(leaning, softness=1e-6)
    hard = hard_pseudo_labels(leaning)
    torch.testing.assert_close(list(soft), [weight.double() for weight in hard])


@given(leanings, st.floats(1, 50))
def test_soft_pseudo_labels_divide_each_row_by_its_odds(leaning, softness):
    positive, negative = soft_pseudo_labels(leaning, softness=softness)
    torch.testing.assert_close(positive + negative, torch.ones_like(leaning))
    torch.testing.assert_close(positive.log() - negative.log(), leaning / softness)


def placed(log_p, weights=None, **options):
    """Loss of three unlabeled rows and a labeled one, of two members."""
    labeled = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).expand(2, -1)
    log_n = torch.linspace(-3, 3, 8).view(2, 4)
    norm = torch.ones(2)
    return pu_loss(
        log_p, log_n, labeled, 1 - labeled, norm, norm, weights or LossWeights(), norm, **options
    )


@given(st.floats(0.01, 0.99))
def test_a_row_that_both_states_fit_alike_is_as_positive_as_rows_are(share):
    odds = math.log(share / (1 - share))
    positive, negative = soft_pseudo_labels(torch.zeros(2, 3), prior_odds=odds)
    torch.testing.assert_close(positive, torch.full((2, 3), share))
    torch.testing.assert_close(negative, torch.full((2, 3), 1 - share))


@given(st.floats(0, 1))
def test_sure_log_odds_lean_as_the_share_does_and_never_further(share):
    sure = sure_log_odds(share)
    assert sure == pytest.approx(-sure_log_odds(1 - share))
    if 0.001 < share < 0.999:
        assert 0 <= abs(sure) <= abs(math.log(share / (1 - share)))
    assert sure * (share - 0.5) >= 0
    assert bool(sure) == (not 0.3100255 <= share <= 0.6899745)


def test_rows_count_by_the_weights_a_rule_gives():
    log_p = torch.zeros(2, 4)
    both = placed(log_p, pseudo_labels=lambda leaning: (leaning * 0 + 0.25, leaning * 0 + 0.5))
    first = placed(log_p, pseudo_labels=lambda leaning: (leaning == leaning, leaning != leaning))
    second = placed(log_p, pseudo_labels=lambda leaning: (leaning != leaning, leaning == leaning))
    torch.testing.assert_close(both.positive, first.positive)
    torch.testing.assert_close(both.negative, second.negative)
    assert not first.negative.any()
    assert not second.positive.any()
    uneven = torch.tensor([[0.0, 0.5, 0.0, 0.25]]).expand(2, -1)
    alone = [
        placed(log_p, pseudo_labels=lambda _, i=i: (torch.eye(4)[[i, i]],) * 2) for i in (1, 3)
    ]
    torch.testing.assert_close(
        placed(log_p, pseudo_labels=lambda leaning: (uneven, uneven)).positive,
        (2 * alone[0].positive + alone[1].positive) / 3,
    )


def test_rules_are_given_what_decides():
    """Log-ratios of what the loss places, hints included, without a gradient."""
    heard = []
    log_p = torch.ones(2, 4, requires_grad=True)
    hints = torch.arange(4.0)

    def rule(leaning):
        heard.append(leaning)
        return hard_pseudo_labels(leaning)

    placed(log_p, pseudo_labels=rule, squared=True, hints=hints)
    own = 2 * (1 - torch.linspace(-3, 3, 8).view(2, 4))
    torch.testing.assert_close(heard[0], own + hints)
    assert not heard[0].requires_grad
    placed(log_p, pseudo_labels=rule, squared=True, hints=hints, own=0.5)
    torch.testing.assert_close(heard[1], 0.5 * own + hints)


def trained(settings, n_members=3):
    cores = start(n_members)
    epochs = run(cores, rows(n_members), settings)
    assert len(epochs) == settings.max_epochs
    return torch.cat([core.flatten() for core in cores])


@pytest.mark.parametrize("margin", [0.0, 3.0])
def test_the_hard_rule_is_what_happens_without_one(margin):
    plain = LoopSettings(max_epochs=4, learning_rate=0.1, margin=margin)
    ruled = replace(plain, pseudo_labels=partial(hard_pseudo_labels, margin=margin))
    assert torch.equal(trained(plain), trained(ruled))


def test_training_tells_a_rule_its_progress():
    heard = []

    def nobody_before_half(leaning, progress):
        heard.append(progress)
        positive, negative = hard_pseudo_labels(leaning)
        return positive & (progress >= 0.5), negative & (progress >= 0.5)

    settings = LoopSettings(max_epochs=4, decay="constant")
    late = trained(replace(settings, pseudo_labels=nobody_before_half))
    assert heard == [0.0, 0.25, 0.5, 0.75]
    assert not torch.equal(late, trained(settings))
    assert not torch.equal(late, trained(replace(settings, weights=NO_PSEUDO_LABELS)))
