"""The documentation page ``develop``, written from the store alone.

Scores stand in columns: tables with common positives, with rare ones and rule tables, at each
share of labels, and the paper's tables beside them. Inside a column methods are compared on the
same test folds only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from pulps.benchmark.averages import (
    MEASURES,
    PROBLEM,
    fold_scores,
    latest,
    method_order,
    problem_means,
)
from pulps.benchmark.calibration_tables import calibration_errors, prior_errors
from pulps.benchmark.methods import title
from pulps.benchmark.plans import how_to_make
from pulps.benchmark.render import NOTHING, Cell, Table, to_markdown
from pulps.benchmark.reproduction import describe_origin, require_records
from pulps.benchmark.stats import average_ranks
from pulps.benchmark.table_problems import GROUPS, group_of
from pulps.io.outputs import write_whole

SHOWN = ("auc", "average_precision", "macro_f1", "f1_pos")
NAMES = {**MEASURES, "average_precision": "average precision"}
GROUP_NAMES = {"common": "common positives", "rare": "rare positives", "rule": "rule tables"}
PAPER_FREQUENCY = 0.3
MOSTLY = 0.9

HEAD = """\
# The development suite

{how}
Decisions are made on tables that are not those we report on. Each table of a folder is used
both ways round: *common positives* has its larger class as the positive one, *rare positives*
its smaller one; of tables with more classes two are used. *Rule tables* are drawn by
`pulps.datasets.make_rules`: a rule decides, half of the columns or more do not matter, nothing
is noise. A task has at most 1,000 training rows, drawn class by class; folds and labels are
drawn as for [the reproduction](reproduction.md). The paper's tables stand beside them, with
seed 0 and 30 % labeled. Which tables have run is listed at the end.

