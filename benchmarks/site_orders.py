"""Attributes ordered by what pairs of them tell about the class, and what a network gains.

By default attributes that depend on each other are neighbors, classes unseen. Here neighbors are
attributes that together tell most about the first guess of the class, or, as the best one could
hope for, about the class itself. On the generated rule tables, fold 2, 30 % labeled.

    python benchmarks/site_orders.py

writes ``benchmarks/results/site_orders.jsonl``, a line at a time, and the end of ``docs/bonds.md``
is written from it by ``bonds.py``; what is there is not run again.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score

from pulps import LPSClassifier, PUClassifier, Recipe
from pulps.benchmark.protocol import Task, make_fold
from pulps.benchmark.table_problems import MAX_TRAIN, problem_names
from pulps.tables.dependence import pairwise_mutual_information
from pulps.tables.encoding import TableEncoder
from pulps.tables.ordering import path

RESULTS = Path(__file__).parent / "results" / "site_orders.jsonl"
ORDERS = ("dependence", "first guess", "truth")


def order_by_pairs(values: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """Order attributes so that neighbors together tell most about the class."""
    levels = [
        np.digitize(column, np.unique(np.quantile(column, np.arange(1, 8) / 8)))
        for column in values.T
    ]
    weights = np.zeros((len(levels), len(levels)))
    for first in range(len(levels)):
        for second in range(first):
            pair = 100 * levels[first] + levels[second]
            told = pairwise_mutual_information([pair, positive.astype(int)], np.ones(len(pair)))
            weights[first, second] = weights[second, first] = told[0, 1]
    return path(weights)


def records(task: Task, done: set):
    """Train with every order that is not done yet."""
    fold = make_fold(task)
    for order in ORDERS:
        if (task.dataset, order) in done:
            continue
        X, X_test, recipe = fold.X, fold.X_test, Recipe()
        if order != "dependence":
            guess = PUClassifier(random_state=0).fit(X, fold.y).predict(X)
            positive = (guess if order == "first guess" else fold.y_true) == 1
            columns = order_by_pairs(TableEncoder().fit_transform(X), positive)
            X, X_test, recipe = (
                X.iloc[:, columns],
                X_test.iloc[:, columns],
                Recipe(site_order="table"),
            )
        model = LPSClassifier(recipe=recipe, random_state=0).fit(X, fold.y)
        yield {
            "dataset": task.dataset,
            "order": order,
            "auc": roc_auc_score(fold.y_test, model.decision_function(X_test)),
            "macro_f1": f1_score(fold.y_test, model.predict(X_test), average="macro"),
        }


def main() -> None:
    """Run what is missing, a record at a time."""
    names, home = problem_names()
    done = set()
    if RESULTS.exists():
        lines = map(json.loads, RESULTS.read_text().splitlines())
        done = {(line["dataset"], line["order"]) for line in lines}
    for name in names:
        if not name.endswith(":rule"):
            continue
        task = Task(name, label_frequency=0.3, fold=2, max_train=MAX_TRAIN, data_home=home)
        for record in records(task, done):
            with RESULTS.open("a") as file:
                file.write(json.dumps(record) + "\n")
            print(record, flush=True)


if __name__ == "__main__":
    main()
