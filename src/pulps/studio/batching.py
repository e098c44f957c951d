"""Many small requests, one sweep: rows that wait at the same time are scored together.

Scoring a hundred rows costs hardly more than scoring one. While one batch is computed, the
next one gathers: no request waits for others to come, and under load the work per row falls.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from pulps.studio.answers import Refusal
from pulps.studio.computing import Computer

Rows = list[dict[str, Any]]


class Batcher:
    """Joins the rows of waiting requests.

    Parameters
    ----------
    work
        Turns rows into as many results.
    computer
        Where it runs.
    most_rows
        Largest number of rows in a batch; a single request may have more.
    """

    def __init__(
        self, work: Callable[[Rows], list[Any]], computer: Computer, most_rows: int = 4096
    ):
        self.work, self.computer, self.most_rows = work, computer, most_rows
        self._waiting: deque[tuple[Rows, asyncio.Future[Any]]] = deque()
        self._task: asyncio.Task[None] | None = None

    async def submit(self, rows: Rows) -> list[Any]:
        """Wait for the results of some rows.

        Parameters
        ----------
        rows
            Rows of one request.

        Returns
        -------
        list
            One result per row.
        """
        if len(self._waiting) >= self.computer.limits.waiting:
            raise Refusal(503, "Too many requests are waiting. Try again in a moment.")
        future = asyncio.get_running_loop().create_future()
        self._waiting.append((rows, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        return await future

    async def _drain(self) -> None:
        while self._waiting:
            batch = [self._waiting.popleft()]
            n_rows = len(batch[0][0])
            while self._waiting and n_rows + len(self._waiting[0][0]) <= self.most_rows:
                batch.append(self._waiting.popleft())
                n_rows += len(batch[-1][0])
            batch = [(rows, future) for rows, future in batch if not future.done()]
            await self._answer(batch)

    async def _answer(self, batch: list[tuple[Rows, asyncio.Future[Any]]]) -> None:
        """Compute a batch; if it fails, one request at a time, so that none spoils the others."""
        joined = [row for rows, _ in batch for row in rows]
        if not joined:
            return
        try:
            results = await self.computer.run(lambda: self.work(joined))
        except Exception as error:
            if len(batch) > 1:
                for request in batch:
                    await self._answer([request])
            elif not batch[0][1].done():
                batch[0][1].set_exception(error)
            return
        first = 0
        for rows, future in batch:
            if not future.done():
                future.set_result(results[first : first + len(rows)])
            first += len(rows)
