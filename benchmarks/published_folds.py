"""The rivals on the folds published with GPU, beside the numbers the paper prints for them.

    python benchmarks/published_folds.py run --methods pulce,gpu --minutes 40
    python benchmarks/published_folds.py table

Records are appended to ``results/published_folds.jsonl``; what is there is not run again. The
methods that end in ``-true-prior`` are given the share of positives of the training fold,
which no user has: they are a limit, and a check of the formulas.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import cyclopts
import pandas as pd

import pulps.baselines
from pulps.baselines import LUHCClassifier
from pulps.benchmark.methods import find_method
from pulps.benchmark.protocol import Method, Task, make_fold
from pulps.benchmark.published import load_published
from pulps.benchmark.run import run as run_missing
from pulps.benchmark.store import Store
from pulps.datasets import published_fold_names

STORE = Path(__file__).parent / "results" / "published_folds.jsonl"
TOLERANCE = 0.06
PERCENTS = (30, 40, 50)
PUBLISHED_AS = {
    "pnb": "PNB",
    "apnb": "APNB",
    "ptan": "PTAN",
    "aptan": "APTAN",
    "pnb-true-prior": "PNB",
    "apnb-true-prior": "APNB",
    "ptan-true-prior": "PTAN",
    "aptan-true-prior": "APTAN",
    "luhc": "LUHC",
    "luhc-demo": "LUHC",
    "pulce": "Pulce",
    "gpu": "GPU",
}
app = cyclopts.App(help=__doc__)


def with_true_prior(name: str, rival: str) -> Method:
    """Make a Bayesian rival that is told the share of positives in its training fold."""

    def make(task: Task) -> Any:
        prior = float(make_fold(task).y_true.mean())
        estimator = getattr(pulps.baselines, rival)
        return estimator(prior=prior, scenario=task.scenario, random_state=task.model_seed)

    return Method(f"{name}-true-prior", make, f"{name.upper()} (true prior)")


LIMITS = {
    method.name: method
    for method in (
        with_true_prior("pnb", "PositiveNaiveBayes"),
        with_true_prior("apnb", "AveragedPositiveNaiveBayes"),
        with_true_prior("ptan", "PositiveTAN"),
        with_true_prior("aptan", "AveragedPositiveTAN"),
        Method("luhc-demo", lambda task: LUHCClassifier(threshold="demo"), "LUHC (demo's rule)"),
    )
}


@app.command
def run(
    *,
    methods: str = "pnb-true-prior,pulce,gpu",
    datasets: str | None = None,
    percents: str = "30,50,40",
    minutes: float = 40.0,
    store: Path = STORE,
):
    """Run what is missing, small tables first, and print the table.

    Parameters
    ----------
    methods
        Names, separated by commas.
    datasets
        Tables, separated by commas; by default all ten.
    percents
        Shares of labeled positives.
    minutes
        No task is started after so long.
    store
        Where the records are.
    """
    tasks = [
        Task(dataset, label_frequency=int(percent) / 100, fold=fold, fold_scheme="published")
        for percent in percents.split(",")
        for dataset in (datasets.split(",") if datasets else published_fold_names())
        for fold in range(10)
    ]
    chosen = [LIMITS.get(name) or find_method(name) for name in methods.split(",")]
    stop = time.monotonic() + 60 * minutes
    with Store(store) as records:
        for record in run_missing(tasks, chosen, records):
            print(record["task"], record["method"], record.get("f1_neg"), record["error"] or "")
            if time.monotonic() > stop:
                break
    table(store=store)


@app.command
def table(*, store: Path = STORE):
    """Print means over folds beside the published values, and how many data sets are near."""
    cells = compared(Store(store).frame())
    for method, rows in cells.groupby("method", sort=False):
        print(f"\n## {method}\n")
        print(rows.drop(columns="method").round(3).to_string(index=False))
        near = rows.groupby("dataset")["difference"].apply(lambda d: d.abs().mean() <= TOLERANCE)
        print(
            f"\n{int(near.sum())} of {len(near)} data sets within {TOLERANCE} of the published "
            f"value on average over the shares run; mean absolute difference "
            f"{rows['difference'].abs().mean():.3f}."
        )


def compared(records: pd.DataFrame) -> pd.DataFrame:
    """Mean scores of each problem and the published value of the class that was scored."""
    good = records[records["error"].isna()]
    keys = ["method", "dataset", "label_frequency"]
    means = good.groupby(keys, sort=False).agg(
        folds=("fold", "nunique"),
        f1_neg=("f1_neg", "mean"),
        f1_pos=("f1_pos", "mean"),
        auc=("auc", "mean"),
        seconds=("fit_seconds", "mean"),
    )
    means = means.reset_index()
    means.insert(2, "percent", (100 * means.pop("label_frequency")).round().astype(int))
    printed = load_published("categorical_f1").set_index(["dataset", "percent", "method"])
    known = [
        printed.loc[(row.dataset, row.percent, PUBLISHED_AS[row.method])]
        for row in means.itertuples()
    ]
    means["published"] = [cell["value"] for cell in known]
    ours = means["f1_pos"].where(means["method"].str.startswith("luhc"), means["f1_neg"])
    means["difference"] = ours - means["published"]
    return means.sort_values(["method", "dataset", "percent"], ignore_index=True)


if __name__ == "__main__":
    app()
