"""The documentation page ``semi_results``, written from the store alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from pulps.benchmark.plans import how_to_make
from pulps.benchmark.render import NOTHING, Cell, Table, to_markdown
from pulps.benchmark.reproduction import describe_origin, require_records
from pulps.benchmark.semi.few_tables import TABLES_OF, from_to
from pulps.benchmark.semi.rivals import METHODS
from pulps.benchmark.stats import average_ranks, friedman, holm, signed_rank
from pulps.io.outputs import write_whole

ALONE, LIMIT, OURS = "labels-alone", "all-labels", "lps-semi"
MUCH = 0.02
MEASURES = {
    "inductive_accuracy": "accuracy, test rows",
    "transductive_accuracy": "accuracy, unlabeled training rows",
    "inductive_macro_f1": "macro-F1, test rows",
    "transductive_macro_f1": "macro-F1, unlabeled training rows",
}
HEAD = """\
# Several classes, few labels

{how}
Sixteen tables with *all* their classes, 3 to 24 of them. Ten folds dealt class by class, of which
the first ones have run; of the training rows a share is labeled, class by class and at least one
row of each. Methods see the unlabeled rows without labels; they are scored on these (transductive)
and on the test fold (inductive). A fold has at most 1,000 training rows, drawn class by class, so
that two cores can afford it. All rivals see numbers standardized and categories one-hot, with
settings of their own library but for what follows: forests have 100 trees, boosting 40 rounds of
trees with 8 leaves, self-training five rounds, label spreading and propagation seven neighbors.
Tri-training (three trees) and co-forest are written from their papers. *Labels alone* is a forest
that never sees an unlabeled row; *all labels* is told every training label and is the limit.

A method is compared on folds that all methods of a table have. "Worse" counts the tables on which
a method's mean over these folds is below that of the labels alone by more than .02: learning from
unlabeled rows can do harm, and this is how often.
"""

HEADS = {
    "semi-images": """\
## Images of ten classes

MNIST and Fashion-MNIST, 100, 10 or 1 labeled image per class. To keep a model within minutes of
one core, all methods see the same 10,000 of the 60,000 training images, labeled ones among them;
the test images are the 10,000 of the set. Label spreading is scikit-learn's on pixels; the network
with pseudo-labels has two convolutions.
""",
    "open-set": """\
## Classes without labels

