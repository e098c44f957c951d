"""Rules of who takes which side: the hard one is the limit or the part of every other."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from small_chains import rows, run, start

from pulps.training.loop import Recipe
from pulps.training.loss import LossWeights, pu_loss
from pulps.training.pseudo_labels import hard_sides, late_sides, sides_of_the_others, soft_sides

NO_PSEUDO_LABELS = LossWeights(
    positive_own=0.0, positive_other=0.0, negative_own=0.0, negative_other=0.0
)
leanings = st.lists(
    st.floats(-100, 100).filter(lambda x: abs(x) > 1e-3), min_size=1, max_size=6
).map(lambda values: torch.tensor([values, values[::-1]], dtype=torch.float64))


def as_weights(sides):
    return [side.double() for side in sides]


@pytest.mark.parametrize(("margin", "sides"), [(0.0, "nnnpp"), (2.0, "n   p")])
def test_the_hard_rule_is_the_sign_outside_the_margin(margin, sides):
    positive, negative = hard_sides(torch.tensor([-3.0, -2.0, 0.0, 2.0, 3.0]), margin=margin)
    assert positive.tolist() == [side == "p" for side in sides]
    assert negative.tolist() == [side == "n" for side in sides]


@given(leanings)
def test_soft_sides_tend_to_hard_ones(leaning):
    soft = soft_sides(leaning, 0.0, softness=1e-6)
    torch.testing.assert_close(list(soft), as_weights(hard_sides(leaning)))


@given(leanings, st.floats(1, 50))
def test_soft_sides_share_each_row_by_its_odds(leaning, softness):
    positive, negative = soft_sides(leaning, 0.0, softness=softness)
    torch.testing.assert_close(positive + negative, torch.ones_like(leaning))
    torch.testing.assert_close(positive.log() - negative.log(), leaning / softness)


@given(leanings)
def test_equal_halves_teach_each_other_the_hard_rule_of_their_mean(leaning):
    mean = leaning.mean(dim=0).expand(4, -1)
    taught = sides_of_the_others(torch.cat([leaning, leaning]), 0.0)
    assert [side.tolist() for side in taught] == [side.tolist() for side in hard_sides(mean)]


@pytest.mark.parametrize("n_members", [2, 4, 5])
def test_a_half_hears_the_other_half_only(n_members):
    half = n_members // 2
    leaning = torch.randn(n_members, 9, generator=torch.Generator().manual_seed(0))
    positive, negative = sides_of_the_others(leaning, 0.0)
    for member in range(n_members):
        others = leaning[half:] if member < half else leaning[:half]
        assert torch.equal(positive[member], others.mean(dim=0) > 0)
        assert torch.equal(negative[member], others.mean(dim=0) <= 0)


def test_a_member_alone_teaches_itself():
    leaning = torch.tensor([[-2.0, 3.0]])
    assert all(map(torch.equal, sides_of_the_others(leaning, 0.0), hard_sides(leaning)))


def test_members_that_diverged_teach_nobody():
    leaning = torch.tensor([[1.0, -1.0], [torch.nan, torch.inf], [torch.nan] * 2, [torch.nan] * 2])
    positive, negative = sides_of_the_others(leaning, 0.0)
    assert positive[2:].tolist() == [[True, False]] * 2
    assert negative[2:].tolist() == [[False, True]] * 2
    assert not (positive | negative)[:2].any()


def test_late_sides_are_the_hard_ones_once_it_is_time():
    leaning = torch.tensor([[-2.0, 0.0, 3.0]])
    for progress in (0.2, 0.9):
        late = late_sides(leaning, progress, begin=0.2)
        assert all(map(torch.equal, late, hard_sides(leaning)))


def placed(log_p, weights=None, **options):
    """Loss of three unlabeled rows and a labeled one, of two members."""
    labeled = torch.tensor([[1.0, 0.0, 0.0, 0.0]]).expand(2, -1)
    log_n = torch.linspace(-3, 3, 8).view(2, 4)
    norm = torch.ones(2)
    return pu_loss(
        log_p, log_n, labeled, 1 - labeled, norm, norm, weights or LossWeights(), norm, **options
    )


@pytest.mark.parametrize(("progress", "none"), [(0.0, True), (0.19, True), (0.2, False)])
def test_before_its_time_no_pseudo_label_has_a_gradient(progress, none):
    gradients = []
    for weights, sides in (
        (LossWeights(), lambda leaning: late_sides(leaning, progress, begin=0.2)),
        (NO_PSEUDO_LABELS, None),
    ):
        log_p = torch.zeros(2, 4, requires_grad=True)
        placed(log_p, weights, sides=sides).total.sum().backward()
        gradients.append(log_p.grad)
    assert torch.equal(*gradients) is none


def test_rows_count_by_the_weights_of_their_sides():
    log_p = torch.zeros(2, 4)
    both = placed(log_p, sides=lambda leaning: (leaning * 0 + 0.25, leaning * 0 + 0.5))
    first = placed(log_p, sides=lambda leaning: (leaning == leaning, leaning != leaning))
    second = placed(log_p, sides=lambda leaning: (leaning != leaning, leaning == leaning))
    torch.testing.assert_close(both.positive, first.positive)
    torch.testing.assert_close(both.negative, second.negative)
    assert not first.negative.any()
    assert not second.positive.any()
    uneven = torch.tensor([[0.0, 0.5, 0.0, 0.25]]).expand(2, -1)
    alone = [placed(log_p, sides=lambda _, i=i: (torch.eye(4)[[i, i]],) * 2) for i in (1, 3)]
    torch.testing.assert_close(
        placed(log_p, sides=lambda leaning: (uneven, uneven)).positive,
        (2 * alone[0].positive + alone[1].positive) / 3,
    )


def test_rules_are_given_what_decides_sides():
    """Log-ratios of what the loss places, hints included, without a gradient."""
    heard = []
    log_p = torch.ones(2, 4, requires_grad=True)
    hints = torch.arange(4.0)

    def sides(leaning):
        heard.append(leaning)
        return hard_sides(leaning)

    placed(log_p, sides=sides, squared=True, hints=hints)
    expected = 2 * (1 - torch.linspace(-3, 3, 8).view(2, 4)) + hints
    torch.testing.assert_close(heard[0], expected)
    assert not heard[0].requires_grad


def trained(recipe, n_members=3):
    cores = start(n_members)
    epochs = run(cores, rows(n_members), recipe)
    assert len(epochs) == recipe.max_epochs
    return torch.cat([core.flatten() for core in cores])


@pytest.mark.parametrize("margin", [0.0, 3.0])
def test_the_hard_rule_is_what_happens_without_one(margin):
    plain = Recipe(max_epochs=4, learning_rate=0.1, margin=margin)
    ruled = replace(plain, sides=partial(hard_sides, margin=margin))
    assert torch.equal(trained(plain), trained(ruled))


def test_training_tells_a_rule_its_progress():
    heard = []

    def sides(leaning, progress):
        heard.append(progress)
        return late_sides(leaning, progress, begin=0.5)

    late = trained(Recipe(max_epochs=4, decay="constant", sides=sides))
    assert heard == [0.0, 0.25, 0.5, 0.75]
    never = Recipe(max_epochs=4, decay="constant", weights=NO_PSEUDO_LABELS)
    assert not torch.equal(late, trained(never))
    before = trained(Recipe(max_epochs=4, sides=partial(late_sides, begin=1.0)))
    assert torch.equal(before, trained(replace(never, decay="cosine")))


def test_a_diverged_member_does_not_poison_those_it_would_teach():
    cores = start(4)
    cores[0][0] = torch.nan
    epochs = run(cores, rows(4), Recipe(max_epochs=4, sides=sides_of_the_others))
    assert epochs[-1].terms.total.isfinite().tolist() == [False, True, True, True]
