"""The time of a search: no trial begins that would not end in time."""

from pulps.tuning.budget import Budget


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_the_first_trial_begins_whatever_it_takes_but_not_without_time():
    assert Budget(1, Clock()).allows(10**6)
    assert not Budget(0, Clock()).allows(1)
    assert Budget(None, Clock()).allows(10**6)


def test_later_trials_begin_only_if_they_end_in_time():
    clock = Clock()
    budget = Budget(60, clock)
    clock.now, budget.n_done = 30.0, 3
    assert budget.allows(3)
    assert not budget.allows(4)
    assert budget.reachable(100) == 6
    assert budget.reachable(5) == 5
    clock.now = 90.0
    assert not budget.allows(0)
    assert budget.reachable(100) == 3
