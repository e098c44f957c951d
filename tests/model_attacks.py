"""Reading a model file that someone damaged or forged: what comes of it, and what it costs."""

import random
import time
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from forgeries import forgery
from mutations import mutated, spoiled
from saved_models import KINDS, file_of, load, odd_rows_for, rows_for

WAYS = {"mutated": mutated, "forged": forgery, "spoiled": spoiled}
_CLEAR, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")


class Outcome(NamedTuple):
    """What came of a file: ``refused``, ``equal``, ``sound``, or what went wrong."""

    came: str
    seconds: float
    megabytes: float


@cache
def sound_file(kind: str) -> bytes:
    return file_of(kind).read_bytes()


@cache
def sound_scores(kind: str) -> np.ndarray:
    return load(kind, file_of(kind)).decision_function(rows_for(kind))


def attack(way: str, number: int, path: Path, kind: str | None = None) -> Outcome:
    """Write the file of a number, and read it."""
    rng = random.Random(f"{way} {number}")
    kind = kind or KINDS[number % len(KINDS)]
    expected = sound_scores(kind)
    path.write_bytes(WAYS[way](sound_file(kind), rng))
    before = _memory("VmRSS", forget=True)
    start = time.process_time()  # what others compute meanwhile does not count
    try:
        model = load(kind, path)
        seconds = time.process_time() - start
        scores, others = map(model.decision_function, (rows_for(kind), odd_rows_for(kind)))
    except ValueError:
        came, seconds = "refused", time.process_time() - start
    except Exception as error:
        came, seconds = f"BROKEN {type(error).__name__}", time.process_time() - start
    else:
        if np.array_equal(scores, expected):
            came = "equal"
        else:
            came = "sound"
        if not (np.isfinite(scores).all() and np.isfinite(others).all()):
            came = "BROKEN not finite"
    return Outcome(came, seconds, max(0.0, _memory("VmHWM") - before))


def _memory(name: str, *, forget: bool = False) -> float:
    """Megabytes that this process holds, or held at most since the last time it was forgotten."""
    if not _STATUS.exists():
        return 0.0
    if forget:
        _CLEAR.write_text("5")
    lines = _STATUS.read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(name))
