"""The runner: does what is not yet in the store, in parallel, and can be stopped at any time.

Tasks are handed out one by one as workers become free, each claimed in the store first, so
several runners may share a suite. A record is stored the moment it arrives; stopping or
killing the runner loses only what was being trained. Inside
``with joblib.parallel_config(backend="dask")`` a cluster takes the work
(:mod:`pulps.io.workers`), and only this process needs to reach the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import groupby
from typing import NamedTuple

from pulps.benchmark.protocol import Method, Record, Task, record_key, run_tasks
from pulps.benchmark.provenance import version
from pulps.benchmark.store import Key, Store
from pulps.benchmark.suites import size
from pulps.benchmark.table_problems import changed_tables, is_table_problem
from pulps.datasets import CorruptedDataError
from pulps.io.workers import Call, as_they_come


class Job(NamedTuple):
    """Tasks that are trained in one go, by one method."""

    tasks: tuple[Task, ...]
    method: Method


def key_of(task: Task, method: Method) -> Key:
    """Return the key of the record that a task and a method will make with this version.

    Parameters
    ----------
    task
        The task.
    method
        The method.

    Returns
    -------
    tuple
        Task, method and version.
    """
    return task.id, method.name, version()


def missing(
    tasks: Iterable[Task],
    methods: Iterable[Method],
    store: Store,
    *,
    retry_failed: bool = False,
    tried: Set[Key] = frozenset(),
) -> list[Job]:
    """List the jobs whose records are not in the store.

    A method that trains folds stacked gets all missing folds of a problem as one job. With
    ``retry_failed`` a record of a failure counts as missing, unless it was just ``tried``.

    Parameters
    ----------
    tasks
        The tasks.
    methods
        The methods.
    store
        The store.
    retry_failed
        Whether a record of a failure counts as missing.
    tried
        Keys that were just tried.

    Returns
    -------
    list of Job
        Small data sets first.
    """
    there = store.keys(failed=not retry_failed) | tried
    tasks, jobs = list(tasks), []
    for method in methods:
        left = [task for task in tasks if key_of(task, method) not in there]
        if method.fit_folds is None:
            jobs += [Job((task,), method) for task in left]
        else:
            jobs += [Job(tuple(group), method) for _, group in groupby(left, _problem)]
    return sorted(jobs, key=lambda job: _work(job.tasks[0]))


def run(
    tasks: Sequence[Task],
    methods: Sequence[Method],
    store: Store,
    *,
    n_jobs: int = 1,
    retry_failed: bool = False,
) -> Iterator[Record]:
    """Run what is missing and yield every record once it is safely stored.

    Stop iterating at any time; run again to go on. Tasks that another runner has claimed
    are left to it, and taken over if it ends without a record.

    Parameters
    ----------
    tasks
        The tasks.
    methods
        The methods.
    store
        The store.
    n_jobs
        Tasks to run at the same time.
    retry_failed
        Whether to try tasks again whose record is of a failure.
    """
    _require_same_tables(tasks, store)
    tried: set[Key] = set()
    while True:
        claimed: set[Key] = set()
        n_stored = 0
        jobs = missing(tasks, methods, store, retry_failed=retry_failed, tried=tried)
        ours = _claim(jobs, store, claimed, retry_failed=retry_failed)
        calls = (Call(run_tasks, (job.tasks, job.method)) for job in ours)
        results = as_they_come(calls, n_jobs)
        try:
            for records in results:
                for record in records:
                    key = record_key(record)
                    is_new = store.append(record)
                    store.release(key)
                    claimed.discard(key)
                    tried.add(key)
                    if is_new:
                        n_stored += 1
                        yield record
        finally:
            results.close()
            for key in claimed:
                store.release(key)
        if n_stored == 0:
            return


def _claim(
    jobs: Iterable[Job], store: Store, claimed: set[Key], *, retry_failed: bool
) -> Iterator[Job]:
    """Hand out jobs that are ours: claimed, and still not in the store after that."""
    for job in jobs:
        ours = []
        for task in job.tasks:
            key = key_of(task, job.method)
            if not store.claim(key):
                continue
            if key in store.keys(failed=not retry_failed):
                store.release(key)
                continue
            claimed.add(key)
            ours.append(task)
        if ours:
            yield Job(tuple(ours), job.method)


def _work(task: Task) -> int:
    return size(task.dataset, task.data_home)


def _require_same_tables(tasks: Sequence[Task], store: Store) -> None:
    """Refuse to go on with records of a table that has been another one when they were made."""
    if not any(task.data_home for task in tasks):
        return
    problems = [(task.dataset, task.data_home) for task in tasks]
    changed = changed_tables(problems, store.records())
    if changed:
        raise CorruptedDataError(
            f"{', '.join(name for name, _ in changed)} in {changed[0][1]}: the records in "
            f"{store.path} were made with another table of that name. Give it another name, or "
            "keep its records in another folder (--results)."
        )


def _problem(task: Task) -> tuple[object, ...]:
    return (
        task.dataset,
        task.label_frequency,
        task.n_labeled,
        task.seed,
        task.repeat,
        task.scenario,
        task.fold_scheme,
        task.missing,
        task.max_train,
    )


class Pace:
    """Seconds a method takes for a cell of data, learned from records; hence the time left."""

    def __init__(self, records: Iterable[Record] = ()):
        self._seen: dict[str, list[float]] = {}
        for record in records:
            self.learn(record)

    def learn(self, record: Record) -> None:
        """Take the time of a record into account.

        Parameters
        ----------
        record
            A record.
        """
        seen = self._seen.setdefault(record["method"], [0.0, 0.0])
        seen[0] += (record.get("fit_seconds") or 0.0) + (record.get("predict_seconds") or 0.0)
        if is_table_problem(record["dataset"]):  # its folder may not be here
            seen[1] += record["n_train"] * record["n_attributes"]
        else:
            seen[1] += size(record["dataset"])

    def seconds(self, jobs: Iterable[Job], n_jobs: int = 1) -> float | None:
        """Estimate the time of some jobs; ``None`` before anything was measured.

        A method that was never seen is taken to be as slow as the slowest one.

        Parameters
        ----------
        jobs
            What is left to do.
        n_jobs
            Jobs that run at the same time.

        Returns
        -------
        float or None
            In seconds.
        """
        rates = {name: seconds / cells for name, (seconds, cells) in self._seen.items()}
        if not rates:
            return None
        slowest = max(rates.values())
        work = sum(
            _work(task) * rates.get(job.method.name, slowest) for job in jobs for task in job.tasks
        )
        return work / max(n_jobs, 1)
