"""Agreement against test F1 over random hyper-parameters: the paper's figure, and its page.

    export PULPS_DATA=path/to/data
    python benchmarks/agreement_vs_f1.py                      # 50 tuples, small tables; goes on
    python benchmarks/agreement_vs_f1.py --datasets vote,iris --tuples 20 --folds 0-9
    python benchmarks/agreement_vs_f1.py --show               # only the figures and the page

A tuple is drawn from the paper's space (d, D, epochs with their patience, learning rate); S and
repeats are those of its table, and the output dimension is 2 instead of d, which is several times
faster. For every tuple and fold four members are trained the paper's way; the most agreeing pair
among those that are not degenerate gives the estimated accuracy on the training rows, and the
member of it that agrees most with all others is tested. Where fewer than two members are sound,
their agreement says nothing, and the estimate is one half, that of a coin. Each tuple and fold
makes one line of ``results/agreement.jsonl``; what is there is not run again, so the command may
be stopped at any time, and several may run at once. Where fewer than all folds were run, the page
says so.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pulps.benchmark import provenance
from pulps.benchmark.protocol import Task, make_fold
from pulps.benchmark.scores import scores_against_truth
from pulps.benchmark.stats import spearman
from pulps.benchmark.store import Store
from pulps.benchmark.suites import size
from pulps.decision.copies import collect_votes
from pulps.decision.selection import agreement_matrix, most_agreeing_pair, sound_members
from pulps.estimators.recipes.paper import paper_parameters
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.io.pictures import save_figure
from pulps.tuning.space import paper_space
from pulps.tuning.study import import_optuna

HERE = Path(__file__).parent
SMALL = (
    "iris audiology dermatology soybean lymph hepatitis vote breast-cancer heart-c credit-a pima"
).split()
OUTPUT_DIM = 2
COIN = 0.5
SEARCHED = ("feature_dim", "bond_dim", "max_epochs", "learning_rate", "decay", "patience")


def draw_tuples(n_tuples: int, seed: int = 0) -> list[dict[str, Any]]:
    """Draw different tuples of the paper's space, always the same ones in the same order."""
    optuna = import_optuna()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=seed))
    tuples: list[dict[str, Any]] = []
    while len(tuples) < n_tuples:
        searched = paper_space(study.ask())
        drawn = {name.removeprefix("recipe__"): value for name, value in searched.items()}
        if drawn not in tuples:
            tuples.append(drawn)
    return tuples


def name_of(parameters: dict[str, Any]) -> str:
    """Name a tuple, as the method of its records."""
    return (
        f"d={parameters['feature_dim']} D={parameters['bond_dim']} "
        f"epochs={parameters['max_epochs']} lr={parameters['learning_rate']:g}"
    )


def measure(task: Task, parameters: dict[str, Any], n_members: int) -> dict[str, Any]:
    """Train the members of a tuple on a fold and test the one that is chosen."""
    fold = make_fold(task)
    record = {
        "task": task.id,
        "method": name_of(parameters),
        "version": provenance.version(),
        "commit": provenance.commit(),
        "dataset": task.dataset,
        "fold": task.fold,
        "n_members": n_members,
        **{name: parameters[name] for name in SEARCHED},
    }
    settings = paper_parameters(task.dataset) | parameters
    model = LPSClassifier.from_parameters(
        **settings | {"n_members": n_members, "n_selected": None, "output_dim": OUTPUT_DIM},
        random_state=task.model_seed,
    )
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(fold.X, fold.y)
        votes = collect_votes([model], fold.X)
        sound = np.flatnonzero(sound_members(votes, fold.y == 1))
        agreement, chosen = COIN, 0
        if len(sound) > 1:
            matrix = agreement_matrix(votes[sound])
            pair = most_agreeing_pair(matrix)
            agreement = float(matrix[pair])
            chosen = int(sound[max(pair, key=lambda i: matrix[i].mean())])
        decision = model.member_decisions(fold.X_test)[chosen]
        scores = scores_against_truth(fold.y_test, decision > 0, decision)
        return {
            **record,
            **scores,
            "agreement": agreement,
            "n_sound": len(sound),
            "cpu_seconds": time.process_time() - start,
            "error": None,
        }
    except Exception as error:
        return {**record, "error": f"{type(error).__name__}: {error}"[:500]}


