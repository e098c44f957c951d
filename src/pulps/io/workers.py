"""Calls to many workers: processes of this machine, a Dask cluster or a Ray cluster.

joblib's configuration says where: nothing for this process or its children,
``with parallel_config(backend="dask")`` or ``"ray"`` for the cluster one is connected to.
Results are the same everywhere. A worker that dies costs the calls it was busy with: a
cluster makes these again by itself, and after the death of a child process, which takes the
other children with it, what was under way is begun again here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, field
from itertools import chain, count, islice
from typing import Any

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import get_active_backend

from pulps.io.optional import needs

MOST_DEATHS = 3  # of workers, in a row and without any result


@dataclass(frozen=True)
class Call:
    """A function and what to call it with."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self) -> Any:
        """Make the call.

        Returns
        -------
        object
            What the function returns.
        """
        return self.function(*self.arguments, **self.options)


def n_workers() -> int:
    """Tell how many workers joblib's configuration names; one without any.

    Returns
    -------
    int
    """
    return effective_n_jobs(None)


def in_order(calls: Iterable[Call], n_jobs: int | None = None) -> list[Any]:
    """Make calls in parallel and return their results in the order of the calls.

    Parameters
    ----------
    calls
        What to do.
    n_jobs
        As in :func:`as_they_come`.

    Returns
    -------
    list
        The results.

    Examples
    --------
    >>> in_order(Call(pow, (2, n)) for n in range(4))
    [1, 2, 4, 8]
    """
    numbered = (Call(_numbered, (i, call)) for i, call in enumerate(calls))
    return [result for _, result in sorted(as_they_come(numbered, n_jobs), key=lambda r: r[0])]


def as_they_come(calls: Iterable[Call], n_jobs: int | None = None) -> Generator[Any, None, None]:
    """Make calls in parallel and yield results as they come, in any order.

    Calls are taken from the iterable as workers become free.

    Parameters
    ----------
    calls
        What to do.
    n_jobs
        Processes of this machine, as joblib understands it. One makes all calls here, a
        cluster or not; any other number leaves the number of workers to the cluster.

    Returns
    -------
    generator
        Yields the results.

    Raises
    ------
    RuntimeError
        If three workers in a row die before any result comes.
    """
    if n_jobs == 1:
        return (call() for call in calls)
    backend, _ = get_active_backend()
    where = type(backend).__module__
    if where == "joblib._dask":
        return _on_dask(iter(calls))
    if where.startswith("ray."):
        return _on_ray(iter(calls))
    return _in_children(iter(calls), n_jobs)


def _numbered(number: int, call: Call) -> tuple[int, Any]:
    return number, call()


def _in_children(calls: Iterator[Call], n_jobs: int | None) -> Generator[Any, None, None]:
    """Go through joblib; begin again what was under way when its pool broke."""
    under_way: dict[int, Call] = {}
    numbers = count()

    def note(call: Call) -> Call:
        number = next(numbers)
        under_way[number] = call
        return Call(_numbered, (number, call))

    todo: Iterable[Call] = calls
    deaths = 0
    while True:
        noted = (delayed(note(call))() for call in todo)
        results = Parallel(n_jobs=n_jobs, batch_size=1, return_as="generator_unordered")(noted)
        try:
            for number, result in results:
                deaths = 0
                del under_way[number]
                yield result
            return
        except BrokenExecutor as error:
            deaths += 1
            _give_up_after(deaths, error)
            todo = chain(list(under_way.values()), calls)
            under_way.clear()
        finally:
            with warnings.catch_warnings():  # stopping early is no mistake here
                warnings.simplefilter("ignore", UserWarning)
                results.close()


def _on_dask(calls: Iterator[Call]) -> Generator[Any, None, None]:
    """Keep every worker of the cluster busy; it makes the calls of a dead one again."""
    with needs("dask", "Work on a Dask cluster"):
        from distributed import as_completed, get_client

    client = get_client()
    room = 2 * max(1, sum(client.nthreads().values()))
    futures = as_completed([client.submit(call, pure=False) for call in islice(calls, room)])
    try:
        for future in futures:
            for call in islice(calls, 1):
                futures.add(client.submit(call, pure=False))
            yield future.result()
    finally:
        client.cancel(list(futures.futures))


def _on_ray(calls: Iterator[Call]) -> Generator[Any, None, None]:
    """Keep every processor of the cluster busy; it makes the calls of a dead worker again."""
    with needs("ray", "Work on a Ray cluster"):
        import ray

    make = ray.remote(max_retries=MOST_DEATHS)(Call.__call__)
    room = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting = [make.remote(call) for call in islice(calls, room)]
    try:
        while waiting:
            ready, waiting = ray.wait(waiting)
            waiting += [make.remote(call) for call in islice(calls, len(ready))]
            for result in ready:
                yield ray.get(result)
    finally:
        for result in waiting:
            ray.cancel(result, force=True)


def _give_up_after(deaths: int, error: Exception) -> None:
    if deaths >= MOST_DEATHS:
        raise RuntimeError(
            f"{deaths} workers in a row died before any of them returned a result. They may lack "
            "memory: use fewer of them (n_jobs), or smaller models."
        ) from error
