"""Run a part of a suite and show how far it is; ``pulps bench run`` and ``page`` do it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pulps.benchmark.plans import Part


def run_part(
    suite: str,
    part: Part,
    results: Path,
    *,
    jobs: int = 1,
    data: Path | None = None,
    retry_failed: bool = False,
) -> int:
    """Run what is not yet in the store, and say what was done.

    Parameters
    ----------
    suite
        Name of the suite.
    part
        Methods, and which tasks of the suite.
    results
        Folder of the store.
    jobs
        Tasks to run at the same time.
    data
        Folder of tables, for the suite "develop".
    retry_failed
        Whether failed tasks are tried again.

    Returns
    -------
    int
        The exit code: 0, 1 if data are missing or damaged, 130 if it was interrupted.
    """
    if suite in ("semi", "semi-images", "open-set"):
        return _run_semi(suite, part, results)
    from pulps.benchmark.methods import find_methods
    from pulps.benchmark.plans import DEFAULT_METHODS
    from pulps.benchmark.suites import suite_tasks

    tasks = suite_tasks(suite, **part.choices, data_home=data)
    chosen = find_methods(part.methods or DEFAULT_METHODS)
    return _run_tasks(suite, tasks, chosen, results, jobs, retry_failed)


def open_store(results: Path, suite: str) -> Any:
    """Open the records of a suite.

    Parameters
    ----------
    results
        Folder of the store.
    suite
        Name of the suite.

    Returns
    -------
    Store
    """
    from pulps.benchmark.store import Store

    return Store(results / f"{suite}.jsonl")


def _run_tasks(
    suite: str, tasks: Any, chosen: Any, results: Path, jobs: int, retry_failed: bool
) -> int:
    """Run a suite with two classes, several tasks at once."""
    from joblib import effective_n_jobs
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed

    from pulps.benchmark.run import Pace, missing
    from pulps.benchmark.run import run as run_missing
    from pulps.datasets import CorruptedDataError, DataUnavailableError
    from pulps.io.progress import duration, inner_work_is_silent

    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Elapsed(),
        TextColumn("{task.fields[left]}"),
    ]
    with (
        open_store(results, suite) as store,
        inner_work_is_silent(),
        Progress(*columns) as progress,
    ):
        todo = missing(tasks, chosen, store, retry_failed=retry_failed)
        pace = Pace(store.records())
        total = len(tasks) * len(chosen)
        n_left = sum(len(job.tasks) for job in todo)
        left = {
            (task.id, job.method.name): job._replace(tasks=(task,))
            for job in todo
            for task in job.tasks
        }
        bar = progress.add_task(suite, total=total, completed=total - n_left, left="")
        n_done = n_failed = 0
        stopped = ""
        try:
            for record in run_missing(
                tasks, chosen, store, n_jobs=jobs, retry_failed=retry_failed
            ):
                n_done += 1
                n_failed += record["error"] is not None
                pace.learn(record)
                left.pop((record["task"], record["method"]), None)
                seconds = pace.seconds(left.values(), effective_n_jobs(jobs))
                text = f"{record['dataset']}, {duration(seconds)} left"
                progress.update(bar, advance=1, left=text)
        except KeyboardInterrupt:
            stopped = "interrupted"
        except (DataUnavailableError, CorruptedDataError) as error:
            stopped = str(error)
        elsewhere = sum(len(job.tasks) for job in missing(tasks, chosen, store))
        progress.update(bar, completed=total - elsewhere, left="")
    there = total - n_left
    failed = f", {n_failed} failed" * bool(n_failed)
    print(f"{n_done} records added, {there} were there already{failed}")
    if stopped:
        print(f"Stopped: {stopped}")
        print("Everything finished is stored; run the same command to continue.")
        return 130 if stopped == "interrupted" else 1
    if elsewhere:
        print(f"{elsewhere} tasks are being run by another runner.")
    return 0


def _run_semi(suite: str, part: Part, results: Path) -> int:
    """Run a suite with several classes, one task after the other."""
    from pulps.benchmark.semi.running import run_semi
    from pulps.benchmark.semi.suites import find_semi_methods, semi_suite_tasks
    from pulps.io.progress import inner_work_is_silent

    chosen = find_semi_methods(part.methods, suite)
    of = part.choices
    tasks = semi_suite_tasks(
        suite,
        of.get("datasets"),
        of.get("label_frequencies"),
        of.get("folds"),
        of.get("seeds", [0]),
    )
    n_done = n_failed = 0
    with open_store(results, suite) as store, inner_work_is_silent():
        try:
            for record in run_semi(tasks, chosen, store):
                n_done, n_failed = n_done + 1, n_failed + (record["error"] is not None)
                print(f"{record['task']}  {record['method']}", flush=True)
        except KeyboardInterrupt:
            print("Stopped. Everything finished is stored; run the same command to continue.")
            return 130
    print(f"{n_done} records added" + f", {n_failed} failed" * bool(n_failed))
    return 0