Three, five or seven classes have labels, half of their rows in tables (the most frequent classes)
and fifty images each of random digits; all other rows are unlabeled, and what belongs to another
class is "none of these". The score is macro-F1 over the known classes and that one. Against it: a
positive-unlabeled model per known class (`PUClassifier`, or `LPSImageClassifier` with one member
and 300 steps, as many as ours has on images); a row goes to the model that is surest, or to none.
Of MNIST 3,000 training images are drawn.
""",
}


def comparable(records: pd.DataFrame) -> pd.DataFrame:
    """Keep the last record of each task and method, and tasks that every method has run.

    Parameters
    ----------
    records
        Records of the suite, one row each.

    Returns
    -------
    DataFrame
        Methods that ran on fewer than nine tenths of the tasks of ours are left out, and shares
        of labels at which not all tables have run.
    """
    good = records[records["error"].isna()].drop_duplicates(["task", "method"], keep="last")
    counts = good.groupby("method")["task"].nunique()
    enough = 0.9 * counts.get(OURS, counts.max())
    good = good[good["method"].isin(counts[counts >= enough].index)]
    n_methods = good["method"].nunique()
    shared = good.groupby("task")["method"].nunique()
    good = good[good["task"].isin(shared[shared == n_methods].index)]
    n_tables = good.groupby("label_frequency")["dataset"].nunique()
    return good[good["label_frequency"].isin(n_tables[n_tables == n_tables.max()].index)]


def left_out(records: pd.DataFrame) -> str:
    """Name the methods that have run on too few tasks to be compared.

    Parameters
    ----------
    records
        Records of the suite, one row each.

    Returns
    -------
    str
        A sentence, or nothing.
    """
    ran = records[records["error"].isna()].groupby("method")["task"].nunique()
    ran = ran.drop(comparable(records)["method"].unique())
    told = [f"{METHODS[name].title} ({count})" for name, count in ran.items() if name in METHODS]
    if not told:
        return ""
    return f"Left out, having run on few of the tasks only (so many): {', '.join(told)}.\n"


def table_means(records: pd.DataFrame, measure: str, share: float) -> pd.DataFrame:
    """Mean over folds of each table and method.

    Parameters
    ----------
    records
        From :func:`comparable`.
    measure
        One of ``MEASURES``.
    share
        Share of labeled rows.

    Returns
    -------
    DataFrame
        One row per table, one column per method.
    """
    part = records[records["label_frequency"] == share]
    return part.pivot_table(index="dataset", columns="method", values=measure, aggfunc="mean")


def summary_table(records: pd.DataFrame, measure: str) -> Table:
    """Mean, average rank and harm of each method, at each share of labels.

    Parameters
    ----------
    records
        From :func:`comparable`.
    measure
        One of ``MEASURES``.

    Returns
    -------
    Table
    """
    shares = sorted(records["label_frequency"].unique())
    order = [name for name in METHODS if name in set(records["method"])]
    header, rows = ["method"], {name: [Cell(METHODS[name].title)] for name in order}
    notes = []
    for share in shares:
        means = table_means(records, measure, share)
        header += [f"{share:.0%}: mean", "rank", "worse"]
        ranks = average_ranks(means.drop(columns=LIMIT, errors="ignore"))
        worse = (means.lt(means[ALONE] - MUCH, axis=0)).sum()
        averages = means.mean()
        best = averages.drop(LIMIT, errors="ignore").max()
        for name in order:
            rank = NOTHING
            if name in ranks:
                rank = Cell(f"{ranks[name]:.2f}", bold=ranks[name] == ranks.min())
            rows[name] += [
                Cell(f"{averages[name]:.3f}", bold=name != LIMIT and averages[name] == best),
                rank,
                NOTHING if name in (ALONE, LIMIT) else Cell(f"{worse[name]} of {len(means)}"),
            ]
        folds = records[records["label_frequency"] == share].groupby("dataset")["fold"].nunique()
        test = friedman(means.drop(columns=LIMIT, errors="ignore"))
        notes.append(
            f"{share:.0%}: {len(means)} tables, {from_to(folds)} folds each; "
            f"Friedman test of equal ranks p = {test.p_value:.2g}."
        )
    return Table(MEASURES[measure], header, list(rows.values()), notes)


def test_table(records: pd.DataFrame) -> Table:
    """Paired tests of ours against every rival, on inductive accuracy.

    Parameters
    ----------
    records
        From :func:`comparable`.

    Returns
    -------
    Table
    """
    shares = sorted(records["label_frequency"].unique())
    rivals = [n for n in METHODS if n in set(records["method"]) and n not in (OURS, LIMIT)]
    rows = {name: [Cell(METHODS[name].title)] for name in rivals}
    for share in shares:
        means = table_means(records, "inductive_accuracy", share)
        p_values = holm([signed_rank(means[OURS] - means[name])[1] for name in rivals])
        for name, p_value in zip(rivals, p_values, strict=True):
            gain = (means[OURS] - means[name]).mean()
            rows[name] += [Cell(f"{gain:+.3f}"), Cell(f"{p_value:.2g}")]
    header = ["rival", *[text for share in shares for text in (f"{share:.0%}: gain", "p")]]
    note = "Mean gain in accuracy on test rows; p of Wilcoxon's signed ranks, corrected by Holm."
    return Table("Ours against each rival", header, list(rows.values()), [note])


def by_table(records: pd.DataFrame, share: float) -> Table:
    """Accuracy on test rows of every table.

    Parameters
    ----------
    records
        From :func:`comparable`.
    share
        Share of labeled rows.

    Returns
    -------
    Table
    """
    means = table_means(records, "inductive_accuracy", share)
    order = [name for name in METHODS if name in means.columns]
    classes = records.groupby("dataset")["n_classes"].max()
    rows = []
    for name, values in means.iterrows():
        best = values.drop(LIMIT, errors="ignore").max()
        cells = [Cell(f"{values[m]:.3f}", bold=values[m] == best and m != LIMIT) for m in order]
        rows.append([Cell(str(name)), Cell(str(classes[name])), *cells])
    header = ["table", "classes", *[METHODS[name].title for name in order]]
    return Table(f"Accuracy on test rows, {share:.0%} labeled", header, rows)


def semi_tables(records: pd.DataFrame) -> list[Table]:
    """Make all tables of the page.

    Parameters
    ----------
    records
        Records of the suite, one row each.

    Returns
    -------
    list of Table
    """
    shared = comparable(records)
    tables = [summary_table(shared, measure) for measure in MEASURES]
    if OURS in set(shared["method"]):
        tables.append(test_table(shared))
    shares = sorted(shared["label_frequency"].unique())
    return [*tables, *(by_table(shared, share) for share in shares)]


def write_semi(
    records: pd.DataFrame, docs: Path, others: Mapping[str, pd.DataFrame] | None = None
) -> Path:
    """Write ``semi_results.md`` into a documentation folder.

    Parameters
    ----------
    records
        Records of the suite, one row each.
    docs
        Folder of the documentation.
    others
        Records of the suites "semi-images" and "open-set", by name.

    Returns
    -------
    Path
        The page.
    """
    require_records(records, "semi")
    parts = [
        HEAD.format(how=how_to_make("semi")),
        left_out(records),
        *(to_markdown(table) for table in semi_tables(records)),
    ]
    origins = [comparable(records)]
    for name, some in (others or {}).items():
        if len(some):
            parts += [HEADS[name], *(to_markdown(table) for table in TABLES_OF[name](some))]
            origins.append(some)
    page = docs / "semi_results.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    write_whole(page, "\n".join([*filter(None, parts), describe_origin(pd.concat(origins)), ""]))
    return page