def run(
    datasets: Sequence[str],
    tuples: Sequence[dict[str, Any]],
    folds: Sequence[int],
    store: Store,
    *,
    n_members: int,
    minutes: float | None = None,
) -> Iterator[dict[str, Any]]:
    """Measure and store what is missing: a fold of all tuples, small data sets first."""
    until = np.inf if minutes is None else time.monotonic() + 60 * minutes
    for fold in folds:
        for name in sorted(datasets, key=size):
            for parameters in tuples:
                task = Task(name, label_frequency=0.3, fold=fold)
                key = (task.id, name_of(parameters), provenance.version())
                if time.monotonic() > until:
                    return
                if key in store.keys() or not store.claim(key):
                    continue
                if key not in store.keys():
                    record = measure(task, parameters, n_members)
                    store.append(record)
                    yield record
                store.release(key)


def summarize(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Average each tuple over its folds: one row per data set and tuple."""
    frame = pd.DataFrame([record for record in records if record["error"] is None])
    means = frame.groupby(["dataset", "method"]).agg(
        agreement=("agreement", "mean"),
        f1_pos=("f1_pos", "mean"),
        macro_f1=("macro_f1", "mean"),
        accuracy=("accuracy", "mean"),
        n_folds=("fold", "nunique"),
        n_sound=("n_sound", "min"),
    )
    return means.reset_index()


def correlations(means: pd.DataFrame) -> pd.DataFrame:
    """Spearman's ρ of agreement and test scores by data set."""
    rows = []
    for name, points in means.groupby("dataset"):
        row: dict[str, Any] = {"dataset": name, "tuples": len(points)}
        fewest, most = points["n_folds"].min(), points["n_folds"].max()
        row["folds"] = f"{fewest}–{most}" if fewest < most else str(fewest)
        for measure_name in ("f1_pos", "macro_f1"):
            found = spearman(points["agreement"], points[measure_name])
            row |= {f"rho_{measure_name}": found.rho, f"p_{measure_name}": found.p_value}
        judged = points[points["n_sound"] > 1]
        row |= {"judged": len(judged), "rho_judged": np.nan}
        if len(judged) > 2:
            row["rho_judged"] = spearman(judged["agreement"], judged["f1_pos"]).rho
        best = points.loc[points["agreement"].idxmax()]
        row |= {
            "chosen": best["f1_pos"],
            "median": points["f1_pos"].median(),
            "best": points["f1_pos"].max(),
            "gap": (points["agreement"] - points["accuracy"]).mean(),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def draw(means: pd.DataFrame, folder: Path) -> list[Path]:
    """Draw the scatter of every data set, and the histogram of estimated minus test accuracy."""
    from matplotlib.figure import Figure

    from pulps.benchmark.figures import AgreementDisplay

    folder.mkdir(parents=True, exist_ok=True)
    groups = list(means.groupby("dataset"))
    n_columns = min(4, len(groups))
    n_rows = -(-len(groups) // n_columns)
    figure = Figure(figsize=(2.6 * n_columns, 2.6 * n_rows), layout="constrained")
    axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for ax, (name, points) in zip(axes, groups, strict=False):
        AgreementDisplay.from_records(points, name=str(name), ax=ax)
    for ax in axes[len(groups) :]:
        ax.set_axis_off()
    histogram = Figure(figsize=(5, 3), layout="constrained")
    ax = histogram.subplots()
    ax.hist((means["agreement"] - means["accuracy"]).dropna(), bins=np.linspace(-0.5, 0.8, 27))
    ax.axvline(0, color="black", lw=0.8)
    ax.set(xlabel="estimated − test accuracy", ylabel="tuples")
    return [
        save_figure(figure, folder / "agreement-tuples.svg"),
        save_figure(histogram, folder / "agreement-gap.svg"),
    ]


def to_page(found: pd.DataFrame, n_members: int) -> str:
    """Write the page."""
    lines = [
        "| data set | tuples | folds | ρ F1 | p | ρ macro-F1 | p | F1 chosen | median | best "
        "| judged | ρ F1 of these |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in found.itertuples():
        lines.append(
            f"| {row.dataset} | {row.tuples} | {row.folds} | {row.rho_f1_pos:.2f} "
            f"| {row.p_f1_pos:.1g} | {row.rho_macro_f1:.2f} | {row.p_macro_f1:.1g} "
            f"| {row.chosen:.3f} | {row.median:.3f} | {row.best:.3f} "
            f"| {row.judged} | {'–' if np.isnan(row.rho_judged) else f'{row.rho_judged:.2f}'} |"
        )
    fails = found[~(found["p_f1_pos"] < 0.05) | (found["rho_f1_pos"] < 0)]["dataset"].tolist()
    told = (
        "It fails, or nothing can be said, on " + ", ".join(fails) + "."
        if fails
        else "It is significant on all of them."
    )
    n_good = len(found) - len(fails)
    n_macro = int(((found["p_macro_f1"] < 0.05) & (found["rho_macro_f1"] > 0)).sum())
    return f"""# Does agreement find good settings?

<!-- Written by benchmarks/agreement_vs_f1.py; do not edit by hand. -->

Members that found the same split from different starts have probably found the one in the
data. The share of training rows on which the most agreeing pair of {n_members} members agrees
is the paper's *estimated accuracy*; members that call nearly all rows one class, or lose the
labeled rows, are left out first; where fewer than two are left it is taken to be {COIN}, that
of a coin. It needs no negative and no held-out truth, so it can choose
hyper-parameters. Does it?

For each data set, tuples (d, D, epochs, learning rate) were drawn from the paper's space, with
30 % of the positives labeled, and trained in the paper's way, but with output dimension
{OUTPUT_DIM} and {n_members} members per tuple. Each point is a tuple, averaged over the folds that
were run.

![Agreement against test F1, one point per tuple](figures/agreement-tuples.svg)

Agreement and test F1 of the positive class are significantly and positively correlated
(Spearman, p < .05) on {n_good} of {len(found)} data sets. {told}
With macro-F1, which calling nearly every row positive does not raise, agreement is so correlated
on {n_macro} of {len(found)}.
*F1 chosen* is the test F1 of the tuple with the largest agreement, beside the median and the
best tuple. *Judged* are the tuples with two sound members or more in every fold; among these
agreement alone tells, and often tells less (a dash: all have the same F1): much of what the
estimate does is to sort out settings whose members collapse. A data set with fewer folds than
ten was not run in full; second folds were run first where one had left the answer open (p just
above .05).

{chr(10).join(lines)}

Agreement measures stability. As an estimate of accuracy it is off by {found["gap"].mean():+.2f}
on average over data sets:

![Histogram of estimated minus test accuracy](figures/agreement-gap.svg)

Use it with its guards: `pulps.decision.agreement.estimate_agreement` gives an interval,
`pulps.tuning.AgreementSearch` multiplies it with what held-out labels say (`objective="guarded"`),
and `LPSClassifier` warns where members agree and labels contradict them.
"""


def numbers(text: str) -> list[int]:
    """Read a list such as "0-2,5"."""
    ranges = (part.split("-") for part in text.split(","))
    return [number for ends in ranges for number in range(int(ends[0]), int(ends[-1]) + 1)]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", default=",".join(SMALL))
    parser.add_argument("--tuples", default=50, type=int)
    parser.add_argument("--folds", default="0-1", type=numbers)
    parser.add_argument("--members", default=4, type=int)
    parser.add_argument("--minutes", default=None, type=float)
    parser.add_argument("--store", default=HERE / "results" / "agreement.jsonl", type=Path)
    parser.add_argument("--docs", default=HERE.parent / "docs", type=Path)
    parser.add_argument("--show", action="store_true", help="run nothing")
    options = parser.parse_args(arguments)
    tuples = draw_tuples(options.tuples)
    with Store(options.store) as store:
        if not options.show:
            found = run(
                options.datasets.split(","),
                tuples,
                options.folds,
                store,
                n_members=options.members,
                minutes=options.minutes,
            )
            for record in found:
                print(record["task"], record["method"], record.get("f1_pos"), flush=True)
        names = {name_of(parameters) for parameters in tuples}
        records = [record for record in store.records() if record["method"] in names]
    means = summarize(records)
    draw(means, options.docs / "figures")
    page = options.docs / "selection.md"
    page.write_text(to_page(correlations(means), options.members), encoding="utf-8")
    print(f"{len(records)} records. Page: {page}")


if __name__ == "__main__":
    main()
