"""Computing beside the event loop: a few threads, a bounded queue, a time limit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import anyio
import anyio.to_thread

from pulps.studio.answers import Refusal
from pulps.studio.limits import Limits

T = TypeVar("T")


class _Thread:
    """Work that tells whether it is being done."""

    def __init__(self, work: Callable[[], Any]):
        self.work, self.running = work, False

    def __call__(self) -> Any:
        self.running = True
        try:
            return self.work()
        finally:
            self.running = False


class Computer:
    """Runs functions in threads, a limited number at a time.

    Parameters
    ----------
    limits
        Number of threads, length of the queue, and time.
    """

    def __init__(self, limits: Limits):
        self.limits = limits
        self.n_waiting = 0
        self._overdue: list[_Thread] = []  # whose requests were refused
        self._threads: anyio.CapacityLimiter | None = None

    @property
    def full(self) -> bool:
        """Whether nothing more can be begun for now."""
        self._overdue = [thread for thread in self._overdue if thread.running]
        n_overdue = len(self._overdue)
        return self.n_waiting >= self.limits.waiting or n_overdue >= self.limits.workers

    async def run(self, work: Callable[[], T]) -> T:
        """Run a function in a thread; a ``ValueError`` becomes an answer with its reason.

        A request that waited or computed for too long is refused; its thread finishes anyway.
        While there are as many such threads as may compute, nothing else is begun.

        Parameters
        ----------
        work
            What to run.

        Returns
        -------
        object
            What the function returns.
        """
        if self._threads is None:
            self._threads = anyio.CapacityLimiter(self.limits.workers)
        if self.full:
            raise Refusal(503, "Too many requests are waiting. Try again in a moment.")
        self.n_waiting += 1
        thread = _Thread(work)
        try:
            async with asyncio.timeout(self.limits.compute_seconds):
                return await anyio.to_thread.run_sync(
                    thread, limiter=self._threads, abandon_on_cancel=True
                )
        except TimeoutError:
            self._overdue.append(thread)
            raise Refusal(
                503,
                f"That took longer than {self.limits.compute_seconds:g} seconds. Ask for less.",
            ) from None
        except (ValueError, OverflowError) as error:
            raise Refusal(422, " ".join(str(error).split())) from None
        finally:
            self.n_waiting -= 1
