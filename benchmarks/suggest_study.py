"""Measure how many labels a model saves by choosing which rows are looked at next.

    python benchmarks/suggest_study.py            # five tables, three seeds; prints the table
    python benchmarks/suggest_study.py --seeds 5
    python benchmarks/suggest_study.py --page     # only writes docs/suggest.md and its picture

Someone who knows the truth answers ten rows at a time, chosen at random or by
``PUClassifier.suggest``. A yes becomes a label, a no takes the row off the list. After every ten
answers the model is fitted again and scored on rows that are never asked about. Each table, seed
and way makes one line of ``results/suggest.jsonl``; what is there is not run again.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, make_circles, make_moons
from sklearn.datasets import make_classification as make_clusters
from sklearn.metrics import accuracy_score, roc_auc_score

from pulps import PUClassifier
from pulps.benchmark import provenance
from pulps.benchmark.store import Store
from pulps.tables.notices import TableWarning

RESULTS = Path(__file__).parent / "results" / "suggest.jsonl"
DOCS = RESULTS.parents[2] / "docs"
WAYS = ("random", "uncertain", "likely", "diverse")
SHARE, BATCH, N_ROUNDS, FIRST = (
    0.15,
    10,
    8,
    6,
)  # of positives; answers; batches; labels to begin with
COLORS = {"random": "#98a4b3", "uncertain": "#c2540a", "likely": "#e39a3b", "diverse": "#1f6fa8"}
TEXT = """# Labels saved by asking about the right rows

<!-- Written by benchmarks/suggest_study.py --page; do not edit by hand. -->

`model.suggest(X, n, how=...)` names the rows to look at next. Here someone who knows the truth
answers ten rows at a time: rows picked at random, or rows that the model suggests. A yes becomes a
label; a no takes the row off the list. After every ten answers the model is fitted again and
scored on rows that nobody is asked about.

Five tables with {share:.0%} positives, of which {first} are labeled at the start; {rounds} rounds
of ten answers; mean of {seeds} seeds; a consensus of one cheap view. How many answers, in percent
of the {total} of random choice, are enough for the score that random choice ends with (“–”: all
{total} do not reach it, or random answers gain nothing that could be reached):

"""


def thinned(X: np.ndarray, truth: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Keep so many positives that they are the share wanted, of at most so many rows."""
    rng = np.random.RandomState(0)
    positive, negative = (rng.permutation(np.flatnonzero(truth == side)) for side in (1, 0))
    n_rows = min(most, int(len(negative) / (1 - SHARE)), int(len(positive) / SHARE))
    n_positive = round(SHARE * n_rows)
    rows = np.concatenate([positive[:n_positive], negative[: n_rows - n_positive]])
    return X[rows], truth[rows]


