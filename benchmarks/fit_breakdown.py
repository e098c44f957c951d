"""Where the time of a fit goes, beside the fits of other methods on the same rows.

Each checkout of the library has a process of its own (``worker.py``) that fits when it is asked
to: rounds alternate, and a busy machine slows all. Times are of the processor.

The stages of a fit are timed from outside, by wrapping the functions named in ``STAGES``. A stage
inside another one counts for itself alone; what no stage names is "rest".
"""

from __future__ import annotations

import importlib
import json
import statistics
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from pathlib import Path

from predict_ratio import CLEAR, resident_mb
from worker import Worker

HERE = Path(__file__).parent.parent
SIZES = [(200, 16), (1000, 20), (4140, 57)]
LARGE_SIZES = [(10_000, 30), (100_000, 20)]
KINDS = ("numeric", "categorical", "mixed")
RIVALS = {"spies": "SpyClassifier", "Elkan-Noto": "ElkanNotoClassifier", "nnPU": "NNPUClassifier"}
ALONE = "networks alone"  # without a first guess, as fits once were
STAGES = {
    "encoding": [
        ("pulps.tables.encoding", "TableEncoder.fit_transform"),
        ("pulps.estimators.tables.classifier", "EncodedTable.distinct"),
    ],
    "first guess": [("pulps.estimators.tables.classifier", "LPSClassifier._guess")],
    "site order": [("pulps.estimators.tables.classifier", "choose_embedding")],
    "planning": [
        ("pulps.network.engine", "prepare"),
        ("pulps.network.engine.categorical", "plan"),
    ],
    "forward": [("pulps.training.loop", "_place")],
    "backward": [("torch", "Tensor.backward")],
    "optimizer": [("pulps.training.loop", "Loop._move")],
    "prior": [("pulps.training.loop", "Loop._prior")],
    "decision": [
        ("pulps.estimators.tables.classifier", "log_ratios"),
        ("pulps.estimators.tables.classifier", "decide"),
    ],
}
COLUMNS = ("import", *STAGES, "rest")


