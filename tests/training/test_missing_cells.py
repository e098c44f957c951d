"""Missing cells in training are drawn from their column, anew in every step."""

import pytest
import torch
from small_chains import rows

from pulps.training.missing_cells import DrawnCells


@pytest.mark.parametrize("batch_size", [None, 10])
def test_every_epoch_has_new_draws_from_the_generator_of_the_batches(batch_size):
    def epochs(seed):
        batches = rows(1, batch_size=batch_size, augment=DrawnCells(4))
        batches.values[::2, 0] = torch.nan
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
        assert len(filled.unique()) > 0.6 * len(filled)  # one draw per cell, not one per column


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
