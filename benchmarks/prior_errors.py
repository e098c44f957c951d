"""Measure how far the estimators of the share of positives are off, on the paper's tables.

    export PULPS_DATA=path/to/data
    python benchmarks/prior_errors.py                    # 3 folds of seed 0; prints the table
    python benchmarks/prior_errors.py --folds 0-9 --datasets vote,iris
    python benchmarks/prior_errors.py --estimators bbe,my_module:make_estimator
    python benchmarks/prior_errors.py --show             # only prints
    python benchmarks/prior_errors.py --page             # only writes docs/priors.md

Each data set, fold, seed and estimator makes one line of ``results/priors.jsonl``; what is
there is not run again, so the command may be stopped at any time. The estimators see the
training fold of the benchmark's protocol with its PU labels; the truth is the share of
positives among the unlabeled rows of that fold. An estimator of your own is named
``module:attribute``: called with ``random_state`` and ``scenario`` it returns an object whose
``fit(X, y)`` sets ``prior_of_unlabeled_`` and, if it can, ``interval_``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pulps.benchmark import provenance
from pulps.benchmark.protocol import Task, make_fold
from pulps.benchmark.store import Store
from pulps.benchmark.suites import size
from pulps.datasets import PAPER_TABLES
from pulps.priors import METHODS, make_prior_estimator

RESULTS = Path(__file__).parent / "results" / "priors.jsonl"
BENCHMARK = RESULTS.with_name("categorical.jsonl")
PAGE = RESULTS.parents[2] / "docs" / "priors.md"
TEXT = """# How many rows are positive?

<!-- Written by benchmarks/prior_errors.py --page; do not edit by hand. -->

`pulps.priors` estimates the share of positives among the unlabeled rows, each method behind
the same interface: `fit(X, y)`, then `prior_of_unlabeled_`, `prior_`, `interval_`,
`diagnostics_`. Mean absolute error on the tables of the paper, 30 % of the positives labeled,
seed 0; folds 0 to 2, fold 0 alone for the four large tables (chess, mushroom, nursery,
spambase). `lps` is what `LPSClassifier` learns on its way, from the records of the benchmark.
The interval aims at nine in ten.

"""


def make_estimator(name: str, task: Task) -> Any:
    """Return an estimator by the name of its method, or by where its factory is found."""
    parameters = {"random_state": task.model_seed, "scenario": task.scenario}
    module, colon, attribute = name.partition(":")
    if not colon:
        return make_prior_estimator(name, **parameters)
    return getattr(import_module(module), attribute)(**parameters)


def measure(task: Task, name: str) -> dict[str, Any]:
    """Estimate once and compare with the truth; a failure is a record, too."""
    fold = make_fold(task)
    unlabeled = fold.y == 0
    record = {
        "task": task.id,
        "method": name,
        "version": provenance.version(),
        "commit": provenance.commit(),
        "dataset": task.dataset,
        "fold": task.fold,
        "seed": task.seed,
        "label_frequency": task.label_frequency,
        "n_labeled": int(fold.y.sum()),
        "n_unlabeled": int(unlabeled.sum()),
        "truth": float(fold.y_true[unlabeled].mean()),
    }
    start = time.process_time()
    try:
        model = make_estimator(name, task).fit(fold.X, fold.y)
        low, high = getattr(model, "interval_", (None, None))
        found = {"estimate": float(model.prior_of_unlabeled_), "low": low, "high": high}
        return {**record, **found, "cpu_seconds": time.process_time() - start, "error": None}
    except Exception as error:
        return {**record, "error": f"{type(error).__name__}: {error}"[:500]}


def run(tasks: Sequence[Task], names: Sequence[str], store: Store) -> Iterator[dict[str, Any]]:
    """Measure and store what is missing, small data sets first."""
    there = store.keys()
    for task in sorted(tasks, key=lambda task: size(task.dataset)):
        for name in names:
            if (task.id, name, provenance.version()) not in there:
                record = measure(task, name)
                store.append(record)
                yield record


def learned_by_lps(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """Read what the default classifier estimated in the benchmark, as records like ours."""
    if not BENCHMARK.exists():
        return []
    wanted = {task.id for task in tasks}
    with Store(BENCHMARK) as store:
        found = {
            record["task"]: {
                **record,
                "method": "lps",
                "estimate": record["prior_of_unlabeled_estimate"],
                "truth": record["prior_of_unlabeled"],
                "cpu_seconds": np.nan,
                "low": np.nan,
                "high": np.nan,
            }
            for record in store.records()
            if record["task"] in wanted
            and record["method"] == "lps-default"
            and record.get("prior_of_unlabeled_estimate") is not None
        }
    return [*found.values()]


def summarize(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Mean absolute error by data set and estimator; below: their mean, bias and coverage."""
    frame = pd.DataFrame([record for record in records if record["error"] is None])
    frame["miss"] = frame["estimate"] - frame["truth"]
    frame["absolute"] = frame["miss"].abs()
    inside = (frame["low"] <= frame["truth"]) & (frame["truth"] <= frame["high"])
    frame["covered"] = inside.astype(float).where(frame["low"].notna())
    by_table = frame.groupby(["dataset", "method"])[["absolute", "miss", "covered", "cpu_seconds"]]
    means = by_table.mean().unstack("method")
    below = {
        "**mean**": means["absolute"].mean(),
        "mean error": means["miss"].mean(),
        "in the interval": means["covered"].mean(),
        "CPU seconds per fit": means["cpu_seconds"].mean(),
    }
    return pd.concat([means["absolute"], pd.DataFrame(below).T])


def to_markdown(table: pd.DataFrame) -> str:
    """Write a table with two or three digits a number."""
    lines = [["data set", *table.columns], ["---"] * (1 + len(table.columns))]
    for name, row in table.iterrows():
        lines.append([name, *("" if np.isnan(value) else f"{value:.3f}" for value in row)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def numbers(text: str) -> list[int]:
    """Read a list such as "0-2,5".

    >>> numbers("0-2,5")
    [0, 1, 2, 5]
    """
    ranges = (part.split("-") for part in text.split(","))
    return [number for ends in ranges for number in range(int(ends[0]), int(ends[-1]) + 1)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", default=",".join(PAPER_TABLES))
    parser.add_argument("--estimators", default=",".join(METHODS))
    parser.add_argument("--folds", default="0-2", type=numbers)
    parser.add_argument("--seeds", default="0", type=numbers)
    parser.add_argument("--label-frequency", default=0.3, type=float)
    parser.add_argument("--store", default=RESULTS, type=Path)
    parser.add_argument("--show", action="store_true", help="run nothing")
    parser.add_argument("--page", action="store_true", help="run nothing, write docs/priors.md")
    options = parser.parse_args(arguments)
    tasks = [
        Task(name, label_frequency=options.label_frequency, fold=fold, seed=seed)
        for name in options.datasets.split(",")
        for seed in options.seeds
        for fold in options.folds
    ]
    with Store(options.store) as store:
        if not (options.show or options.page):
            for record in run(tasks, options.estimators.split(","), store):
                print(record["task"], record["method"], record.get("estimate"), flush=True)
        wanted = {task.id for task in tasks}
        records = [r for r in store.records() if r["task"] in wanted]
    asked = {(r["dataset"], r["fold"]) for r in records}
    ours = [r for r in learned_by_lps(tasks) if (r["dataset"], r["fold"]) in asked]
    table = to_markdown(summarize([*records, *ours]))
    print(table)
    if options.page:
        PAGE.write_text(TEXT + table + "\n")


if __name__ == "__main__":
    main()