class Clock:
    """Processor time of every stage, without that of the stages inside it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._open: list[str] = ["rest"]
        self._since = time.process_time()

    def _turn(self) -> None:
        now = time.process_time()
        self.seconds[self._open[-1]] += now - self._since
        self._since = now

    def start(self) -> None:
        """Forget what was measured."""
        self.seconds.clear()
        self._since = time.process_time()

    def stop(self) -> dict[str, float]:
        """Return the seconds of each stage since the start."""
        self._turn()
        return dict(self.seconds)

    def timed(self, stage: str, function: Callable) -> Callable:
        """Return the function with its time counted."""

        @wraps(function)
        def call(*args, **kwargs):
            self._turn()
            self._open.append(stage)
            try:
                return function(*args, **kwargs)
            finally:
                self._turn()
                self._open.pop()

        return call

    def wrap_all(self) -> list[str]:
        """Wrap the functions of all stages; return the names that this checkout lacks."""
        lacking = []
        for stage, places in STAGES.items():
            for module, name in places:
                *outer, last = name.split(".")
                try:
                    owner = importlib.import_module(module)
                    for part in outer:
                        owner = getattr(owner, part)
                    setattr(owner, last, self.timed(stage, getattr(owner, last)))
                except (ModuleNotFoundError, AttributeError):
                    lacking.append(f"{module}.{name}")
        return lacking


def make(n_rows: int, n_columns: int, kind: str, seed: int = 1):
    """Draw two overlapping groups of rows, 30 % of the first labeled; and what is true."""
    import numpy as np
    import pandas as pd

    from pulps import hide_labels

    rng = np.random.default_rng(seed)
    y_true = rng.random(n_rows) < 0.5
    shift = y_true[:, None] * 2 / np.sqrt(n_columns)  # as hard with many columns as with few
    table = pd.DataFrame(rng.standard_normal((n_rows, n_columns)) + shift)
    table.columns = [f"x{i}" for i in range(n_columns)]
    categories = {"numeric": 0, "categorical": n_columns, "mixed": n_columns // 2}[kind]
    for name in table.columns[:categories]:
        codes = np.clip(np.round(1.2 * table[name] + 2), 0, 5).astype(int)
        table[name] = codes.astype(str).astype("category")
    return table, hide_labels(y_true, label_frequency=0.3, random_state=seed), y_true


def serve() -> None:
    """Answer requests: fit one method to one table; tell the seconds, and those of the stages."""
    warnings.simplefilter("ignore")
    before = time.process_time()
    import pulps.baselines
    from pulps import LPSClassifier

    LPSClassifier()  # where names are found when they are asked for
    import_seconds = time.process_time() - before
    clock = Clock()
    lacking = clock.wrap_all()
    for line in sys.stdin:
        request = json.loads(line)
        rival = RIVALS.get(request["method"])
        made = LPSClassifier if rival is None else getattr(pulps.baselines, rival)
        options: dict = {} if rival else {"max_epochs": request["epochs"]}
        if request["method"] == ALONE:
            options["first_guess"] = None
        n_rows = request["rows"]
        X, y, y_true = make(n_rows * 5 // 4, request["columns"], request["kind"])
        if CLEAR.exists():
            CLEAR.write_text("5")  # the largest size so far is forgotten
        held = resident_mb("VmRSS")
        clock.start()
        model = made(random_state=1, **options).fit(X[:n_rows], y[:n_rows])
        stages = clock.stop()
        answer = {"seconds": sum(stages.values()), "stages": stages, "lacking": lacking}
        answer["mb"] = resident_mb("VmHWM") - held
        answer["accuracy"] = float(((model.predict(X[n_rows:]) > 0) == y_true[n_rows:]).mean())
        print(json.dumps(answer | {"import": import_seconds}), flush=True)


def measure(
    sizes: list[tuple[int, int]],
    before: Path | None,
    rounds: int,
    epochs: int | str = "auto",
    threads: int = 1,
    kinds: tuple[str, ...] = KINDS,
    rivals: tuple[str, ...] = (ALONE, *RIVALS),
) -> list[dict]:
    """Print and return a dict per size and kind: medians over rounds, in which all take turns."""
    now = Worker(HERE, threads, __file__)
    then = None if before is None else Worker(before, threads, __file__)
    figures = []
    for n_rows, n_columns in sizes:
        for kind in kinds:
            asked = {"rows": n_rows, "columns": n_columns, "kind": kind, "epochs": epochs}
            for worker in filter(None, (now, then)):  # what is done once per process
                worker.ask(**asked | {"epochs": 2, "method": "LPS"})
            answers: dict[str, list[dict]] = defaultdict(list)
            for _ in range(rounds):
                answers["LPS"].append(now.ask(**asked, method="LPS"))
                if then is not None:
                    answers["before"].append(then.ask(**asked, method="LPS"))
                for rival in rivals:
                    answers[rival].append(now.ask(**asked, method=rival))
            figures.append(summary(asked, answers))
            show(figures[-1])
    for worker in filter(None, (now, then)):
        worker.close()
    return figures


def summary(asked: dict, answers: dict[str, list[dict]]) -> dict:
    """Medians of the rounds: ratios first, then seconds and the stages of our fit."""
    ours = answers["LPS"]
    ratios = {
        name: statistics.median(
            other["seconds"] / own["seconds"] for other, own in zip(theirs, ours, strict=True)
        )
        for name, theirs in answers.items()
        if name != "LPS"
    }
    stages = {
        stage: statistics.median(answer["stages"].get(stage, 0.0) for answer in ours)
        for stage in (*STAGES, "rest")
    }
    return {
        **asked,
        "ratios": ratios,
        "seconds": statistics.median(answer["seconds"] for answer in ours),
        "stages": {"import": ours[0]["import"]} | stages,
        "accuracy": {name: median_of(theirs, "accuracy") for name, theirs in answers.items()},
        "mb": {name: median_of(theirs, "mb") for name, theirs in answers.items()},
        "not_timed": ours[0]["lacking"],
    }


def median_of(answers: list[dict], key: str) -> float:
    """Return the median of one entry."""
    return statistics.median(answer[key] for answer in answers)


def show(figures: dict) -> None:
    """Print one size and kind."""
    ratios = ", ".join(f"{name} {ratio:.2f}" for name, ratio in figures["ratios"].items())
    print(f"{figures['rows']} × {figures['columns']} {figures['kind']}")
    print(f"  time of others over ours: {ratios}")
    stages = ", ".join(f"{stage} {1000 * figures['stages'][stage]:.0f}" for stage in COLUMNS)
    print(f"  fit {figures['seconds']:.2f} s; in ms: {stages}")
    accuracy = ", ".join(f"{name} {share:.3f}" for name, share in figures["accuracy"].items())
    print(f"  accuracy: {accuracy}", flush=True)
    if figures["not_timed"]:
        print(f"  not timed, counted as rest: {', '.join(figures['not_timed'])}")


if __name__ == "__main__":
    serve()
