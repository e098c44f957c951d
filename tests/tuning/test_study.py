"""A study that is shared, killed and continued."""

import multiprocessing
import signal

import pandas as pd
import pytest
from fitters import points
from searchers import search_beside_another, search_until_killed, small_search

SPAWN = multiprocessing.get_context("spawn")


def scores(search):
    """What must not depend on where and when a search ran."""
    names = [name for name in search.cv_results_ if name not in ("fit_seconds", "number")]
    return search.cv_results_[names]


def test_a_killed_search_goes_on_as_if_nothing_had_happened(tmp_path):
    """The first ten proposals are random, those after depend on the results before."""
    whole = small_search(n_trials=14).fit(*points())
    parameters = {"n_trials": 14, "storage": str(tmp_path / "study.journal")}
    process = SPAWN.Process(target=search_until_killed, args=(parameters, 25))
    process.start()
    process.join(timeout=300)
    assert process.exitcode == -signal.SIGKILL
    resumed = small_search(**parameters).fit(*points())
    pd.testing.assert_frame_equal(scores(whole), scores(resumed))
    assert whole.cv_results_["param_max_depth"][:10].nunique() > 2
    assert resumed.cv_results_["number"].iloc[-1] == 14  # one trial died
    again = small_search(**parameters).fit(*points())
    pd.testing.assert_frame_equal(again.cv_results_, resumed.cv_results_)


def test_processes_share_a_study(tmp_path):
    parameters = {"n_trials": 8, "storage": str(tmp_path / "study.journal")}
    barrier, log = SPAWN.Barrier(2), SPAWN.Queue()
    both = [
        SPAWN.Process(target=search_beside_another, args=(parameters, barrier, log))
        for _ in range(2)
    ]
    for process in both:
        process.start()
    fits = [log.get(timeout=300) for _ in both]
    for process in both:
        process.join(timeout=60)
    assert [process.exitcode for process in both] == [0, 0]
    assert min(fits) > 0
    assert sum(fits) == 8 * 2
    assert len(small_search(**parameters).fit(*points()).cv_results_) == 8


def test_a_study_may_live_in_a_database(tmp_path):
    whole = small_search(n_trials=2).fit(*points())
    url = f"sqlite:///{tmp_path / 'study.db'}"
    small_search(n_trials=1, storage=url).fit(*points())
    resumed = small_search(n_trials=2, storage=url).fit(*points())
    pd.testing.assert_frame_equal(scores(whole), scores(resumed))


def test_the_study_of_another_search_is_refused(tmp_path):
    storage = tmp_path / "study.journal"
    X, y = points()
    small_search(storage=storage, n_trials=1).fit(X, y)
    for search, rows in (
        (small_search(storage=storage, objective="kappa"), X),
        (small_search(storage=storage), X + 1),
    ):
        with pytest.raises(ValueError, match="belongs to another search"):
            search.fit(rows, y)
