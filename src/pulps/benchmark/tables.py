"""What the records say, as tables. Nothing here trains or reads data: the store is enough.

Published numbers stand beside ours only where they measure the same class; see
``published/columns.csv``. They come from other folds and are never set in bold.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from pulps.benchmark.averages import MEASURES, dataset_order, fold_means, latest, method_order
from pulps.benchmark.calibration_tables import prior_and_calibration_tables
from pulps.benchmark.comparison import (
    COMPARED,
    OURS,
    against_table,
    best_rival_table,
    pair_table,
    rank_table,
    score_matrix,
)
from pulps.benchmark.methods import title
from pulps.benchmark.paper_statistics import recomputed_table
from pulps.benchmark.published import load_published
from pulps.benchmark.render import NOTHING, RENDERERS, Cell, Table
from pulps.benchmark.stats import spearman
from pulps.datasets import PAPER_TABLES, table_info
from pulps.io.outputs import write_whole

EXPORT_FIRST = (
    "dataset label_frequency n_labeled fold seed method f1_pos f1_neg macro_f1 accuracy "
    "balanced_accuracy auc fit_seconds"
).split()


def score_table(records: pd.DataFrame, measure: str, label_frequency: float) -> Table:
    """Show one score at one label frequency.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    measure
        Name of a score, such as ``"f1_pos"``.
    label_frequency
        Share of the positives that are labeled.

    Returns
    -------
    Table
        One row per method, one column per data set.
    """
    means = fold_means(records, measure)
    means = means[means["label_frequency"] == label_frequency]
    datasets = dataset_order(means["dataset"])
    rows = []
    best = means[means["n"] == means["wanted"]].groupby("dataset")["mean"].max().round(3)
    for method in method_order(means["method"]):
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
    """List the data sets: counts here and in the paper, and what a constant answer scores.

    Returns
    -------
    Table
        One row per data set.
    """
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


def agreement_table(records: pd.DataFrame, measure: str = "f1_pos") -> Table:
    """Correlate agreement and test score on each data set, over folds and label frequencies.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    measure
        Name of a score, such as ``"f1_pos"``.

    Returns
    -------
    Table
        One row per method and data set.
    """
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
    """Group the records that have an agreement by method and data set.

    Parameters
    ----------
    records
        Records of the store, one row per record.

    Returns
    -------
    list
        Method, data set and records of each.
    """
    if "agreement" not in records:
        return []
    points = latest(records).dropna(subset=["agreement"])
    return [
        (method, name, points[(points["method"] == method) & (points["dataset"] == name)])
        for method in method_order(points["method"])
        for name in dataset_order(points[points["method"] == method]["dataset"])
    ]


def time_table(records: pd.DataFrame) -> Table:
    """Show the mean seconds per fit, the largest memory and the number of failures.

    Parameters
    ----------
    records
        Records of the store, one row per record.

    Returns
    -------
    Table
        One row per method.
    """
    records = latest(records)
    seconds = records.groupby(["method", "dataset"])["fit_seconds"].mean()
    datasets = dataset_order(records["dataset"])
    rows = []
    for method in method_order(records["method"]):
        of_method = records[records["method"] == method]
        memory = of_method["peak_memory_mb"].max() if "peak_memory_mb" in records else None
        cells = [
            Cell(f"{seconds[method, name]:.2g}") if (method, name) in seconds else NOTHING
            for name in datasets
        ]
        rows.append(
            [
                Cell(title(method)),
                *cells,
                NOTHING if pd.isna(memory) else Cell(f"{memory:.0f}"),
                Cell(str(int(of_method["error"].notna().sum()))),
            ]
        )
    header = ["seconds per fit", *datasets, "peak memory, MB", "failed folds"]
    note = (
        "Seconds by the clock, on a machine that may have had other work: orders of magnitude. "
        "The memory is that of the process, which may have run other methods before."
    )
    return Table("Time and memory", header, rows, [note])


def all_tables(records: pd.DataFrame) -> dict[str, Table]:
    """Make every table.

    Parameters
    ----------
    records
        Records of the store, one row per record.

    Returns
    -------
    dict
        Tables by file name.
    """
    tables = {"datasets": dataset_table()}
    if records.empty:
        return tables
    for frequency in sorted(records["label_frequency"].dropna().unique()):
        for measure in ("f1_pos", "f1_neg", "macro_f1", "auc"):
            name = f"categorical-{measure.replace('_', '-')}-{round(100 * frequency)}"
            tables[name] = score_table(records, measure, frequency)
    for measure in COMPARED:
        name = measure.replace("_", "-")
        for ours in OURS:
            if ours in set(records["method"]):
                tables[f"against-{ours}-{name}"] = against_table(records, measure, ours)
        tables[f"ranks-{name}"] = rank_table(records, measure)
        if set(score_matrix(records, measure)) < set(records["method"]):
            tables[f"ranks-{name}-all"] = rank_table(records, measure, "methods")
    for ours in OURS:
        if ours in set(records["method"]):
            tables[f"best-rivals-{ours}"] = best_rival_table(records, ours)
    tables["agreement"] = agreement_table(records)
    tables |= prior_and_calibration_tables(latest(records))
    tables["time"] = time_table(records)
    tables["pairs-macro-f1"] = pair_table(records, "macro_f1")
    tables["printed"] = recomputed_table()
    return tables


def write_tables(
    records: pd.DataFrame, out: Path, formats: Sequence[str] = tuple(RENDERERS)
) -> list[Path]:
    """Write every table in every format.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    out
        Folder to write into.
    formats
        Which of ``RENDERERS``.

    Returns
    -------
    list of Path
        The files.
    """
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for name, table in all_tables(records).items():
        for form in formats:
            suffix, render = RENDERERS[form]
            path = out / f"{name}.{suffix}"
            write_whole(path, render(table))
            written.append(path)
    return written


def export(records: pd.DataFrame, out: Path) -> None:
    """Write the records as CSV, one row each, with the most wanted fields first.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    out
        The file.
    """
    first = [name for name in EXPORT_FIRST if name in records]
    rest = [name for name in records if name not in first]
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, records[first + rest].to_csv(index=False))


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
