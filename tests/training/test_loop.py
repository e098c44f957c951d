"""One loop, many members: each trains as it would alone."""

import gc
import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from small_chains import BASES, SHAPE, rows, run, start

from pulps.network import engine
from pulps.network.basis import embed
from pulps.network.stack import Stack
from pulps.training.ensemble import train_members
from pulps.training.loop import Loop, LoopSettings
from pulps.training.missing_cells import DrawnCells


def only(cores, member, n_members):
    return [core[[member, member + n_members]].clone() for core in cores]


SETTINGS = [
    LoopSettings(max_epochs=6),
    LoopSettings(max_epochs=6, decay="plateau", patience=1, clip=10.0),
    LoopSettings(max_epochs=12, decay="constant", stop_after=2, learning_rate=0.5),
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_a_stacked_member_equals_the_same_member_alone(settings):
    stacked = start(3)
    alone = only(stacked, 1, 3)
    run(stacked, rows(3), settings)
    run(alone, rows(1), settings)
    for core, single in zip(stacked, alone, strict=True):
        torch.testing.assert_close(core[[1, 4]], single, rtol=1e-7, atol=1e-9)


def test_a_member_that_diverges_does_not_poison_the_others():
    healthy = start(2)
    poisoned = [core.clone() for core in healthy]
    poisoned[0][0] = math.nan
    run(healthy, rows(2), LoopSettings(max_epochs=4))
    records = run(poisoned, rows(2), LoopSettings(max_epochs=4))
    assert records[-1].sound.tolist()[0] is False
    for core, reference in zip(poisoned, healthy, strict=True):
        torch.testing.assert_close(core[[1, 3]], reference[[1, 3]])


def test_a_diverged_member_is_restarted_and_reported():
    draws = []

    def poisoned_once(n_members):
        cores = start(n_members, seed=len(draws))
        if not draws:
            cores[0][0] = math.nan
        draws.append(n_members)
        return cores

    trained = train_members(poisoned_once, rows(2), LoopSettings(max_epochs=3), max_restarts=2)
    assert draws[:2] == [2, 1]
    assert "member 0 diverged; started again (1 of 2)" in trained.restarts
    assert all(core.isfinite().all() for core in trained.cores)


def test_a_member_that_always_fails_is_given_up_after_the_limit():
    def always_poisoned(n_members):
        cores = start(n_members)
        cores[0][0] = math.nan
        return cores

    trained = train_members(always_poisoned, rows(1), LoopSettings(max_epochs=2), max_restarts=2)
    assert trained.sound.tolist() == [False]
    assert len(trained.restarts) == 3
    assert trained.restarts[-1] == "member 0 given up"


def test_a_collapsed_member_is_restarted():
    def one_sided(n_members):
        cores = start(n_members)
        cores[0][n_members:] *= 1e-30  # every row is positive, and stays so at this rate
        return cores

    settings = LoopSettings(max_epochs=1, learning_rate=1e-12)
    trained = train_members(one_sided, rows(1), settings, max_restarts=1)
    assert trained.restarts == [
        "member 0 collapsed to one class; started again (1 of 1)",
        "member 0 given up",
    ]
    assert trained.sound.tolist() == [False]


class Memory:
    """Keeps the state after a number of epochs, and ends there."""

    def __init__(self, n_epochs):
        self.left, self.state = n_epochs, None

    def read(self):
        return self.state

    def epoch_done(self, arrays):
        self.left -= 1
        if self.left == 0:
            self.state = {name: value.copy() for name, value in arrays().items()}
            raise InterruptedError


class FirstGuess:
    """A prior that is learned once, from all members."""

    value = 0.5

    def update(self, n_done, cores):
        assert len(cores[0]) == 8, "some of the members alone tell nothing"
        if n_done == 0:
            self.value = 0.9


@pytest.mark.parametrize("n_epochs", [1, 3, 4, 5])
@pytest.mark.parametrize("holes", [False, True])
def test_members_that_started_again_go_on_to_the_same_bits(n_epochs, holes):
    """Three epochs per attempt, so the state is that of the first, second or third one."""

    def members(keeper=None):
        batches = rows(4, batch_size=10, augment=DrawnCells(4) if holes else None)
        if holes:
            batches.values[::3, 1] = math.nan
        generator = batches.generator.manual_seed(0 if holes else 2)

        def sometimes_poisoned(n_members):
            cores = SHAPE.random_cores(2 * n_members, 1.0, generator)
            poisoned = torch.rand(n_members, generator=generator) < 0.7
            cores[0][:n_members][poisoned] = math.nan
            return [core.double() for core in cores]

        settings = LoopSettings(max_epochs=3, prior=FirstGuess())
        return train_members(sometimes_poisoned, batches, settings, keeper=keeper)

    whole, memory = members(), Memory(n_epochs)
    assert len(whole.restarts) > 2
    with pytest.raises(InterruptedError):
        members(memory)
    resumed = members(memory)
    assert resumed.restarts == whole.restarts
    assert resumed.sound.tolist() == whole.sound.tolist()
    for a, b in zip(whole.cores, resumed.cores, strict=True):
        assert torch.equal(a.nan_to_num(7.0), b.nan_to_num(7.0))
    for name, curve in whole.history().items():
        np.testing.assert_array_equal(resumed.history()[name], curve)


def test_held_out_rows_do_not_matter():
    free, bound = start(1), start(1)
    batches = rows(1)
    unlabeled = batches.unlabeled.clone()
    unlabeled[:, -5:] = 0
    run(free, replace(batches, unlabeled=unlabeled), LoopSettings(max_epochs=3))
    shifted = batches.values.clone()
    shifted[-5:] = 0.5
    run(bound, replace(batches, values=shifted, unlabeled=unlabeled), LoopSettings(max_epochs=3))
    for a, b in zip(free, bound, strict=True):
        torch.testing.assert_close(a, b)


def test_cores_may_be_changed_after_every_epoch_but_not_the_way_of_training():
    settings = LoopSettings(max_epochs=4)
    seen = []

    def clear(loop):
        seen.append(loop.n_epochs)
        for core in loop.cores:
            core.zero_()

    cores = start(2)
    plain, changed = (
        run(start(2), rows(2), settings),
        run(cores, rows(2), replace(settings, after_epoch=clear)),
    )
    assert seen == [0, 1, 2, 3]
    assert not any(core.any() for core in cores)
    for one, other in zip(plain, changed, strict=True):
        assert torch.equal(one.stacked(), other.stacked())


def test_the_loss_falls():
    records = run(start(2), rows(2), LoopSettings(max_epochs=100, learning_rate=0.05))
    assert (records[-1].terms.total < 0.5 * records[0].terms.total).all()


def test_every_epoch_records_all_terms_per_member():
    for record in run(start(2), rows(2), LoopSettings(max_epochs=2)):
        assert all(term.shape == (2,) for term in record.terms)
        assert record.norm_weight.shape == record.labeled_recall.shape == (2,)
        assert ((record.positive_share >= 0) & (record.positive_share <= 1)).all()


def test_epochs_leave_no_tensors_behind():
    """Small tensors between large ones would keep memory from being used again."""
    loop, batches = Loop(start(2), LoopSettings(max_epochs=9)), rows(2)
    counts = []
    while loop.goes_on:
        loop.run_epoch(batches)
        counts.append(sum(type(thing) is torch.Tensor for thing in gc.get_objects()))
    assert len(set(counts[2:])) == 1


def test_cosine_decay_ends_near_zero_and_plateau_halves():
    cosine = run(start(1), rows(1), LoopSettings(max_epochs=10, learning_rate=0.1))
    assert cosine[0].learning_rate.item() == pytest.approx(0.1)
    assert cosine[-1].learning_rate.item() < 0.005
    plateau = LoopSettings(max_epochs=8, decay="plateau", patience=1, learning_rate=1e-9)
    poor = run(start(1), rows(1), replace(plateau, learning_rate=5.0))
    rates = torch.stack([record.learning_rate for record in poor])[:, 0]
    assert set((rates[1:] / rates[:-1]).tolist()) <= {1.0, 0.5}
    assert rates[-1] < rates[0]


def test_early_stop_ends_training_when_no_member_improves():
    settings = LoopSettings(max_epochs=500, decay="constant", learning_rate=3.0, stop_after=3)
    assert len(run(start(2), rows(2), settings)) < 500


def test_clipping_limits_the_gradient_of_each_member_by_itself():
    loop = Loop([torch.ones(4, 1, 1, 1, 1)], LoopSettings(max_epochs=1))
    loop.moved.grad = torch.tensor([3.0, 0.1, 4.0, 0.1])
    loop._clip(1.0)
    torch.testing.assert_close(loop.moved.grad, torch.tensor([0.6, 0.1, 0.8, 0.1]))


def test_where_labels_are_rare_mini_batches_add_as_many_labeled_rows():
    batches = rows(1, n_labeled=2, batch_size=10)
    sizes = []
    for batch in batches:
        n_random = batch.rows.n_rows // 2
        assert (batch.labeled[:, n_random:] == 1).all()
        assert (batch.unlabeled[:, n_random:] == 0).all()
        sizes.append(n_random)
    assert sizes == [8, 8, 8]


def test_fewer_labeled_rows_may_be_added():
    batches = rows(1, n_labeled=2, batch_size=10, extra=0.25)
    assert [batch.rows.n_rows for batch in batches] == [10, 10, 10]


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_hints_decide_where_labels_do_not(side):
    """Two groups of rows and no labels: the hinted group becomes positive."""
    hints = side * torch.where(torch.arange(24) < 12, 1.0, -1.0).double()
    batches = rows(1, hints=hints[None], n_labeled=0)
    cores = start(1)
    run(cores, batches, LoopSettings(max_epochs=60, learning_rate=0.05, hint_size=1000.0))
    (batch,) = batches
    log_p, log_n = Stack.of(cores, 2).split(engine.log_norms(cores, batch.rows))
    assert (((log_p > log_n) == (hints > 0)).double().mean()) > 0.9


def test_repeated_labeled_rows_are_never_taken_for_unlabeled():
    batches = rows(2, n_labeled=2, batch_size=10)
    batches.labeled[1], batches.unlabeled[1] = batches.labeled[1].clone(), 1
    batches.labeled[1, 0], batches.unlabeled[1, 1] = 0, 0  # a label the second is not shown
    for batch in batches:
        n_random = batch.rows.n_rows // 2
        assert (batch.unlabeled[:, n_random:] == 0).all()
        assert batch.unlabeled[1, :n_random].sum() > 0


@pytest.mark.parametrize("n_labeled", [2, 6])
def test_one_epoch_of_mini_batches_visits_every_row_once(n_labeled):
    batches = rows(1, n_labeled=n_labeled, batch_size=7)
    repeated = 2 if n_labeled == 2 else 1
    seen = torch.cat([b.rows.features[0][: b.rows.n_rows // repeated, 1] for b in batches])
    expected = BASES[0](batches.values[:, 0])[:, 1]
    torch.testing.assert_close(seen.sort().values, expected.sort().values)


def test_rows_held_out_from_every_member_are_not_drawn():
    batches = rows(2, batch_size=7)
    batches.unlabeled[:, -4:] = 0
    assert sum(batch.rows.n_rows for batch in batches) == 20


def test_augmentation_is_applied_to_every_batch():
    batches = rows(1, augment=lambda values, generator: torch.zeros_like(values))
    (batch,) = batches
    torch.testing.assert_close(
        batch.rows.features[0], BASES[0](torch.zeros(24, dtype=torch.float64))
    )


def test_rows_may_have_any_shape_their_embedding_knows():
    flat = rows(n_members=1, batch_size=10)
    square = rows(n_members=1, batch_size=10)
    square.values = square.values.unflatten(1, (2, 2))
    square.embed = lambda values: embed(BASES, values.flatten(1))
    for one, other in zip(flat, square, strict=True):
        assert torch.equal(one.labeled, other.labeled)
        for phi, same in zip(one.rows.features, other.rows.features, strict=True):
            assert torch.equal(phi, same)
