"""PUICL's published tasks: the same rows, our estimators, its stored scores beside them.

PUICL (2026) is a transformer, pretrained on made-up tables, that reads labeled and unlabeled rows
and classifies the unlabeled ones without any training. Its repository stores ten replicates of
four tables; ``puicl/`` has their row numbers and its scores.

    python benchmarks/puicl_tasks.py

appends to ``results/puicl.jsonl`` what is missing there, and writes ``docs/puicl.md``.
"""

from __future__ import annotations

import gzip
import json
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import balanced_accuracy_score, roc_auc_score

import pulps
from pulps import LPSClassifier, PUClassifier
from pulps.baselines import ElkanNotoClassifier, SpyClassifier
from pulps.datasets import load_dataset

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "puicl.jsonl"
PAGE = HERE.parent / "docs" / "puicl.md"
METHODS = {
    "PUClassifier": PUClassifier,
    "LPSClassifier": LPSClassifier,
    "spies": SpyClassifier,
    "Elkan–Noto": ElkanNotoClassifier,
}
SCORES = {"auc": "Area under the ROC curve", "balanced_accuracy": "Balanced accuracy"}
MOST_VALUES = 10  # of an attribute of mushroom, in PUICL's reading of it

ABOUT = """# Beside PUICL

PUICL ([arXiv 2605.05591](https://arxiv.org/abs/2605.05591), 2026) is a transformer that was
pretrained on made-up tables: it reads labeled and unlabeled rows and answers for the unlabeled
ones, without any training. Its repository stores the scores of every replicate and a sampler
that can be repeated. Here are the same rows of four tables, ten replicates each: 200 labeled
positives and 500 unlabeled rows (of wdbc up to 119 and 298), of which 80 % are positive. Nothing
is told to our estimators but the labels; all scores are on the unlabeled rows, which the
estimators saw unlabeled. Mean and 95 % interval over the replicates (Student's); the difference
is paired.

PUICL's numbers are those stored in its repository in November 2026 and were not run here,
because its weights cannot be fetched by this benchmark.
"""


def main() -> None:
    """Run what is missing, then write the page."""
    done = {(record["table"], record["replicate"], record["method"]) for record in records()}
    for record in run(done):
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        print({key: record[key] for key in ("table", "replicate", "method", *SCORES)}, flush=True)
    PAGE.write_text(page(pd.DataFrame(records())), encoding="utf-8")


def records() -> list[dict[str, Any]]:
    """Read the records of this version."""
    if not RESULTS.exists():
        return []
    lines = map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["version"] == pulps.__version__]


def run(done: set) -> Iterator[dict[str, Any]]:
    """Fit every method on every replicate that is not done."""
    with gzip.open(HERE / "puicl" / "tasks.json.gz", "rt") as file:
        tasks = json.load(file)
    for name, replicates in tasks.items():
        X, y = table(name)
        for number, task in enumerate(replicates):
            rows = np.concatenate([task["labeled"], task["unlabeled"]])
            n_labeled = len(task["labeled"])
            if set(y[task["labeled"]]) != {task["positive_label"]}:
                raise ValueError(f"Labeled rows of {name}, replicate {number}, are not positive.")
            labels = (np.arange(len(rows)) < n_labeled).astype(int)
            truth = np.array(task["unlabeled_is_positive"], dtype=int)
            cells = X.iloc[rows].reset_index(drop=True)
            for method, make in METHODS.items():
                if (name, number, method) in done:
                    continue
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    start = time.perf_counter()
                    model = make(random_state=0).fit(cells, labels)
                    seconds = time.perf_counter() - start
                    unlabeled = cells.iloc[n_labeled:]
                    score = model.predict_proba(unlabeled)[:, 1]
                    called = model.predict(unlabeled)
                yield {
                    "table": name,
                    "replicate": number,
                    "method": method,
                    "version": pulps.__version__,
                    "auc": roc_auc_score(truth, score),
                    "balanced_accuracy": balanced_accuracy_score(truth, called),
                    "accuracy": float((truth == called).mean()),
                    "seconds": seconds,
                }


def table(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Load attributes and class names, rows in the order of the tasks."""
    if name == "wdbc":
        bunch = load_breast_cancer(as_frame=True)
        return bunch.data, np.where(bunch.target == 1, "B", "M")
    if name == "banknote":
        read = pd.read_csv(HERE / "puicl" / "banknote.csv")
        return read.drop(columns="class"), read["class"].astype(str).to_numpy()
    data = load_dataset(name, recipe="all")
    X = data.X
    if name == "mushroom":
        X = X.drop(columns="stalk-root")
        X = X.loc[:, X.nunique() <= MOST_VALUES]
    classes = data.metadata.negative, data.metadata.positive
    return X, np.array(classes)[data.y]


def page(frame: pd.DataFrame) -> str:
    """Write the comparison."""
    theirs = pd.read_csv(HERE / "puicl" / "scores.csv").rename(columns={"roc_auc": "auc"})
    theirs = theirs.set_index(["table", "replicate"])
    tables = list(dict.fromkeys(frame["table"]))
    parts = [ABOUT]
    for score, title in SCORES.items():
        ours = frame.pivot_table(index=["table", "replicate"], columns="method", values=score)
        ours = ours[list(METHODS)].dropna()
        ours.insert(0, "PUICL", theirs.loc[ours.index, score])
        parts.append(f"## {title}\n")
        names = list(ours.columns)
        parts.append(f"| | {' | '.join(names)} | PUClassifier − PUICL |")
        parts.append("|---" * (len(names) + 2) + "|")
        for name in [*tables, "mean"]:
            part = ours if name == "mean" else ours.loc[name]
            if name == "mean":
                part = part.groupby("replicate").mean()
            best = part.mean().idxmax()
            cells = [
                f"**{interval(column)}**" if method == best else interval(column)
                for method, column in part.items()
            ]
            difference = interval(part["PUClassifier"] - part["PUICL"], signed=True)
            parts.append(f"| {name} | {' | '.join(cells)} | {difference} |")
        parts.append("")
        parts.append(f"{standing(ours['PUClassifier'] - ours['PUICL'], tables)}\n")
    parts.append("Written by `python benchmarks/puicl_tasks.py`, which runs what is missing.\n")
    return "\n".join(parts)


def standing(difference: pd.Series, tables: list[str]) -> str:
    """Say on how many tables `PUClassifier` is ahead, and on which it is not, by how much."""
    differences = {name: difference.loc[name] for name in tables}
    behind = [
        f"{name} ({interval(values, signed=True)})"
        for name, values in differences.items()
        if values.mean() <= 0
    ]
    ahead = f"`PUClassifier` is ahead on {len(tables) - len(behind)} of {len(tables)} tables"
    return f"{ahead}; PUICL is on {', '.join(behind)}." if behind else f"{ahead}."


def interval(values: pd.Series, *, signed: bool = False) -> str:
    """Format the mean with its 95 % interval over replicates."""
    half = student.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values))
    text = f"{values.mean():+.3f}" if signed else f"{values.mean():.3f}"
    return f"{text.replace('0.', '.', 1)} ± {f'{half:.3f}'.replace('0.', '.', 1)}"


if __name__ == "__main__":
    main()
