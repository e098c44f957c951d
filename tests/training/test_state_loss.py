"""One loss for any number of states: two of them, one labeled, are the paper's case to the bit."""

from functools import partial
from itertools import permutations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import softplus

from pulps.training.batches import Batch
from pulps.training.epoch import record_of
from pulps.training.loss import (
    SIDES_ONLY,
    LossTerms,
    LossWeights,
    group_mean,
    group_means,
    pu_loss,
    state_loss,
)
from pulps.training.pseudo_labels import hard_pseudo_labels, soft_pseudo_labels

EVERYTHING = LossWeights(logistic=1.0, size=0.01)


def two_states_written_out(
    log_p, log_n, labeled, unlabeled, f_p, f_n, w, norm_weight, *, prior, squared, hints, own, rule
):
    """The loss of two states as it was before there were more; it must not change."""
    logs = torch.stack([log_p, log_n])
    if squared:
        logs, f_p, f_n = 2 * logs, 2 * f_p, 2 * f_n
    ratio = logs[0] - logs[1]
    positive, negative = (unlabeled * share for share in rule(own * ratio.detach() + hints))
    groups = torch.stack([labeled, positive, negative])
    sphere = group_means((logs - w.sphere) ** 2, groups)
    kernel = group_means((logs - w.kernel) ** 2, groups)
    norm = w.norm * norm_weight * (f_p.abs() + f_n.abs() + (f_p - f_n).abs())
    if w.size:
        norm = norm + w.size * (f_p**2 + f_n**2)
    drift = group_mean(ratio, unlabeled)
    drift = drift - (2 * prior - 1) * group_mean(ratio.detach().abs(), unlabeled)
    as_positive, as_negative = softplus(-ratio), softplus(ratio)
    return LossTerms(
        labeled=w.labeled_own * sphere[0] + w.labeled_other * kernel[1],
        positive=w.positive_own * sphere[2] + w.positive_other * kernel[3],
        negative=w.negative_other * kernel[4] + w.negative_own * sphere[5],
        norm=norm,
        balance=w.balance * drift**2,
        logistic=w.logistic
        * (
            group_mean(as_positive, labeled)
            + group_mean(as_positive, positive)
            + group_mean(as_negative, negative)
        ),
    )


def drawn(seed, n_states=2, n_members=3, n_rows=9):
    generator = torch.Generator().manual_seed(seed)
    logs = 4 * torch.randn(n_states, n_members, n_rows, generator=generator)
    frobenius = torch.randn(n_states, n_members, generator=generator)
    own_state = torch.arange(n_rows) % n_states
    labeled = (torch.rand(n_members, n_rows, generator=generator) < 0.6).float()
    labeled[:, :n_states] = 1.0
    return logs.requires_grad_(), frobenius.requires_grad_(), own_state, labeled


@given(
    st.integers(0, 10**6),
    st.sampled_from([LossWeights(), SIDES_ONLY, EVERYTHING]),
    st.floats(0.01, 0.99),
    st.booleans(),
    st.sampled_from([hard_pseudo_labels, soft_pseudo_labels]),
)
@settings(max_examples=60, deadline=None)
def test_two_states_of_which_one_has_labels_are_the_paper_s_to_the_bit(
    seed, weights, prior, squared, rule
):
    logs, frobenius, _, labeled = drawn(seed)
    options = dict(prior=prior, squared=squared, hints=0.3, own=0.7)
    norm_weight = torch.tensor([0.5, 1.0, 2.0])
    arguments = (*logs, labeled, 1 - labeled, *frobenius, weights, norm_weight)
    now = pu_loss(*arguments, **options, pseudo_labels=rule)
    then = two_states_written_out(*arguments, **options, rule=rule)
    for name, one, other in zip(LossTerms._fields, now, then, strict=True):
        assert torch.equal(one, other), name
    slopes = [
        torch.autograd.grad(terms.total.sum(), (logs, frobenius), retain_graph=True)
        for terms in (now, then)
    ]
    for one, other in zip(*slopes, strict=True):
        assert torch.equal(one, other)


def by_state(own_state, labeled, n_states):
    return Batch(None, labeled, 1 - labeled, None, own_state).labeled_by_state(n_states)


