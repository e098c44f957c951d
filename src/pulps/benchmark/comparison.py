"""Methods against each other: ranks, pairs, the default against every rival.

Two methods are only ever compared on the same test folds.
"""

from __future__ import annotations

from typing import Any, Literal

import pandas as pd

from pulps.benchmark.averages import (
    MEASURES,
    PROBLEM,
    fold_scores,
    problem_means,
    shared_folds,
)
from pulps.benchmark.methods import title
from pulps.benchmark.render import NOTHING, Cell, Table
from pulps.benchmark.stats import (
    average_ranks,
    critical_difference,
    friedman,
    holm,
    signed_rank,
    wilcoxon_holm,
    wins,
)

OURS = ("pu-default", "lps-default")
CONSTANT = "all-"
SIGNIFICANT = 0.05
COMPARED = ("f1_pos", "macro_f1", "auc")


def score_matrix(
    records: pd.DataFrame, measure: str, keep: Literal["problems", "methods"] = "problems"
) -> pd.DataFrame:
    """Average scores on the folds that methods share.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    measure
        Name of a score, such as ``"f1_pos"``.
    keep
        What to keep where a method has no fold of a problem: ``"problems"`` leaves out the method,
        ``"methods"`` the problem.

    Returns
    -------
    DataFrame
        One row per problem, one column per method.
    """
    return problem_means(shared_folds(fold_scores(records, measure), keep))


def rank_table(
    records: pd.DataFrame, measure: str, keep: Literal["problems", "methods"] = "problems"
) -> Table:
    """Average ranks and wins of the methods that ran on all problems.

    With ``keep="methods"``, of all methods on the problems they share.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    measure
        Name of a score, such as ``"f1_pos"``.
    keep
        What to keep where a method has no fold of a problem: ``"problems"`` leaves out the method,
        ``"methods"`` the problem.

    Returns
    -------
    Table
        Best rank first.
    """
    everything = fold_scores(records, measure)
    folds = shared_folds(everything, keep)
    scores = problem_means(folds)
    n_tasks, n_methods = scores.shape
    name = f"Ranks by {MEASURES[measure]}" + (", all methods" if keep == "methods" else "")
    if n_tasks == 0 or n_methods == 0:
        return Table(name, ["method"], [], ["No problem yet that all methods share."])
    table = pd.DataFrame(
        {"rank": average_ranks(scores), "wins": wins(scores), "mean": scores.mean()}
    ).sort_values("rank", kind="stable")
    rows = [
        [
            Cell(title(str(name))),
            Cell(f"{row['rank']:.2f}", bold=row["rank"] == table["rank"].min()),
            Cell(f"{row['wins']:.0f}"),
            Cell(f"{row['mean']:.3f}", bold=row["mean"] == table["mean"].max()),
        ]
        for name, row in table.iterrows()
    ]
    notes = [
        f"Over {n_tasks} problems (data set × label frequency), on the {len(folds)} test folds "
        "that all these methods have."
    ]
    left_out = [title(name) for name in everything.columns.difference(scores.columns, sort=False)]
    if left_out:
        notes.append(f"Not on all problems, and left out: {', '.join(left_out)}.")
    if n_methods > 2 and n_tasks > 1:
        test = friedman(scores)
        notes.append(
            f"Friedman χ² = {test.statistic:.1f}, p = {test.p_value:.1g}; critical difference "
            f"{critical_difference(n_methods, n_tasks):.2f} (Nemenyi, 0.05)."
        )
    return Table(name, ["method", "average rank", "wins", "mean"], rows, notes)


def pair_table(records: pd.DataFrame, measure: str) -> Table:
    """Compare all pairs of methods by Wilcoxon's signed-rank test, corrected after Holm.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    measure
        Name of a score, such as ``"f1_pos"``.

    Returns
    -------
    Table
        One row per pair.
    """
    scores = score_matrix(records, measure)
    pairs = wilcoxon_holm(scores) if len(scores) else pd.DataFrame()
    rows = [
        [
            Cell(title(pair["first"])),
            Cell(title(pair["second"])),
            Cell(f"{pair['difference']:+.3f}"),
            Cell(f"{pair['p_value']:.1g}"),
            Cell(f"{pair['p_holm']:.1g}", bold=pair["p_holm"] < SIGNIFICANT),
        ]
        for _, pair in pairs.iterrows()
    ]
    header = ["first", "second", "median of first − second", "p", "p (Holm)"]
    return Table(f"All pairs by {MEASURES[measure]}", header, rows, [f"{len(scores)} problems."])


