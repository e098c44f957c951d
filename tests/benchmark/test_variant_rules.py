"""Rules of the ablations: the default's is the limit or a part of every other."""

from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from small_chains import rows

from pulps.benchmark.variant_rules import (
    SwapNoise,
    agreement_weights,
    labels_of_the_others,
    late_labels,
)
from pulps.decision.selection import agreement_matrix, kappa_matrix

leanings = st.lists(
    st.floats(-100, 100).filter(lambda x: abs(x) > 1e-3), min_size=1, max_size=6
).map(lambda values: torch.tensor([values, values[::-1]], dtype=torch.float64))


def hard_labels(leaning):
    """The default: each row counts for the class it leans to."""
    return leaning > 0, leaning <= 0


def test_late_labels_are_the_hard_ones_once_it_is_time():
    leaning = torch.tensor([[-2.0, 0.0, 3.0]])
    for progress in (0.2, 0.9):
        late = late_labels(leaning, progress, begin=0.2)
        assert all(map(torch.equal, late, hard_labels(leaning)))
    for weight in late_labels(leaning, 0.19, begin=0.2):
        assert not weight.any()


@given(leanings)
def test_equal_halves_teach_each_other_the_hard_labels_of_their_mean(leaning):
    mean = leaning.mean(dim=0).expand(4, -1)
    taught = labels_of_the_others(torch.cat([leaning, leaning]), 0.0)
    assert [weight.tolist() for weight in taught] == [w.tolist() for w in hard_labels(mean)]


@pytest.mark.parametrize("n_members", [2, 4, 5])
def test_a_half_hears_the_other_half_only(n_members):
    half = n_members // 2
    leaning = torch.randn(n_members, 9, generator=torch.Generator().manual_seed(0))
    positive, negative = labels_of_the_others(leaning, 0.0)
    for member in range(n_members):
        others = leaning[half:] if member < half else leaning[:half]
        assert torch.equal(positive[member], others.mean(dim=0) > 0)
        assert torch.equal(negative[member], others.mean(dim=0) <= 0)


def test_a_single_member_teaches_itself():
    leaning = torch.tensor([[-2.0, 3.0]])
    assert all(map(torch.equal, labels_of_the_others(leaning, 0.0), hard_labels(leaning)))


def test_members_that_diverged_teach_nobody():
    leaning = torch.tensor([[1.0, -1.0], [torch.nan, torch.inf], [torch.nan] * 2, [torch.nan] * 2])
    positive, negative = labels_of_the_others(leaning, 0.0)
    assert positive[2:].tolist() == [[True, False]] * 2
    assert negative[2:].tolist() == [[False, True]] * 2
    assert not (positive | negative)[:2].any()


def table(n_rows, n_columns):
    """Make a table in which no value occurs twice, but some cells are missing."""
    values = torch.arange(float(n_rows * n_columns)).view(n_rows, n_columns)
    values[::5, 0] = torch.nan
    return values


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@given(st.integers(1, 12), st.integers(1, 4), st.floats(0, 1), st.integers(0, 9))
def test_a_column_never_holds_what_it_did_not_hold(n_rows, n_columns, share, seed):
    values = table(n_rows, n_columns).nan_to_num(-1.0)
    noisy = SwapNoise(share, n_columns)(values, seeded(seed))
    for old, new in zip(values.T, noisy.T, strict=True):
        assert set(new.tolist()) <= set(old.tolist())


def test_about_the_asked_share_of_cells_changes():
    values = table(4000, 5)[:, 1:]
    changed = SwapNoise(0.1, 4)(values, seeded()) != values
    assert changed.double().mean().item() == pytest.approx(0.1, abs=0.01)
    assert changed.double().mean(dim=0).tolist() == pytest.approx([0.1] * 4, abs=0.02)


def test_a_swapped_cell_comes_from_another_row_and_any_other_row():
    values = table(5, 2)[:, 1:]
    noise, generator = SwapNoise(1.0, 1), seeded()
    draws = torch.cat([noise(values, generator) for _ in range(100)], dim=1)
    assert (draws != values).all()
    for row, seen in enumerate(draws.tolist()):
        assert set(seen) == set(values[:, 0].tolist()) - {values[row, 0].item()}


def test_missing_cells_come_and_go():
    values = table(200, 1)
    noisy = SwapNoise(0.5, 1)(values, seeded())
    assert (noisy.isnan() & ~values.isnan()).any()
    assert (values.isnan() & ~noisy.isnan()).any()


def test_nothing_is_swapped_with_probability_zero():
    values = table(30, 3)
    assert torch.equal(SwapNoise(0.0, 3)(values, seeded()).nan_to_num(-1), values.nan_to_num(-1))


def test_all_sites_of_a_column_change_together():
    values = table(50, 3).nan_to_num(-1.0)
    noisy = SwapNoise(0.5, 3)(values.repeat(1, 2), seeded())
    assert torch.equal(noisy[:, :3], noisy[:, 3:])
    assert not torch.equal(noisy[:, :3], values)


@pytest.mark.parametrize("batch_size", [None, 10])
def test_every_epoch_has_new_noise_from_the_generator_of_the_batches(batch_size):
    def epochs(seed):
        batches = rows(1, batch_size=batch_size, augment=SwapNoise(0.5, 4))
        batches.generator.manual_seed(seed)
        return [torch.cat([b.rows.features[0] for b in batches]).sort(0).values for _ in range(2)]

    first, second = epochs(0)
    assert not torch.equal(first, second)
    assert all(map(torch.equal, epochs(0), (first, second)))
    assert not torch.equal(epochs(1)[0], first)


GOOD = [1, 1, 1, 1, 1, 0, 0, 0]
NEAR = [1, 1, 1, 1, 0, 0, 0, 0]


@given(st.integers(1, 6))
def test_identical_members_weigh_the_same(n_members):
    for matrix in (agreement_matrix, kappa_matrix, partial(kappa_matrix, chance="scott")):
        weights = agreement_weights(matrix([GOOD] * n_members))
        np.testing.assert_allclose(weights, np.full(n_members, 1 / n_members))


@given(st.integers(2, 5), st.integers(0, 99))
def test_weights_are_the_mean_agreement_with_the_others(n_members, seed):
    matrix = agreement_matrix(np.random.default_rng(seed).random((n_members, 7)) < 0.5)
    weights = agreement_weights(matrix)
    means = [np.delete(row, i).mean() for i, row in enumerate(matrix)]
    assert weights.sum() == pytest.approx(1)
    if any(means):
        np.testing.assert_allclose(weights, np.array(means) / sum(means))


def test_a_member_that_contradicts_the_others_has_no_weight():
    opposite = [1 - vote for vote in GOOD]
    weights = agreement_weights(kappa_matrix([GOOD, opposite, NEAR, GOOD]))
    assert weights[1] == 0
    assert (weights[[0, 2, 3]] > 0.2).all()
    assert agreement_weights(kappa_matrix([GOOD, opposite])).tolist() == [0.5, 0.5]
