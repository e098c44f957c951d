"""Records are neither lost nor repeated: crashes, torn lines, two runners, interruptions."""

import json
import multiprocessing
import os
import signal
from collections import Counter

import pytest
from runners import (
    TASKS,
    constant,
    crash_before_flush,
    hold_a_claim,
    logging_method,
    run_beside_another,
    run_until_killed,
)

from pulps.benchmark.methods import find_method
from pulps.benchmark.protocol import Method, Task, run_task
from pulps.benchmark.run import Job, Pace, key_of, missing, run
from pulps.benchmark.store import DamagedLineWarning, Store, sealed_record, unsealed_record

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and forks of POSIX")
fresh = multiprocessing.get_context("forkserver")  # imports once, then real processes quickly
fresh.set_forkserver_preload(["pulps.benchmark.run", "sklearn.dummy"])


def record(task="t", method="m", **fields):
    return {"task": task, "method": method, "version": "1", **fields}


def started(log):
    return log.read_text(encoding="utf-8").splitlines() if log.exists() else []


def test_a_record_is_stored_once(tmp_path):
    with Store(tmp_path / "deep" / "s.jsonl") as store:
        assert store.append(record(f1_pos=0.5))
        assert not store.append(record(f1_pos=0.6))
        assert store.append(record(method="other"))
        assert [r.get("f1_pos") for r in store.records()] == [0.5, None]
        assert store.frame().shape[0] == 2


def test_another_writer_is_seen(tmp_path):
    with Store(tmp_path / "s.jsonl") as ours:
        assert ours.append(record("a"))
        with (tmp_path / "s.jsonl").open("a") as file:
            file.write(json.dumps(record("b")) + "\n")
        assert ("b", "m", "1") in ours.keys()
        assert not ours.append(record("b"))


@pytest.mark.parametrize("cut", [1, 10, -1])
def test_a_torn_line_is_skipped_and_cut_off(tmp_path, cut):
    path = tmp_path / "s.jsonl"
    with Store(path) as store:
        store.append(record("a"))
    with path.open("a") as file:
        file.write(json.dumps(record("b"))[:cut])
    with Store(path) as store:
        assert [r["task"] for r in store.records()] == ["a"]
        assert store.append(record("b"))
        assert store.append(record("c"))
        assert [r["task"] for r in store.records()] == ["a", "b", "c"]
    assert [r["task"] for r in Store(path).records()] == ["a", "b", "c"]
    assert len(path.read_text().splitlines()) == 3


def test_a_damaged_line_in_the_middle_is_told_with_its_number(tmp_path):
    path = tmp_path / "s.jsonl"
    with Store(path) as store:
        for task in "abc":
            store.append(record(task))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1][:-3], lines[2], ""]))
    with pytest.warns(DamagedLineWarning, match=r"Line 2 of s\.jsonl is damaged"):
        assert [r["task"] for r in Store(path).records()] == ["a", "c"]
    with pytest.warns(DamagedLineWarning, match=r"Line 2 of"), Store(path) as store:
        assert {task for task, *_ in store.keys()} == {"a", "c"}


