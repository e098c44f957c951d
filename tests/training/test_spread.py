"""Members trained on several workers are those of one process, to the bit."""

import numpy as np
import pytest
import torch
from joblib import parallel_config
from scored_models import mixed_table, small_network
from small_chains import rows, start

from pulps.training import spread
from pulps.training.ensemble import train_members
from pulps.training.loop import LoopSettings

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


@pytest.fixture
def apart(monkeypatch):
    """Let two workers be named, which are calls in this process."""
    monkeypatch.setattr(spread, "n_workers", lambda: 2)
    made = []

    def in_turn(calls):
        made.extend(calls)
        return [call() for call in calls]

    monkeypatch.setattr(spread, "in_order", in_turn)
    return made


def same(one, other):
    for found, wanted in zip(one, other, strict=True):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))


@pytest.mark.parametrize(
    "options",
    [{}, {"batch_size": 7}, {"batch_size": 7, "extra": 0.5}],
    ids=["all rows", "batches", "few labels"],
)
@pytest.mark.parametrize("n_members", [2, 3, 4, 7])
def test_groups_of_members_become_what_they_become_together(monkeypatch, options, n_members):
    settings = LoopSettings(max_epochs=5)

    def train():
        batches = rows(n_members, n_labeled=2, **options)
        done = train_members(lambda n: start(n), batches, settings, max_restarts=0)
        return done, batches.generator.get_state()

    together, state = train()
    monkeypatch.setattr(spread, "n_workers", lambda: 3)
    monkeypatch.setattr(spread, "in_order", lambda calls: [call() for call in calls])
    separate, other = train()
    same(separate.cores, together.cores)
    same(separate.records, together.records)
    assert torch.equal(state, other)


def test_a_member_that_diverges_moves_no_other(apart):
    settings = LoopSettings(max_epochs=4)

    def begin(n):
        cores = start(n)
        cores[0][0] = torch.nan  # the first state of the first member
        return cores

    separate = train_members(begin, rows(3), settings, max_restarts=0)
    assert len(apart) == 2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spread, "n_workers", lambda: 1)
        together = train_members(begin, rows(3), settings, max_restarts=0)
    assert not together.sound[0]
    same(separate.cores, together.cores)


def test_a_fit_spread_over_processes_is_the_same_to_the_bit():
    frame, labels = mixed_table()
    torch.set_num_threads(1)
    options = {"n_members": 3, "prior": 0.4, "batch_size": 50}
    alone = small_network(**options).fit(frame, labels)
    with parallel_config(backend="loky", n_jobs=2):
        spread_out = small_network(**options).fit(frame, labels)
    same(spread_out.positive_cores_, alone.positive_cores_)
    same(spread_out.negative_cores_, alone.negative_cores_)
    np.testing.assert_array_equal(
        spread_out.decision_function(frame), alone.decision_function(frame)
    )
    same(spread_out.history_.values(), alone.history_.values())


def test_a_prior_that_is_learned_from_all_members_keeps_them_together(apart):
    frame, labels = mixed_table()
    small_network(n_members=3).fit(frame, labels)
    assert apart == []
