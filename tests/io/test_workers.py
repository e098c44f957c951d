"""Calls to worker processes: every result once, in order or as it comes, also if a worker dies."""

from collections import Counter

import pytest
from cluster_tasks import deadly, mortal_square

from pulps.io.workers import Call, as_they_come, in_order


def squares(folder, n_calls=8):
    return [Call(mortal_square, (n, str(folder))) for n in range(n_calls)]


def calls_made(folder):
    return Counter(map(int, (folder / "calls").read_text().split()))


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_come_in_order_and_every_call_is_made_once(n_jobs, tmp_path):
    assert in_order(squares(tmp_path), n_jobs) == [n * n for n in range(8)]
    assert calls_made(tmp_path) == Counter(range(8))


def test_options_reach_the_function():
    assert in_order([Call(int, ("ff",), {"base": 16})]) == [255]


def test_a_process_that_is_killed_costs_only_what_was_under_way(tmp_path):
    (tmp_path / "dies").touch()
    assert in_order(squares(tmp_path, 12), n_jobs=2) == [n * n for n in range(12)]
    assert not (tmp_path / "dies").exists()
    made = calls_made(tmp_path)
    assert set(made) == set(range(12))
    assert made[3] == 2
    assert max(made.values()) == 2
    assert made[0] == made[11] == 1


def test_calls_that_kill_every_process_are_given_up():
    with pytest.raises(RuntimeError, match="3 workers in a row died"):
        in_order([Call(deadly, (n,)) for n in range(3)], n_jobs=2)


def test_an_error_of_a_call_is_its_error():
    with pytest.raises(ZeroDivisionError):
        in_order([Call(divmod, (1, 0))], n_jobs=2)


def test_calls_are_taken_as_they_are_needed(tmp_path):
    taken = []

    def calls():
        for n, call in enumerate(squares(tmp_path)):
            taken.append(n)
            yield call

    results = as_they_come(calls(), n_jobs=1)
    assert [next(results), next(results)] == [0, 1]
    results.close()
    assert len(taken) < 8
