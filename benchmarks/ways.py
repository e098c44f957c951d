"""Time several ways to sweep the same rows, in turns, round after round.

A way is an engine of one checkout: this one ("now") or an earlier one ("before"), a process each
(``worker.py``). A busy machine slows all of them, so ratios are taken round by round.
"""

from __future__ import annotations

import statistics
from pathlib import Path

from worker import Worker

HERE = Path(__file__).parent.parent
BEFORE = " before"  # ends the name of a way of the earlier checkout


class Ways:
    """Processes of both checkouts, with a number of threads.

    Parameters
    ----------
    before
        The earlier checkout, built; None to do without.
    threads
        Threads of each process; one process works at a time.
    """

    def __init__(self, before: Path | None, threads: int) -> None:
        checkouts = {"now": HERE} | ({} if before is None else {"before": before})
        self.workers = {name: Worker(path, threads) for name, path in checkouts.items()}

    def gemm_speed(self) -> float:
        """Floating point operations per second of a large matrix product."""
        return self.workers["now"].ask(do="gemm")["speed"]

    def close(self) -> None:
        """Let the processes end."""
        for worker in self.workers.values():
            worker.close()

    def measure(self, request: dict, engines: list[str], rounds: int) -> dict[str, dict]:
        """Medians over rounds, a dict an engine of this checkout; ratios are to other ways."""
        places = {engine: ("now", engine) for engine in engines}
        if "before" in self.workers:
            again = [engine for engine in engines if engine in ("torch", "native")]
            places |= {engine + BEFORE: ("before", engine) for engine in again}
        peaks, repeats = {}, {}
        for way, (place, engine) in places.items():
            worker = self.workers[place]
            peaks[way] = worker.ask(**request, do="make", engine=engine)["mb"]
            first = worker.ask(do="run", engine=engine, repeats=1)["seconds"]
            repeats[way] = max(1, min(200, int(0.25 / first)))
        answers: dict[str, list[dict]] = {way: [] for way in places}
        for _ in range(rounds):
            for way, (place, engine) in places.items():
                asked = {"do": "run", "engine": engine, "repeats": repeats[way]}
                answers[way].append(self.workers[place].ask(**asked))
        for worker in self.workers.values():
            worker.ask(do="forget")
        return {
            engine: {
                "milliseconds": 1000 * statistics.median(a["seconds"] for a in answers[engine]),
                "ratio": ratio(answers["author"], answers[engine]),
                "before": ratio(answers.get(engine + BEFORE), answers[engine]),
                "cpu_per_wall": statistics.median(
                    a["cpu"] / a["seconds"] for a in answers[engine]
                ),
                "peak_mb": peaks[engine],
                "peak_mb_before": peaks.get(engine + BEFORE),
                "rounds": rounds,
            }
            for engine in engines
        }


def ratio(theirs: list[dict] | None, ours: list[dict]) -> float | None:
    """How many times as long another way takes, the median over rounds."""
    if theirs is None:
        return None
    pairs = zip(theirs, ours, strict=True)
    return statistics.median(their["seconds"] / our["seconds"] for their, our in pairs)