def against_table(records: pd.DataFrame, measure: str, ours: str) -> Table:
    """Compare a method of ours with each other method, on the folds the two share.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    measure
        Name of a score, such as ``"f1_pos"``.
    ours
        Name of our method.

    Returns
    -------
    Table
        One row per rival.
    """
    scores = fold_scores(records, measure)
    found = []
    for name in scores.columns.drop(ours, errors="ignore") if ours in scores else []:
        folds = scores[[ours, name]].dropna()
        if folds.empty:
            continue
        means = problem_means(folds)
        difference = means[ours] - means[name]
        counts = [(difference > 0).sum(), (difference == 0).sum(), (difference < 0).sum()]
        p_value = signed_rank(difference)[1]
        found.append((name, len(folds), means, difference.mean(), counts, p_value))
    corrected = holm([p_value for *_, p_value in found])
    rows = [
        [
            Cell(title(name)),
            Cell(str(len(means))),
            Cell(str(n_folds)),
            Cell(f"{means[ours].mean():.3f}"),
            Cell(f"{means[name].mean():.3f}"),
            Cell(f"{difference:+.3f}"),
            Cell(" / ".join(str(count) for count in counts)),
            Cell(f"{p_holm:.1g}", bold=p_holm < SIGNIFICANT),
        ]
        for (name, n_folds, means, difference, counts, _), p_holm in zip(
            found, corrected, strict=True
        )
    ]
    header = [
        "rival",
        "problems",
        "folds",
        "ours",
        "rival's",
        "difference",
        "won / tied / lost",
    ]
    return Table(
        f"{title(ours)} against each rival by {MEASURES[measure]}",
        [*header, "p (Holm)"],
        rows,
        [
            "Means over the problems and test folds both have. Signed-rank test over problems, "
            "corrected for the number of rivals; bold: below 0.05, in favor of the sign of the "
            "difference."
        ],
    )


def best_rival_table(records: pd.DataFrame, ours: str) -> Table:
    """Show a method of ours beside the best rival on each problem, whichever that is.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    ours
        Name of our method.

    Returns
    -------
    Table
        One row per problem.
    """
    columns = {measure: _best_rivals(records, measure, ours) for measure in COMPARED}
    problems = dict.fromkeys(key for best in columns.values() for key in best)
    rows = []
    for dataset, frequency in problems:
        cells = [Cell(f"{dataset}, {round(100 * frequency)} %")]
        for best in columns.values():
            if (dataset, frequency) not in best:
                cells += [NOTHING, NOTHING]
                continue
            score, name, theirs = best[dataset, frequency]
            cells.append(Cell(f"{score:.3f}", bold=round(score, 3) >= round(theirs, 3)))
            cells.append(
                Cell(f"{theirs:.3f} {title(name)}", bold=round(theirs, 3) >= round(score, 3))
            )
        rows.append(cells)
    behind = {
        measure: sum(round(theirs, 3) > round(score, 3) for score, _, theirs in best.values())
        for measure, best in columns.items()
    }
    header = [word for m in COMPARED for word in (f"{MEASURES[m]}: ours", "best rival")]
    counts = ", ".join(f"{n} by {MEASURES[measure]}" for measure, n in behind.items())
    return Table(
        f"{title(ours)} and the best rival of each problem",
        ["problem", *header],
        rows,
        [
            f"The best rival is chosen with hindsight, from the test scores. It is ahead of "
            f"ours on this many of {len(rows)} problems: {counts}. Constant predictors and "
            "other methods of ours are no rivals here."
        ],
    )


def _best_rivals(
    records: pd.DataFrame, measure: str, ours: str
) -> dict[tuple[Any, ...], tuple[float, str, float]]:
    """By problem: our score, the best rival and its score, each rival on shared folds."""
    scores = fold_scores(records, measure)
    if ours not in scores:
        return {}
    own = (CONSTANT, "lps-", "pu-default")
    rivals = [name for name in scores if not str(name).startswith(own)]
    found = {}
    for problem, folds in scores.groupby(level=PROBLEM, sort=False):
        ahead = {}
        for name in rivals:
            both = folds[[ours, name]].dropna()
            if len(both):
                ahead[name] = float((both[name] - both[ours]).mean())
        if ahead:
            best = max(ahead, key=ahead.__getitem__)
            score = folds.loc[folds[best].notna(), ours].mean()
            found[problem] = (float(score), best, float(score + ahead[best]))
    return found
