"""Cells of other rows: columns keep their values, about the asked share of cells changes."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from small_chains import rows

from pulps.training.batches import DrawnCells, SwapNoise


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


def test_holes_come_and_go():
    values = table(200, 1)
    noisy = SwapNoise(0.5, 1)(values, seeded())
    assert (noisy.isnan() & ~values.isnan()).any()
    assert (values.isnan() & ~noisy.isnan()).any()


def test_nothing_is_swapped_with_probability_zero():
    values = table(30, 3)
    assert torch.equal(SwapNoise(0.0, 3)(values, seeded()).nan_to_num(-1), values.nan_to_num(-1))


def test_all_sites_of_a_column_change_at_once():
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


def test_drawn_cells_fill_holes_from_their_column_and_change_nothing_else():
    values = torch.rand(400, 3).repeat(1, 2)
    holes = (torch.rand(400, 3) < 0.3).repeat(1, 2)
    values[holes] = torch.nan
    drawn = DrawnCells(3)(values, torch.Generator().manual_seed(0))
    assert torch.equal(drawn[~holes], values[~holes])
    assert torch.equal(drawn[:, :3], drawn[:, 3:])
    for column in range(3):
        seen = values[~holes[:, column], column]
        filled = drawn[holes[:, column], column]
        assert torch.isin(filled, seen).all()
        assert len(filled.unique()) > 0.6 * len(filled)  # one draw a cell, not one a column


def test_drawn_cells_are_drawn_anew_and_follow_the_generator():
    values = torch.tensor([[0.0], [1.0], [2.0]] + [[torch.nan]] * 50)
    generator = torch.Generator().manual_seed(0)
    first, second = (DrawnCells(1)(values, generator) for _ in range(2))
    assert not torch.equal(first, second)
    assert torch.equal(first, DrawnCells(1)(values, torch.Generator().manual_seed(0)))
    assert set(first[:, 0].tolist()) == {0.0, 1.0, 2.0}


def test_a_column_that_no_row_has_stays_missing_and_a_whole_batch_as_it_is():
    values = torch.tensor([[torch.nan, 1.0], [torch.nan, torch.nan]])
    drawn = DrawnCells(2)(values, None)
    assert drawn[:, 0].isnan().all()
    assert drawn[:, 1].tolist() == [1.0, 1.0]
    whole = torch.ones(2, 2)
    assert DrawnCells(2)(whole, None) is whole
