"""The training loop of the networks: batches, held-out rows, the best epoch."""

import pytest
import torch

from pulps.baselines._shared.network_training import Schedule, TrainingRows, train_network


def test_one_labeled_row_is_too_few_to_hold_some_out():
    rows = TrainingRows(torch.zeros(1, 1), torch.zeros(5, 1))
    with pytest.raises(ValueError, match="1 labeled rows and 5"):
        rows.split(0.5, torch.Generator())


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
