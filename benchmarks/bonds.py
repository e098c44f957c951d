"""Larger bonds and other spacings of the output legs: what they gain, and what they cost.

One teacher per task (:mod:`pulps.views`), then the network once for every bond dimension and
spacing: test scores and seconds of training. Tasks are of the development suite, at 30 % labeled
positives and at most 1,000 training rows; fold 2, which no page reports.

    python benchmarks/bonds.py --tables wine,vowel --rules dnf,parity

writes ``benchmarks/results/bonds.jsonl``, a line at a time, and ``docs/bonds.md`` from it; what is
there is not run again.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import f1_score, roc_auc_score

from pulps import LPSClassifier
from pulps.benchmark.protocol import Task, make_fold
from pulps.benchmark.table_problems import MAX_TRAIN, problem_names
from pulps.estimators.tables.guess import ask_views
from pulps.estimators.tables.training_table import read_training_table
from pulps.io.randomness import new_generator
from pulps.tables.encoding import TableEncoder

RESULTS = Path(__file__).parent / "results" / "bonds.jsonl"
PAGE = Path(__file__).parents[1] / "docs" / "bonds.md"
BONDS, SPACINGS = (8, 12, 16, 24), (4, 8, 16)


def records(task: Task, done: set):
    """Train all shapes on one task that are not done yet."""
    shapes = [(b, s) for b in BONDS for s in SPACINGS if (task.dataset, b, s) not in done]
    if not shapes:
        return
    fold = make_fold(task)
    model = LPSClassifier(random_state=0)
    table = read_training_table(model, fold.X, fold.y, None, TableEncoder()).distinct()
    teacher = ask_views("consensus", table, np.random.RandomState(0), new_generator(0))
    told = roc_auc_score(fold.y_test, teacher[1].score(table.encoder.transform(fold.X_test)))
    for bond_dim, spacing in shapes:
        model = LPSClassifier(bond_dim=bond_dim, spacing=spacing, random_state=0)
        read_training_table(model, fold.X, fold.y, None, TableEncoder())  # remembers the columns
        start = time.process_time()
        model.fit_encoded(table, teacher)
        seconds = time.process_time() - start
        yield {
            "dataset": task.dataset,
            "bond_dim": bond_dim,
            "spacing": spacing,
            "auc": roc_auc_score(fold.y_test, model.decision_function(fold.X_test)),
            "macro_f1": f1_score(fold.y_test, model.predict(fold.X_test), average="macro"),
            "teacher_auc": told,
            "cpu_seconds": seconds,
            "sites": len(model.site_bases_),
        }


def write_page() -> None:
    """Write what larger bonds gain and cost, on tables and on rule tables."""
    frame = pd.read_json(RESULTS, lines=True)
    frame["gain"] = frame.auc - frame.teacher_auc
    frame["kind"] = np.where(frame.dataset.str.endswith(":rule"), "rules", "tables")
    lines = [
        "# Bonds and spacings",
        "",
        "<!-- Written by benchmarks/bonds.py; do not edit by hand. -->",
        "",
        "The network with other bond dimensions, and with output legs further apart, on the",
        "development suite: fold 2, 30 % of the positives labeled, at most 1,000 rows. One first",
        "guess per task for all shapes. The gain is the area under the curve beyond that of the",
        "first guess, mean ± standard error; time is of one core, relative to the default.",
        "",
    ]
    for kind, part in frame.groupby("kind", sort=False):
        count = part.dataset.nunique()
        lines += [f"**{count} problems of {kind}**", ""]
        lines += [
            "| bond dimension | spacing | AUC gain | macro-F1 | time |",
            "|---|---|---|---|---|",
        ]
        base = part[(part.bond_dim == 8) & (part.spacing == 4)].cpu_seconds.sum()
        for (bond_dim, spacing), group in part.groupby(["bond_dim", "spacing"]):
            lines.append(
                f"| {bond_dim} | {spacing} | {group.gain.mean():+.3f} ± {group.gain.sem():.3f} "
                f"| {group.macro_f1.mean():.3f} | {group.cpu_seconds.sum() / base:.2f} |"
            )
        lines.append("")
    lines += order_lines()
    PAGE.write_text("\n".join(lines), "utf-8")


def order_lines() -> list[str]:
    """Tell what other orders of the attributes gain, if ``site_orders.py`` has run."""
    path = RESULTS.with_name("site_orders.jsonl")
    if not path.exists():
        return []
    scores = pd.read_json(path, lines=True).pivot_table(
        index="dataset", columns="order", values=["auc", "macro_f1"]
    )
    lines = [
        "## Order of the attributes",
        "",
        "Neighbors are attributes that depend on each other (the default), or that together tell",
        f"most about the class by the first guess, or by the truth; {len(scores)} rule tables.",
        "",
        "| neighbors by | AUC | against the default | macro-F1 |",
        "|---|---|---|---|",
    ]
    for order in ("dependence", "first guess", "truth"):
        gain = scores["auc", order] - scores["auc", "dependence"]
        lines.append(
            f"| {order} | {scores['auc', order].mean():.4f} | {gain.mean():+.4f} ± "
            f"{gain.sem():.4f} | {scores['macro_f1', order].mean():.4f} |"
        )
    return [*lines, ""]


def main() -> None:
    """Run what is missing, a record at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", default="wine,vowel,bupa,titanic,saheart,tae,hayes-roth,wdbc")
    parser.add_argument("--rules", default="dnf,exactly-k-of-n,k-of-n,multiplexer,parity")
    options = parser.parse_args()
    names, home = problem_names([*options.tables.split(","), *options.rules.split(",")])
    done = set()
    if RESULTS.exists():
        lines = map(json.loads, RESULTS.read_text().splitlines())
        done = {(line["dataset"], line["bond_dim"], line["spacing"]) for line in lines}
    for name in names:
        task = Task(name, label_frequency=0.3, fold=2, max_train=MAX_TRAIN, data_home=home)
        for record in records(task, done):
            with RESULTS.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(record, flush=True)
    write_page()


if __name__ == "__main__":
    main()