def test_every_flipped_bit_of_a_record_is_noticed(tmp_path):
    line = sealed_record(json.dumps(record("a")).encode())
    assert json.loads(line)["task"] == "a"  # whoever reads JSON lines reads it
    for place in range(8 * len(line)):
        flipped = bytearray(line)
        flipped[place // 8] ^= 1 << place % 8
        try:
            json.loads(unsealed_record(bytes(flipped)))
        except ValueError:
            continue
        raise AssertionError(bytes(flipped))


def test_records_without_a_seal_are_still_read(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(record("a")) + "\n")
    with Store(path) as store:
        assert store.append(record("b"))
        assert not store.append(record("a"))
        assert store.records() == [record("a"), record("b")]
    last = path.read_text().splitlines()[1]
    path.write_text(path.read_text().replace(last, last.replace('"b"', '"c"')))
    with pytest.warns(DamagedLineWarning, match=r"Line 2 of s\.jsonl is damaged"):
        assert Store(path).records() == [record("a")]


def test_a_file_of_another_kind_is_not_appended_to(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("one line without an end")
    with Store(path) as store, pytest.raises(ValueError, match="does not hold records"):
        store.append(record())
    assert path.read_text() == "one line without an end"


def test_a_record_survives_a_crash_between_write_and_flush(tmp_path):
    path = tmp_path / "s.jsonl"
    child = fresh.Process(target=crash_before_flush, args=(path, record("a")))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    with Store(path) as store:
        assert [r["task"] for r in store.records()] == ["a"]
        assert store.append(record("b"))


def test_what_is_not_a_number_is_refused_before_writing(tmp_path):
    with Store(tmp_path / "s.jsonl") as store:
        with pytest.raises(ValueError, match="Out of range float"):
            store.append(record(f1_pos=float("nan")))
        with pytest.raises(TypeError, match="numbers and text"):
            store.append(record(f1_pos=object()))
        assert store.records() == []


def test_a_claim_ends_with_its_process(tmp_path):
    path, key = tmp_path / "s.jsonl", ("t", "m", "1")
    claimed = fresh.Event()
    child = fresh.Process(target=hold_a_claim, args=(path, key, claimed))
    child.start()
    assert claimed.wait(timeout=60)
    with Store(path) as store:
        assert not store.claim(key)
        child.kill()
        child.join()
        assert store.claim(key)


def test_two_runners_share_a_store_and_train_nothing_twice(tmp_path):
    path, log, barrier = tmp_path / "s.jsonl", tmp_path / "log", fresh.Barrier(2)
    children = [
        fresh.Process(target=run_beside_another, args=(path, log, barrier)) for _ in range(2)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join()
    assert [child.exitcode for child in children] == [0, 0]
    wanted = sorted(task.id for task in TASKS)
    assert sorted(started(log)) == wanted
    assert sorted(r["task"] for r in Store(path).records()) == wanted


def test_a_killed_run_repeats_only_the_task_it_died_in(tmp_path):
    path, log = tmp_path / "s.jsonl", tmp_path / "log"
    child = fresh.Process(target=run_until_killed, args=(path, log, 5))
    child.start()
    child.join()
    assert child.exitcode == -signal.SIGKILL
    with Store(path) as store:
        before = [r["task"] for r in store.records()]
        assert len(before) == 5
        rest = [r["task"] for r in run(TASKS, [logging_method(log)], store)]
    assert sorted(before + rest) == sorted(task.id for task in TASKS)
    twice = [task for task, n in Counter(started(log)).items() if n > 1]
    assert len(twice) == 1
    assert twice[0] not in before


def test_stopping_early_and_going_on(tmp_path):
    log = tmp_path / "log"
    with Store(tmp_path / "s.jsonl") as store:
        records = run(TASKS, [logging_method(log)], store)
        next(records)
        next(records)
        records.close()
        assert len(store.records()) == 2
        assert len(list(run(TASKS, [logging_method(log)], store))) == len(TASKS) - 2
        assert list(run(TASKS, [logging_method(log)], store)) == []
    assert len(started(log)) <= len(TASKS) + 1


def test_a_keyboard_interrupt_leaves_a_whole_store(tmp_path):
    def interrupt(task):
        if task == TASKS[3]:
            raise KeyboardInterrupt

    with Store(tmp_path / "s.jsonl") as store:
        with pytest.raises(KeyboardInterrupt):
            list(run(TASKS, [logging_method(tmp_path / "log", interrupt)], store))
        assert len(store.records()) == 3
        assert len(list(run(TASKS, [logging_method(tmp_path / "log")], store))) == len(TASKS) - 3


def test_workers_give_the_same_records(tmp_path):
    methods = [find_method("all-positive"), find_method("all-negative")]
    with Store(tmp_path / "s.jsonl") as store:
        by_workers = list(run(TASKS[:3], methods, store, n_jobs=2))
        assert len(by_workers) == 6
    for got in by_workers:
        task = next(task for task in TASKS if task.id == got["task"])
        again = run_task(task, find_method(got["method"]))
        for field in ("tp", "fp", "fn", "tn", "n_labeled", "lee_liu", "auc"):
            assert got[field] == again[field]


def test_a_method_may_train_all_folds_in_one_program(tmp_path):
    calls = []

    def fit_folds(tasks, folds):
        calls.append([task.fold for task in tasks])
        return [
            constant(task).fit(fold.X, fold.y) for task, fold in zip(tasks, folds, strict=True)
        ]

    stacked = Method("stacked", constant, fit_folds=fit_folds)
    with Store(tmp_path / "s.jsonl") as store:
        for done in run(TASKS[1:2], [Method("stacked", constant)], store):
            assert done["fold"] == 1
        assert len(missing(TASKS, [stacked], store)) == 3
        records = list(run(TASKS, [stacked], store))
    assert calls[0] == [0, 2, 3]
    assert len(records) == len(TASKS) - 1
    assert {r["error"] for r in records} == {None}


class Broken:
    """An estimator that cannot be fitted."""

    def fit(self, X, y):
        raise RuntimeError("no luck")


def broken_folds(tasks, folds):
    raise RuntimeError("no luck")


BROKEN = [
    Method("broken", lambda task: Broken()),
    Method("stacked", lambda task: Broken(), fit_folds=broken_folds),
]


def test_a_method_that_raises_is_recorded_and_not_run_again(tmp_path):
    with Store(tmp_path / "s.jsonl") as store:
        records = list(run(TASKS[:2], BROKEN, store))
        assert [r["error"] for r in records] == ["RuntimeError: no luck"] * 4
        assert not missing(TASKS[:2], BROKEN, store)


def test_failures_can_be_tried_again_once_a_run(tmp_path):
    with Store(tmp_path / "s.jsonl") as store:
        list(run(TASKS[:2], BROKEN, store))
        assert len(list(run(TASKS[:2], BROKEN, store, retry_failed=True))) == 4
        mended = [Method("broken", constant), Method("stacked", constant)]
        again = list(run(TASKS[:2], mended, store, retry_failed=True))
        assert [r["error"] for r in again] == [None] * 4
        assert not missing(TASKS[:2], mended, store, retry_failed=True)
        assert not store.append(again[0])


def test_a_method_that_cannot_be_made_stops_the_run(tmp_path):
    def unmade(task):
        raise ImportError("not installed")

    with Store(tmp_path / "s.jsonl") as store:
        with pytest.raises(ImportError, match="not installed"):
            list(run(TASKS[:1], [Method("unmade", unmade)], store))
        assert store.records() == []


def test_the_time_left_follows_size_and_method():
    moons, iris = Task("moons", label_frequency=0.3), Task("iris", label_frequency=0.3)
    slow, fast = Method("slow", constant), Method("fast", constant)
    pace = Pace()
    assert pace.seconds([Job((moons,), slow)]) is None
    pace.learn({"method": "slow", "dataset": "moons", "fit_seconds": 19, "predict_seconds": 1})
    pace.learn({"method": "fast", "dataset": "moons", "fit_seconds": 2})
    assert pace.seconds([Job((iris,), slow)]) == pytest.approx(4)
    assert pace.seconds([Job((moons, moons), fast)], n_jobs=2) == pytest.approx(2)
    assert pace.seconds([Job((iris,), Method("new", constant))]) == pytest.approx(4)


def test_keys_name_task_method_and_version():
    task, method, version = key_of(TASKS[0], find_method("all-positive"))
    assert (task, method) == (TASKS[0].id, "all-positive")
    assert version