@pytest.mark.parametrize("weights", [EVERYTHING, SIDES_ONLY])
def test_the_order_of_the_classes_does_not_matter_but_for_the_first(weights):
    logs, frobenius, own_state, labeled = drawn(3, n_states=4)
    labels = by_state(own_state, labeled, 4)
    shares = torch.tensor([0.4, 0.3, 0.2, 0.1])
    totals = []
    for rest in permutations([1, 2, 3]):
        order = [0, *rest]
        terms = state_loss(
            logs[order],
            [labels[state] for state in order],
            1 - labeled,
            frobenius[order],
            weights,
            torch.ones(3),
            shares=shares[order].tolist(),
            pseudo_labels=soft_pseudo_labels,
        )
        totals.append(torch.stack(terms))
    for other in totals[1:]:
        torch.testing.assert_close(other, totals[0])


def test_perfectly_placed_rows_of_four_classes_cost_nothing():
    w = LossWeights(balance=0.0)
    rows = torch.full((4, 1, 8), w.kernel)
    own_state = torch.arange(8) % 4
    rows[own_state, 0, torch.arange(8)] = w.sphere
    labeled = (torch.arange(8) < 4).float()[None]
    labels = by_state(own_state, labeled, 4)
    terms = state_loss(rows, labels, 1 - labeled, torch.zeros(4, 1), w, torch.ones(1))
    assert terms.total.item() == 0
    counts = record_of(terms, rows, labels, 1 - labeled)[-4:, 0].tolist()
    assert counts == [4.0, 1.0, 4.0, 4.0]  # all labels found; no class wins most unlabeled rows


@pytest.mark.parametrize("n_states", [2, 3, 7])
def test_the_norm_term_does_not_grow_with_the_states(n_states):
    logs, _, own_state, labeled = drawn(0, n_states)
    labels = by_state(own_state, labeled, n_states)
    alike = state_loss(
        logs, labels, 1 - labeled, torch.full((n_states, 3), 1.5), EVERYTHING, torch.ones(3)
    )
    torch.testing.assert_close(alike.norm, torch.full((3,), 2 * 1.5 + 0.01 * 2 * 1.5**2))


def test_the_logistic_term_is_the_cross_entropy_of_all_states():
    logs, frobenius, own_state, labeled = drawn(1, n_states=3)
    everything = torch.ones_like(labeled)
    labels = by_state(own_state, everything, 3)
    terms = state_loss(
        logs, labels, torch.zeros_like(labeled), frobenius, SIDES_ONLY, torch.ones(3)
    )
    chosen = -torch.log_softmax(logs, 0)[own_state, :, torch.arange(9)]
    per_class = torch.stack([chosen[own_state == state].mean(0) for state in range(3)])
    torch.testing.assert_close(terms.logistic, per_class.mean(0))


def test_known_negatives_pull_the_second_state_as_labels_pull_the_first():
    logs, frobenius, own_state, labeled = drawn(2)
    swapped = state_loss(
        logs.flip(0),
        by_state(1 - own_state, labeled, 2),
        1 - labeled,
        frobenius.flip(0),
        EVERYTHING,
        torch.ones(3),
    )
    terms = state_loss(
        logs, by_state(own_state, labeled, 2), 1 - labeled, frobenius, EVERYTHING, torch.ones(3)
    )
    torch.testing.assert_close(swapped.total, terms.total)


@given(st.integers(0, 10**6), st.floats(0.5, 5))
@settings(max_examples=30, deadline=None)
def test_hard_labels_go_to_the_best_state_unless_the_second_is_as_close_as_the_margin(
    seed, margin
):
    logs = drawn(seed, n_states=4)[0].detach()
    chosen = torch.stack(hard_pseudo_labels(logs))
    assert torch.equal(chosen.sum(0), torch.ones(3, 9, dtype=torch.long))
    assert torch.equal(chosen.int().argmax(0), logs.argmax(0))
    best, second = logs.topk(2, dim=0).values
    sure = torch.stack(partial(hard_pseudo_labels, margin=margin)(logs)).any(0)
    assert torch.equal(sure, best - second > margin)
    torch.testing.assert_close(
        torch.stack(soft_pseudo_labels(logs)), torch.softmax(logs, 0), rtol=0, atol=0
    )
