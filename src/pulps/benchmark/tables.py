"""What the records say, as tables. Nothing here trains or reads data: the store is enough.

Published numbers stand beside ours only where they measure the same class; see
``published/columns.csv``. They come from other folds and are never set in bold.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from pulps.benchmark.methods import METHODS, title
from pulps.benchmark.printed import printed_table
from pulps.benchmark.published import load_published
from pulps.benchmark.render import NOTHING, RENDERERS, Cell, Table
from pulps.benchmark.stats import (
    average_ranks,
    critical_difference,
    friedman,
    spearman,
    wilcoxon_holm,
    wins,
)
from pulps.benchmark.trust import trust_tables
from pulps.datasets import PAPER_TABLES, table_info

MEASURES = {
    "f1_pos": "F1 of the positive class",
    "f1_neg": "F1 of the negative class",
    "macro_f1": "macro-F1",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
}
EXPORT_FIRST = (
    "dataset label_frequency n_labeled fold seed method f1_pos f1_neg macro_f1 accuracy "
    "balanced_accuracy auc fit_seconds"
).split()


def latest(records: pd.DataFrame) -> pd.DataFrame:
    """Keep the record that was written last for every task and method."""
    if records.empty:
        return records
    return records.drop_duplicates(["task", "method"], keep="last").reset_index(drop=True)


def fold_means(records: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Average a measure over folds (and seeds) of each problem and method.

    Returns
    -------
    DataFrame
        Columns ``dataset, label_frequency, method, mean, sd, n, wanted``; ``n`` of ``wanted``
        folds have a score.
    """
    problem = ["dataset", "label_frequency", "method"]
    rows = [
        (*names, *_summary(group, measure))
        for names, group in latest(records).groupby(problem, sort=False)
    ]
    return pd.DataFrame(rows, columns=[*problem, "mean", "sd", "n", "wanted"])