The development tables are not part of this repository. The same command runs on
[tables of your own](guide/others.md#on-your-own-tables).
"""


class Column(NamedTuple):
    """Records of one kind of problem."""

    name: str
    records: pd.DataFrame


def develop_columns(records: pd.DataFrame, paper: pd.DataFrame) -> list[Column]:
    """Divide records into the columns of every table.

    Parameters
    ----------
    records
        Records of the suite ``"develop"``, one row per record.
    paper
        Records of the suite ``"categorical"``; may be empty.

    Returns
    -------
    list of Column
        Common, rare and rule tables by share of labels, then the paper's tables.
    """
    records = latest(records)
    groups = records["dataset"].map(group_of)
    columns = [
        Column(
            f"{GROUP_NAMES[group]}, {round(100 * frequency)} %",
            records[(groups == group) & (records["label_frequency"] == frequency)],
        )
        for group in GROUPS
        for frequency in sorted(records["label_frequency"].unique())
    ]
    if not paper.empty:
        ours = paper["method"].isin(records["method"].unique())
        chosen = ours & (paper["seed"] == 0) & (paper["label_frequency"] == PAPER_FREQUENCY)
        name = f"the paper's tables, {round(100 * PAPER_FREQUENCY)} %"
        columns.append(Column(name, latest(paper[chosen])))
    return [column for column in columns if len(column.records)]


def shared_means(records: pd.DataFrame, measure: str) -> tuple[pd.DataFrame, int]:
    """Average a score over the folds that methods share.

    A method takes part if it has nine in ten of the problems; then only folds count that all of
    them have.

    Parameters
    ----------
    records
        Records of one column.
    measure
        Name of a score.

    Returns
    -------
    means : DataFrame
        One row per problem, one column per method that takes part.
    n_tasks : int
        Number of folds.
    """
    if measure not in records:
        return pd.DataFrame(), 0
    scores = fold_scores(records, measure)
    share = scores.notna().groupby(level=PROBLEM).any().mean()
    scores = scores.loc[:, share[share >= MOSTLY].index].dropna()
    return problem_means(scores), len(scores)


def score_table(columns: Iterable[Column], measure: str) -> Table:
    """Show the mean of a score and the mean rank of every method.

    Parameters
    ----------
    columns
        From :func:`develop_columns`.
    measure
        Name of a score.

    Returns
    -------
    Table
        One row per method, one column per kind of problem.
    """
    columns = list(columns)
    shared = [shared_means(column.records, measure) for column in columns]
    methods = method_order(name for column in columns for name in column.records["method"])
    rows = []
    for method in methods:
        cells = [Cell(title(method))]
        for means, _ in shared:
            if method not in means or means.empty:
                cells.append(NOTHING)
                continue
            averages = means.mean().round(3)
            rank = average_ranks(means)[method]
            best = averages[method] == averages.max()
            cells.append(Cell(f"{averages[method]:.3f} ({rank:.1f})", bold=best))
        rows.append(cells)
    counts = [f"{len(means)}, {n_tasks}" if n_tasks else "–" for means, n_tasks in shared]
    rows.append([Cell("tables, tasks"), *(Cell(text) for text in counts)])
    return Table(
        NAMES[measure][0].upper() + NAMES[measure][1:],
        ["mean (mean rank)", *(column.name for column in columns)],
        rows,
        [
            "Test folds that all methods of a column have: the mean over the folds of each table, "
            "then over tables; ranks by table, 1 is best. Bold: the best mean. – without nine in "
            "ten of the tables."
        ],
    )


def told_table(
    columns: Iterable[Column], name: str, note: str, say: Callable[[pd.DataFrame], str | None]
) -> Table | None:
    """Show something about what every method says of itself.

    Parameters
    ----------
    columns
        From :func:`develop_columns`.
    name
        Title of the table.
    note
        Note below it.
    say
        Makes the text of a cell from the records of a method; None if there is nothing.

    Returns
    -------
    Table or None
        One row per method that says anything; None if no method does.
    """
    columns = list(columns)
    rows = []
    for method in method_order(n for column in columns for n in column.records["method"]):
        groups = [column.records[column.records["method"] == method] for column in columns]
        texts = [say(group) if len(group) else None for group in groups]
        if any(texts):
            cells = [Cell(text) if text else NOTHING for text in texts]
            rows.append([Cell(title(method)), *cells])
    header = ["", *(column.name for column in columns)]
    return Table(name, header, rows, [note]) if rows else None


def told_tables(columns: Iterable[Column]) -> dict[str, Table]:
    """Make the tables of priors, intervals, predicted shares and calibration.

    Parameters
    ----------
    columns
        From :func:`develop_columns`.

    Returns
    -------
    dict
        By file name, without those that no record has anything for.
    """
    columns = list(columns)
    made = {
        "prior-error": told_table(
            columns,
            "Error of the prior",
            "Mean absolute error of the share of positives among the unlabeled rows. Methods that "
            "say nothing of it are left out.",
            lambda records: _mean(prior_errors(records)),
        ),
        "prior-interval": told_table(
            columns,
            "Interval of the prior",
            "Share of tasks in which the interval covers the truth, and its mean width.",
            _coverage,
        ),
        "share-ratio": told_table(
            columns,
            "Predicted over true share of positives",
            "Among test rows; median over tasks, 1 is right.",
            _ratio,
        ),
        "calibration": told_table(
            columns,
            "Calibration error",
            "Gap between probability and share of positives in ten bins, mean over tables; of few "
            "test rows it is never zero. Predictors without probabilities of their own are left "
            "out.",
            lambda records: _mean(calibration_errors(records)),
        ),
    }
    return {name: table for name, table in made.items() if table is not None}


def problem_table(records: pd.DataFrame) -> Table:
    """List the tables.

    Parameters
    ----------
    records
        Records of the suite, one row per record.

    Returns
    -------
    Table
        One row per table.
    """
    names = records["dataset"].str.rpartition(":")[0]
    rows = []
    for (name, is_rule), group in records.groupby([names, records["dataset"].map(_is_rule)]):
        first = group.iloc[0]
        shares = group.groupby("dataset")["prior"].mean().sort_values(ascending=False)
        texts = [
            f"{name} (rule)" if is_rule else str(name),
            str(first["n_train"]),
            str(first["n_test"]),
            str(first["n_attributes"]),
            " / ".join(f"{share:.0%}" for share in shares),
        ]
        rows.append([Cell(text) for text in texts])
    header = ["", "training rows", "test rows", "attributes", "positives, common / rare"]
    return Table("Tables", header, rows)


def develop_tables(records: pd.DataFrame, paper: pd.DataFrame) -> dict[str, Table]:
    """Make every table of the page.

    Parameters
    ----------
    records
        Records of the suite ``"develop"``, one row per record.
    paper
        Records of the suite ``"categorical"``; may be empty.

    Returns
    -------
    dict
        By file name. Methods that have run on more tasks than others are compared among
        themselves once more (``full-…``).
    """
    columns = develop_columns(records, paper)
    tables = {_file(measure): score_table(columns, measure) for measure in SHOWN}
    counts = latest(records).groupby("method").size()
    full = counts[counts >= MOSTLY * counts.max()].index
    if 1 < len(full) < len(counts):
        ours = [
            Column(name, part[part["method"].isin(full)])
            for name, part in columns
            if part["method"].isin(full).any()
        ]
        tables |= {f"full-{_file(measure)}": score_table(ours, measure) for measure in SHOWN}
    return {**tables, **told_tables(columns), "tables": problem_table(latest(records))}


def write_develop(records: pd.DataFrame, paper: pd.DataFrame, docs: Path) -> Path:
    """Write ``develop.md`` into a documentation folder.

    Parameters
    ----------
    records
        Records of the suite ``"develop"``, one row per record.
    paper
        Records of the suite ``"categorical"``; may be empty.
    docs
        Folder of the documentation.

    Returns
    -------
    Path
        The page.
    """
    require_records(records, "develop")
    tables = develop_tables(records, paper)
    last = tables.pop("tables")
    full = [to_markdown(tables.pop(n)) for n in list(tables) if n.startswith("full-")]
    scores = [to_markdown(tables.pop(_file(measure))) for measure in SHOWN]
    told = [to_markdown(table) for table in tables.values()]
    parts = [
        HEAD.format(how=how_to_make("develop")),
        "## Scores\n",
        *scores,
        *(["## Methods that have run on more folds\n", *full] if full else []),
        *(["## What a method says of itself\n", *told] if told else []),
        "## Tables and records\n",
        to_markdown(last),
        describe_origin(latest(records)),
        "",
    ]
    page = docs / "develop.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    write_whole(page, "\n".join(parts))
    return page


def _is_rule(name: str) -> bool:
    return group_of(name) == "rule"


def _file(measure: str) -> str:
    return measure.replace("_", "-")


def _mean(errors: pd.Series) -> str | None:
    return f"{errors.mean():.3f}" if len(errors) else None


def _coverage(records: pd.DataFrame) -> str | None:
    if "prior_covered" not in records:
        return None
    known = records.dropna(subset=["prior_covered", "prior_width"])
    if known.empty:
        return None
    covered, width = known["prior_covered"].astype(float).mean(), known["prior_width"].mean()
    return f"{covered:.0%} (width {width:.2f})"


def _ratio(records: pd.DataFrame) -> str | None:
    if "tp" not in records:
        return None
    true = records["tp"] + records["fn"]
    ratio = ((records["tp"] + records["fp"]) / true)[true > 0].dropna()
    return f"{ratio.median():.2f}" if len(ratio) else None
