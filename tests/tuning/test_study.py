"""A study that is shared, killed and continued."""

import json
import multiprocessing
import resource
import signal

import pandas as pd
import pytest
from fitters import points
from searchers import search_beside_another, search_until_killed, small_search

from pulps.io.journal import unseal
from pulps.tuning.journal import HEADER

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


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    """A study of two trials: its lines."""
    path = tmp_path_factory.mktemp("study") / "study.journal"
    small_search(storage=path, n_trials=2).fit(*points())
    return path.read_bytes()


def lines_of(content):
    return content.splitlines(keepends=True)


def test_every_line_is_sealed(journal):
    lines = [line.rstrip(b"\n") for line in lines_of(journal)]
    assert json.loads(unseal(lines[0])) == HEADER
    assert all("op_code" in json.loads(unseal(line)) for line in lines[1:])


@pytest.mark.parametrize("cut", [1, 12, 60])
def test_a_torn_last_line_is_cut_off(journal, cut, tmp_path):
    path = tmp_path / "study.journal"
    path.write_bytes(journal + lines_of(journal)[1][:cut])
    assert len(small_search(storage=path, n_trials=2).fit(*points()).cv_results_) == 2
    more = small_search(storage=path, n_trials=3).fit(*points())
    assert len(more.cv_results_) == 3
    assert path.read_bytes().startswith(journal)
    assert all(unseal(line.rstrip(b"\n")) for line in lines_of(path.read_bytes()))


def test_a_flipped_bit_is_told_with_its_line_and_nothing_is_changed(journal, tmp_path):
    path, lines = tmp_path / "study.journal", lines_of(journal)
    flipped = bytearray(lines[4])
    flipped[30] ^= 1
    damaged = b"".join([*lines[:4], bytes(flipped), *lines[5:]])
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match=r"Line 5 of study\.journal is damaged"):
        small_search(storage=path, n_trials=3).fit(*points())
    assert path.read_bytes() == damaged


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"no line end", b"\x00\xff" * 50, b"{}\n"])
def test_a_file_of_another_kind_is_refused_and_kept(content, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a study"):
        small_search(storage=path, n_trials=1).fit(*points())
    assert path.read_bytes() == content


def test_a_journal_of_version_0_3_is_continued(journal, tmp_path):
    """Its lines had no seal."""
    path = tmp_path / "study.journal"
    path.write_bytes(b"".join(line[9:] for line in lines_of(journal)[1:]))
    assert len(small_search(storage=path, n_trials=3).fit(*points()).cv_results_) == 3


def test_a_full_disk_loses_no_trial(journal, tmp_path):
    path = tmp_path / "study.journal"
    path.write_bytes(journal)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for spare in (0, 5, 200):
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(path.read_bytes()) + spare, limits[1]))
        try:
            with pytest.raises(OSError, match="Make room and run again"):
                small_search(storage=path, n_trials=3).fit(*points())
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert path.read_bytes().startswith(journal)
        assert path.read_bytes().endswith(b"\n")
    assert len(small_search(storage=path, n_trials=3).fit(*points()).cv_results_) == 3
