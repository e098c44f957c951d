"""Work that takes too long is given up, and does not pile up."""

import asyncio
import threading

import pytest

from pulps.studio.answers import Refusal
from pulps.studio.computing import Computer
from pulps.studio.limits import Limits


def test_work_without_end_does_not_pile_up():
    computer = Computer(Limits(compute_seconds=0.05, workers=2))
    end, begun = threading.Event(), []

    def endless():
        begun.append(1)
        end.wait()

    async def ask(work):
        with pytest.raises(Refusal) as caught:
            await computer.run(work)
        return caught.value

    async def siege():
        first = [await ask(endless) for _ in range(2)]
        later = [await ask(endless) for _ in range(5)]
        end.set()
        while computer.full:
            await asyncio.sleep(0)
        assert await computer.run(lambda: 7) == 7
        return first, later

    first, later = asyncio.run(siege())
    assert len(begun) == 2
    assert all("took longer than" in refusal.detail for refusal in first)
    assert all("waiting" in refusal.detail for refusal in later)