def table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and the truth of a table."""
    if name == "breast cancer":
        X, truth = load_breast_cancer(return_X_y=True)
        return thinned(X, 1 - truth, 700)
    if name == "digits, 8 or 9":
        X, digit = load_digits(return_X_y=True)
        return thinned(X, (digit >= 8).astype(int), 700)
    if name == "clusters":
        made = make_clusters(
            3000, 10, n_informative=5, n_clusters_per_class=4, class_sep=1.5, random_state=3
        )
        return thinned(*made, 700)
    make = {"moons": make_moons, "circles": make_circles}[name]
    return thinned(*make(2000, noise=0.2 if name == "moons" else 0.1, random_state=0), 700)


TABLES = ("breast cancer", "digits, 8 or 9", "clusters", "moons", "circles")


def measure(name: str, seed: int, how: str) -> dict[str, Any]:
    """Answer rows in rounds; return the scores after each."""
    X, truth = table(name)
    rng = np.random.RandomState(seed)
    order = rng.permutation(len(truth))
    pool, test = np.split(order, [int(0.6 * len(truth))])
    hidden = truth[pool]
    y = np.zeros(len(pool), dtype=int)
    y[rng.choice(np.flatnonzero(hidden == 1), FIRST, replace=False)] = 1
    seen, scores = y == 1, []
    for step in range(N_ROUNDS + 1):
        model = PUClassifier(views=["kernel"], random_state=0).fit(X[pool], y)
        decision = model.decision_function(X[test])
        scores.append(
            {
                "answers": step * BATCH,
                "labels": int(y.sum()),
                "auc": roc_auc_score(truth[test], decision),
                "accuracy": accuracy_score(truth[test], decision > 0),
            }
        )
        if how == "random":
            rows = rng.choice(np.flatnonzero(~seen), BATCH, replace=False)
        else:
            known = np.where(seen & (hidden == 0), -1, y)
            rows = model.suggest(X[pool], BATCH, how=how, y=known)
        seen[rows] = True
        y[rows] = hidden[rows]
    return {
        "task": f"{name}/seed{seed}",
        "method": how,
        "version": provenance.version(),
        "commit": provenance.commit(),
        "table": name,
        "seed": seed,
        "rounds": scores,
        "error": None,
    }


def run(seeds: Sequence[int], store: Store) -> Iterator[dict[str, Any]]:
    """Measure and store what is missing."""
    there = store.keys()
    for seed in seeds:
        for name in TABLES:
            for how in WAYS:
                if (f"{name}/seed{seed}", how, provenance.version()) not in there:
                    record = measure(name, seed, how)
                    store.append(record)
                    yield record


def curves(records: Sequence[dict[str, Any]], score: str) -> pd.DataFrame:
    """Mean score by table and way after every number of answers."""
    rows = [
        {"table": r["table"], "method": r["method"], "answers": one["answers"], score: one[score]}
        for r in records
        for one in r["rounds"]
    ]
    grouped = pd.DataFrame(rows).groupby(["table", "method", "answers"])[score]
    return grouped.mean().unstack("answers")


def needed(curve: pd.DataFrame) -> pd.DataFrame:
    """Share of the answers of random choice that reach what it ends with, by table and way.

    NaN where they never do, and where random choice ends no higher than it began.

    >>> steps = pd.DataFrame({0: [0.5, 0.5], 10: [0.6, 0.9], 20: [0.7, 0.9]},
    ...     index=pd.MultiIndex.from_product([["t"], ["random", "likely"]]))
    >>> float(needed(steps).loc["t", "likely"])
    0.25
    """
    shares = {}
    answers = curve.columns.to_numpy(dtype=float)
    for (name, how), values in curve.iterrows():
        goal = curve.loc[(name, "random")].iloc[-1]
        best = np.maximum.accumulate(values.to_numpy())
        place = np.searchsorted(best, goal)
        share = np.nan
        if 0 < place < len(best):
            part = (goal - best[place - 1]) / (best[place] - best[place - 1])
            share = (answers[place - 1] + part * (answers[place] - answers[place - 1])) / answers[
                -1
            ]
        shares[name, how] = share
    return pd.Series(shares).unstack()


def as_markdown(records: Sequence[dict[str, Any]]) -> str:
    """Write both tables."""
    parts = []
    for score, title in (("auc", "Area under the ROC curve"), ("accuracy", "Accuracy")):
        shares = needed(curves(records, score)).loc[list(TABLES), list(WAYS[1:])]
        lines = [["table", *shares.columns], ["---"] * (1 + shares.shape[1])]
        for name, row in shares.iterrows():
            cells = ["–" if np.isnan(share) else f"{share:.0%}" for share in row]
            lines.append([str(name), *cells])
        lines.append(
            ["at most 60 %", *(f"{int((shares[how] <= 0.6).sum())} of 5" for how in shares)]
        )
        parts += [f"**{title}**", "\n".join(f"| {' | '.join(line)} |" for line in lines)]
    return "\n\n".join(parts)


def draw(records: Sequence[dict[str, Any]], path: Path) -> None:
    """Draw the area over the number of answers, table by table."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    curve = curves(records, "auc")
    figure, axes = plt.subplots(1, len(TABLES), figsize=(13, 3.2), layout="constrained")
    for ax, name in zip(axes, TABLES, strict=True):
        for how in WAYS:
            values = curve.loc[(name, how)]
            ax.plot(values.index, values, color=COLORS[how], label=how, linewidth=1.6)
        ax.set(title=name, xlabel="answers")
    axes[0].set_ylabel("area under the ROC curve")
    axes[0].legend(frameon=False, fontsize="small")
    with mpl.rc_context({"svg.hashsalt": "pulps"}):
        figure.savefig(path, metadata={"Date": None})


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default=3, type=int)
    parser.add_argument("--store", default=RESULTS, type=Path)
    parser.add_argument("--page", action="store_true", help="run nothing, write docs/suggest.md")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", TableWarning)  # six labels are few, and meant to be
    with Store(options.store) as store:
        if not options.page:
            for record in run(range(options.seeds), store):
                last = record["rounds"][-1]
                print(record["task"], record["method"], last["auc"], last["accuracy"], flush=True)
        records = store.records()
    told = as_markdown(records)
    print(told)
    if options.page:
        draw(records, DOCS / "figures" / "suggest.svg")
        head = TEXT.format(
            share=SHARE,
            first=FIRST,
            rounds=N_ROUNDS,
            total=N_ROUNDS * BATCH,
            seeds=len({record["seed"] for record in records}),
        )
        picture = "![Area under the ROC curve over the number of answers](figures/suggest.svg)"
        (DOCS / "suggest.md").write_text(f"{head}{told}\n\n{picture}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