def score_matrix(records: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Mean scores with one row a problem and one column a method; complete problems only."""
    means = fold_means(records, measure)
    means = means[means["n"] == means["wanted"]]
    wide = means.pivot(index=["dataset", "label_frequency"], columns="method", values="mean")
    return wide[_method_order(wide.columns)].dropna()


def score_table(records: pd.DataFrame, measure: str, label_frequency: float) -> Table:
    """One measure at one label frequency: a row a method, a column a data set."""
    means = fold_means(records, measure)
    means = means[means["label_frequency"] == label_frequency]
    datasets = _dataset_order(means["dataset"])
    rows = []
    best = means[means["n"] == means["wanted"]].groupby("dataset")["mean"].max().round(3)
    for method in _method_order(means["method"]):
        of_method = means[means["method"] == method].set_index("dataset")
        cells = [_score_cell(of_method, name, best) for name in datasets]
        average = _average_cell(of_method, len(datasets))
        rows.append([Cell(title(method)), *cells, average])
    rows += _published_rows(measure, label_frequency, datasets)
    percent = round(100 * label_frequency)
    return Table(
        f"{MEASURES[measure]}, {percent} % of the positives labeled",
        ["", *datasets, "average"],
        rows,
        [
            "Mean ± standard deviation over test folds; bold: best of our complete rows, constant "
            "predictors included. Rows marked (paper) are printed numbers from other folds, shown "
            "where they measure this class."
        ],
    )


def dataset_table() -> Table:
    """List the data sets: counts here and in the paper, and what a constant answer scores."""
    rows = []
    for name in PAPER_TABLES:
        info = table_info(name)
        here, paper = info.here, info.paper
        n = here.positive + here.negative
        constant = [2 * k / (n + k) for k in (here.positive, here.negative)]
        texts = [
            name,
            f"{info.positive} / {info.negative}",
            f"{here.positive} / {here.negative} / {here.attributes}",
            "same"
            if here == paper
            else f"{paper.positive} / {paper.negative} / {paper.attributes}",
            "rows without missing cells" if info.row_recipe == "complete" else "all rows",
            *(f"{f1:.3f}" for f1 in constant),
        ]
        rows.append([Cell(text) for text in texts])
    return Table(
        "Data sets",
        [
            "data set",
            "positive / negative class",
            "positive / negative / attributes",
            "printed in the paper",
            "rows",
            "F1 of all-positive",
            "F1 (negative) of all-negative",
        ],
        rows,
        ["Attributes that are constant inside the two classes are left out."],
    )


def rank_table(records: pd.DataFrame, measure: str) -> Table:
    """Average ranks and wins over all problems that every method has completed."""
    scores = score_matrix(records, measure)
    n_tasks, n_methods = scores.shape
    if n_tasks == 0:
        return Table(f"Ranks by {MEASURES[measure]}", ["method"], [], ["No complete problem yet."])
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
    notes = [f"Over {n_tasks} problems (data set × label frequency) complete for all methods."]
    if n_methods > 2 and n_tasks > 1:
        test = friedman(scores)
        notes.append(
            f"Friedman χ² = {test.statistic:.1f}, p = {test.p_value:.1g}; critical difference "
            f"{critical_difference(n_methods, n_tasks):.2f} (Nemenyi, 0.05)."
        )
    header = ["method", "average rank", "wins", "mean"]
    return Table(f"Ranks by {MEASURES[measure]}", header, rows, notes)


def pair_table(records: pd.DataFrame, measure: str) -> Table:
    """Wilcoxon signed-rank tests of all pairs of methods, Holm-corrected."""
    scores = score_matrix(records, measure)
    pairs = wilcoxon_holm(scores) if len(scores) else pd.DataFrame()
    rows = [
        [
            Cell(title(pair["first"])),
            Cell(title(pair["second"])),
            Cell(f"{pair['difference']:+.3f}"),
            Cell(f"{pair['p_value']:.1g}"),
            Cell(f"{pair['p_holm']:.1g}", bold=pair["p_holm"] < 0.05),
        ]
        for _, pair in pairs.iterrows()
    ]
    header = ["first", "second", "median of first − second", "p", "p (Holm)"]
    return Table(f"Pairs by {MEASURES[measure]}", header, rows, [f"{len(scores)} problems."])


def agreement_table(records: pd.DataFrame, measure: str = "f1_pos") -> Table:
    """Spearman's ρ of agreement and test score for each data set, over folds and labels."""
    rows = []
    for method, name, points in agreement_points(records):
        test = spearman(points["agreement"], points[measure])
        if test.rho == test.rho:
            texts = [f"{test.rho:.2f}", f"{test.p_value:.1g}"]
        else:
            texts = ["–", "–"]
        bold = test.p_value < 0.05
        rows.append(
            [
                Cell(title(method)),
                Cell(name),
                Cell(texts[0], bold),
                Cell(texts[1]),
                Cell(str(test.n)),
            ]
        )
    note = (
        "Bold: p < 0.05. Points are folds × label frequencies of one setting; the paper's are 50 "
        "hyper-parameter settings, so its ρ = 0.81 is another quantity. – where one of the two "
        "never varies."
    )
    header = ["method", "data set", "ρ", "p", "n"]
    return Table(f"Agreement and {MEASURES[measure]}", header, rows, [note])


def agreement_points(records: pd.DataFrame) -> list[tuple[str, str, pd.DataFrame]]:
    """List records with an agreement by method and data set."""
    if "agreement" not in records:
        return []
    points = latest(records).dropna(subset=["agreement"])
    return [
        (method, name, points[(points["method"] == method) & (points["dataset"] == name)])
        for method in _method_order(points["method"])
        for name in _dataset_order(points[points["method"] == method]["dataset"])
    ]


def time_table(records: pd.DataFrame) -> Table:
    """Mean seconds a fit took, and the largest peak memory, by data set and method."""
    rows = []
    groups = latest(records).groupby(["dataset", "method"])
    for name in _dataset_order(records["dataset"]):
        for method in _method_order(records["method"]):
            if (name, method) not in groups.groups:
                continue
            group = groups.get_group((name, method))
            memory = group["peak_memory_mb"].max() if "peak_memory_mb" in group else None
            texts = [
                name,
                title(method),
                f"{group['fit_seconds'].mean():.2g}",
                "–" if pd.isna(memory) else f"{memory:.0f}",
                str(int(group["error"].notna().sum())),
            ]
            rows.append([Cell(text) for text in texts])
    header = ["data set", "method", "seconds a fit", "peak memory, MB", "failed folds"]
    return Table("Time and memory", header, rows)


def all_tables(records: pd.DataFrame) -> dict[str, Table]:
    """Make every table, by file name."""
    tables = {"datasets": dataset_table()}
    if records.empty:
        return tables
    for frequency in sorted(records["label_frequency"].dropna().unique()):
        for measure in ("f1_pos", "f1_neg", "macro_f1", "auc"):
            name = f"categorical-{measure.replace('_', '-')}-{round(100 * frequency)}"
            tables[name] = score_table(records, measure, frequency)
    for measure in ("f1_pos", "macro_f1"):
        tables[f"ranks-{measure.replace('_', '-')}"] = rank_table(records, measure)
    tables["pairs-macro-f1"] = pair_table(records, "macro_f1")
    tables["agreement"] = agreement_table(records)
    tables |= trust_tables(latest(records))
    tables["time"] = time_table(records)
    tables["printed"] = printed_table()
    return tables


def write_tables(
    records: pd.DataFrame, out: Path, formats: Sequence[str] = tuple(RENDERERS)
) -> list[Path]:
    """Write every table in every format; return the files."""
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in all_tables(records).items():
        for form in formats:
            suffix, render = RENDERERS[form]
            path = out / f"{name}.{suffix}"
            path.write_text(render(table), encoding="utf-8")
            written.append(path)
    return written


def export(records: pd.DataFrame, out: Path) -> None:
    """Write one CSV row a record, the fields people ask for first."""
    first = [name for name in EXPORT_FIRST if name in records]
    rest = [name for name in records if name not in first]
    out.parent.mkdir(parents=True, exist_ok=True)
    records[first + rest].to_csv(out, index=False)


def _summary(group: pd.DataFrame, measure: str) -> tuple[float, float, int, int]:
    values = pd.to_numeric(group[measure]).dropna() if measure in group else pd.Series(dtype=float)
    wanted = int(group["n_folds"].iloc[0]) * group.groupby(["seed", "repeat"]).ngroups
    sd = float(values.std()) if len(values) > 1 else 0.0
    mean = float(values.mean()) if len(values) else float("nan")
    return mean, sd, len(values), wanted


def _score_cell(of_method: pd.DataFrame, name: str, best: pd.Series) -> Cell:
    if name not in of_method.index or not of_method.loc[name, "n"]:
        return NOTHING
    row = of_method.loc[name]
    text = f"{row['mean']:.3f} ± {row['sd']:.3f}"
    if row["n"] < row["wanted"]:
        return Cell(f"{text} ({row['n']:.0f} of {row['wanted']:.0f} folds)")
    return Cell(text, bold=round(row["mean"], 3) == best[name])


def _average_cell(of_method: pd.DataFrame, n_datasets: int) -> Cell:
    if of_method["mean"].notna().sum() < n_datasets:
        return NOTHING
    whole = (of_method["n"] == of_method["wanted"]).all()
    return Cell(f"{of_method['mean'].mean():.3f}" + ("" if whole else " (incomplete)"))


def _published_rows(
    measure: str, label_frequency: float, datasets: Sequence[str]
) -> list[list[Cell]]:
    scored = {"f1_pos": "positive", "f1_neg": "negative"}.get(measure)
    percent = round(100 * label_frequency)
    published = load_published("categorical_f1")
    cells = published[(published["percent"] == percent) & (published["class_scored"] == scored)]
    rows = []
    for method in dict.fromkeys(published["method"]):
        printed = cells[cells["method"] == method].set_index("dataset")
        texts = [
            _printed(*printed.loc[name, ["value", "plus_minus"]]) if name in printed.index else "–"
            for name in datasets
        ]
        if any(text != "–" for text in texts):
            whole = "–" not in texts
            average = Cell(f"{printed.loc[datasets, 'value'].mean():.2f}") if whole else NOTHING
            rows.append([Cell(f"{method} (paper)"), *(Cell(text) for text in texts), average])
    return rows


def _printed(value: float, plus_minus: float) -> str:
    return f"{value:.2f}" if pd.isna(plus_minus) else f"{value:.2f} ± {plus_minus:.2f}"


def _method_order(names: Sequence[str] | pd.Series | pd.Index) -> list[str]:
    known = [name for name in METHODS if name in set(names)]
    return known + [name for name in dict.fromkeys(names) if name not in METHODS]


def _dataset_order(names: Sequence[str] | pd.Series) -> list[str]:
    known = [name for name in PAPER_TABLES if name in set(names)]
    return known + [name for name in dict.fromkeys(names) if name not in PAPER_TABLES]
