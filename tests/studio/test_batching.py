"""Rows that wait together are scored together."""

import asyncio

from pulps.studio.batching import Batcher
from pulps.studio.computing import Computer
from pulps.studio.limits import Limits


def test_rows_that_wait_together_are_scored_together_and_none_spoils_the_others():
    batches = []

    def work(rows):
        batches.append(len(rows))
        if any(row["x"] < 0 for row in rows):
            raise ValueError("a negative number")
        return [row["x"] ** 2 for row in rows]

    async def crowd():
        batcher = Batcher(work, Computer(Limits()), most_rows=6)
        requests = [[{"x": i}, {"x": 10 * i}] for i in range(5)]
        requests[3] = [{"x": -1}]
        return await asyncio.gather(*map(batcher.submit, requests), return_exceptions=True)

    answers = asyncio.run(crowd())
    assert answers[:3] == [[0, 0], [1, 100], [4, 400]]
    assert answers[4] == [16, 1600]
    assert str(answers[3].detail) == "a negative number"
    assert batches == [6, 3, 1, 2]


def test_a_request_that_is_given_up_is_not_computed():
    batches = []

    def work(rows):
        batches.append(rows)
        return rows

    async def crowd():
        batcher = Batcher(work, Computer(Limits()))
        patient = asyncio.create_task(batcher.submit([1]))
        gone = asyncio.create_task(batcher.submit([2]))
        await asyncio.sleep(0)
        gone.cancel()
        return await patient

    assert asyncio.run(crowd()) == [1]
    assert batches == [[1]]
