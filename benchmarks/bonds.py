"""Larger bonds and other spacings of the output legs: what they gain, and what they cost.

One teacher per task (:mod:`pulps.views`), then the network once for every bond dimension and
spacing: test scores and seconds of training. Tasks are of the development suite, at 30 % labeled
positives and at most 1,000 training rows; fold 2, which no page reports.

    python benchmarks/bonds.py --tables wine,vowel --rules dnf,parity

writes ``benchmarks/results/bonds.jsonl``, a line at a time; what is there is not run again.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score

from pulps import LPSClassifier
from pulps.benchmark.protocol import Task, make_fold
from pulps.benchmark.table_problems import MAX_TRAIN, problem_names
from pulps.estimators.reading import read_training_table
from pulps.estimators.table_guess import ask_views
from pulps.io.randomness import new_generator
from pulps.tables.encoding import TableEncoder

RESULTS = Path(__file__).parent / "results" / "bonds.jsonl"
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


if __name__ == "__main__":
    main()
