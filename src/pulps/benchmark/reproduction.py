"""The documentation page ``reproduction``, written from the store alone."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from pulps.benchmark.ablations import ablation_table
from pulps.benchmark.averages import latest
from pulps.benchmark.figures import write_figures
from pulps.benchmark.methods import title
from pulps.benchmark.missing import average_table, missing_table
from pulps.benchmark.plans import how_to_make
from pulps.benchmark.published import load_published
from pulps.benchmark.render import to_markdown
from pulps.benchmark.tables import all_tables
from pulps.io.outputs import write_whole

HEAD = """\
# Reproduction

Protocol: ten stratified folds on the true classes, shuffled by the seed; in every training
fold the stated share of the positives is labeled at random (SCAR, single training set), all
other rows are unlabeled, and the test fold is scored against the truth. Where the records come
from, and how to make this page again, is told at its end.
"""

ORIGIN = """\
## Where the records come from

{how}
{origin}
"""

CAUTION = """\
## Before comparing with the paper

The paper's table of F1 scores puts different quantities side by side. What each of its columns
measures, as far as we could find out:

{columns}

Where the fold files of the rivals take the smaller class as positive (hepatitis, lymph),
their negative-class F1 is the F1 of *our* positive class, and is shown there; of their
credit-a values only LUHC's is shown, because the class of the others is unclear. Constant
predictors are rows of every table: a score at or below theirs says nothing in favor of a
method.
"""


SECTIONS = {
    "The consensus against rivals": ("against-pu-default", "best-rivals-pu-default"),
    "The network against rivals": ("against-lps-default", "best-rivals-lps-default"),
    "Ranks": ("ranks",),
    "Scores": ("categorical",),
    "What a model knows about itself": ("agreement", "priors", "calibration"),
    "Time and memory": ("time",),
    "All pairs": ("pairs",),
}


def write_reproduction(records: pd.DataFrame, docs: Path) -> Path:
    """Write ``reproduction.md`` and its figures into a documentation folder.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    docs
        Folder of the documentation.

    Returns
    -------
    Path
        The page.
    """
    require_records(records, "categorical")
    figures = write_figures(records, docs / "figures")
    tables = all_tables(records)
    about = ["## Data sets\n", to_markdown(tables.pop("datasets"))]
    about += [CAUTION.format(columns=_columns()), to_markdown(tables.pop("printed"))]
    parts = [HEAD]
    for heading, first_words in SECTIONS.items():
        names = [name for name in tables if name.startswith(first_words)]
        drawn = [path for path in figures if path.stem.startswith(first_words)]
        if names or drawn:
            parts.append(f"## {heading}\n")
        parts += [to_markdown(tables[name]) for name in names]
        parts += [f"![{path.stem.replace('-', ' ')}](figures/{path.name})\n" for path in drawn]
    about.append(
        ORIGIN.format(how=how_to_make("categorical"), origin=describe_origin(latest(records)))
    )
    page = docs / "reproduction.md"
    write_whole(page, "\n".join(parts + about))
    return page


ABLATIONS_HEAD = """\
# Ablations

{how}"""


def write_ablations(records: pd.DataFrame, docs: Path) -> Path:
    """Write ``ablations.md``: what each choice of the default is worth.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    docs
        Folder of the documentation.

    Returns
    -------
    Path
        The page.
    """
    require_records(records, "ablations")
    page = docs / "ablations.md"
    table = to_markdown(ablation_table(latest(records)))
    heading = "## Where the records come from\n"
    everything = latest(records).assign(method="default and variants")
    text = "\n".join(
        [
            ABLATIONS_HEAD.format(how=how_to_make("ablations")),
            table,
            heading,
            describe_origin(everything),
            "",
        ]
    )
    write_whole(page, text)
    return page


MISSING_HEAD = """\
# Missing values, measured

{how}
Cells are removed at random from training and test rows, on top of what the tables lack already;
30 % of the positives are labeled. The default draws missing cells anew in every step of training
and traces them out at predict. The same classifier is also given tables that were filled: with
means and most frequent categories, and from the five nearest rows. Elkan–Noto on gradient-boosted
trees takes missing cells as they are.
"""


def write_missing(records: pd.DataFrame, docs: Path) -> Path:
    """Write ``missing_results.md``: missing cells traced out, filled, or left to trees.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    docs
        Folder of the documentation.

    Returns
    -------
    Path
        The page.
    """
    require_records(records, "missing")
    records = latest(records)
    page = docs / "missing_results.md"
    parts = [
        MISSING_HEAD.format(how=how_to_make("missing")),
        *(to_markdown(average_table(records, name)) for name in ("auc", "f1_pos", "macro_f1")),
        to_markdown(missing_table(records)),
        "## Where the records come from\n",
        describe_origin(records),
        "",
    ]
    write_whole(page, "\n".join(parts))
    return page


def require_records(records: pd.DataFrame, suite: str) -> None:
    """Refuse to write a page without records.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    suite
        Name of the suite.
    """
    if records.empty:
        raise ValueError(
            f"The store holds no records of {suite}. Run `pulps bench run {suite}` first."
        )


def describe_origin(records: pd.DataFrame) -> str:
    """Describe when, by which commit and on which machine the records of each method were made.

    Parameters
    ----------
    records
        Records of the store, one row per record.

    Returns
    -------
    str
        A list in Markdown.
    """
    lines = []
    for method, group in records.groupby("method", sort=False):
        first, last = group["date"].min()[:10], group["date"].max()[:10]
        when = first if first == last else f"{first} to {last}"
        failed = int(group["error"].notna().sum())
        commits = ", ".join(f"`{_short(commit)}`" for commit in dict.fromkeys(group["commit"]))
        lines.append(
            f"* {title(str(method))}: {len(group)} records"
            + (f" ({failed} failed)" if failed else "")
            + f", {when}, version {', '.join(dict.fromkeys(group['version']))}, commit {commits}"
        )
    machines = dict.fromkeys(records["machine"])
    lines += [f"* machine: {machine}" for machine in machines]
    return "\n".join(lines)


def _short(commit: str) -> str:
    head, plus, changes = commit.partition("+")
    return head[:12] + plus + changes


def _columns() -> str:
    columns = load_published("columns").query("table == 'categorical_f1'")
    return "\n".join(
        f"* {row.column}: {row.measures} ({row.evidence})." for row in columns.itertuples()
    )
