"""What the records of images say: tables, a histogram, and the page ``image_results``."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from pulps.benchmark.averages import latest
from pulps.benchmark.image_problems import CORE, EVERY, N_LABELED, NATURAL
from pulps.benchmark.methods import title
from pulps.benchmark.plans import how_to_make
from pulps.benchmark.published import load_published, published_scores
from pulps.benchmark.render import NOTHING, Cell, Table, to_markdown
from pulps.benchmark.reproduction import describe_origin, require_records
from pulps.benchmark.stats import average_ranks, critical_difference, friedman
from pulps.io.optional import needs
from pulps.io.outputs import write_whole
from pulps.io.pictures import save_figure

HEAD = """\
# Images: results

{how}
MNIST and Fashion-MNIST in their original split, one class against another or against all
others. Training and test images are subsampled until both classes are of one size, as in the
paper, or one in ten is positive, their natural proportion; a few positives are labeled at random,
everything else is unlabeled. Members are chosen by agreement, without labels. Settings were chosen
on the pairs 1-7, 2-3, 3-5, 3-9, 4-9 and 5-6 and on the digits 0, 4, 5, 7 and 8 against the rest,
with other sets of labels; so the test images of the latter were looked at before. How classes that
overlap are cut was changed after the first results on Fashion-MNIST had been seen: by guesses on
training images, of the pairs 0-2, 0-4, 2-3, 3-4, 4-8 and 5-9, of five of the pairs below with the
other class as the positive one, and of six classes against the rest, with other labels. That edges
count for more than pixels was decided after one label had gone badly there: by guesses on training
images of all pairs and of ten problems of MNIST, with other labels. "Label spreading" and nnPU are
told the true share of positives; ours is not, and finds it itself. The learning rates of nnPU and
VPU with a small convolutional network were chosen among two and five for best test accuracy on the
pairs 2-3 and 5-6; they train for three passes, with the labeled images in every batch.
"""
KINDS = {
    ("mnist", "pairs"): "MNIST, one digit against another",
    ("mnist", "rest"): "MNIST, one digit against the rest",
    ("mnist", "all"): "MNIST, one digit against all others, one in ten",
    ("fashion-mnist", "pairs"): "Fashion-MNIST, one class against another",
    ("fashion-mnist", "rest"): "Fashion-MNIST, one class against the rest",
}
SOURCES = {"mnist": "MNIST", "fashion-mnist": "Fashion-MNIST"}
MEASURES = {"all": ("f1_pos", "F1 of the positives")}  # of other kinds, the accuracy
ESTIMATED = "estimated"
OURS = "lps-images"
BEFORE = ", version "  # between a method and a version that was run again since


def image_tables(records: pd.DataFrame) -> dict[str, Table]:
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
    records = _described(records)
    tables = {"done": _done(records)}
    for (source, kind), heading in KINDS.items():
        part = records[(records["source"] == source) & (records["kind"] == kind)]
        if not len(part):
            continue
        name, measure = f"{source}-{kind}", MEASURES.get(kind, ("accuracy", "Test accuracy"))
        core = part[part["dataset"].isin(CORE)]
        if len(core):
            tables[name] = _summary(core, heading, name, measure)
        if len(core) < len(part):
            whole = part.groupby("method")["dataset"].transform("nunique")
            complete = part[whole == part["dataset"].nunique()]
            of_all = f"{heading}: all {part['dataset'].nunique()} problems"
            some = complete if len(complete) else part
            tables[f"{name}-every"] = _summary(some, of_all, name, measure)
        tables[f"{name}-each"] = _each(part, heading, measure)
    statistics, gaps = _statistics(records), _gaps(records)
    tables |= {"mnist-rest-statistics": statistics} if statistics else {}
    return tables | ({"gaps": gaps} if gaps else {})


def _described(records: pd.DataFrame) -> pd.DataFrame:
    """Add where the images are from and what the positives stand against."""
    records = latest(_by_version(records)).copy()
    names = _described_names(records["dataset"])
    return records.assign(
        **{name: names[name] for name in names}, **{ESTIMATED: _estimated(records)}
    )


def _described_names(datasets: pd.Series) -> pd.DataFrame:
    parts = datasets.str.split(" ", n=1, expand=True)
    ending = parts[1].str.partition("-")[2]
    kind = ending.where(ending.isin(("rest", "all")), "pairs")
    return pd.DataFrame({"source": parts[0], "classes": parts[1], "kind": kind})


def _by_version(records: pd.DataFrame) -> pd.DataFrame:
    """Leave out what was run again since, and name the rest of earlier versions after these.

    No mean mixes versions.
    """
    records = records.reset_index(drop=True)
    is_newest = records["version"] == records.groupby("method")["version"].transform("last")
    runs = pd.MultiIndex.from_frame(records[["method", "task"]])
    older = records["method"] + BEFORE + records["version"]
    named = records.assign(method=records["method"].where(is_newest, older))
    return named[is_newest | ~runs.isin(runs[is_newest])]


def _title(method: str) -> str:
    name, before, version = method.partition(BEFORE)
    return title(name) + before + version


def _done(records: pd.DataFrame) -> Table:
    """Count the problems of every kind that the classifier by states has run on."""
    ours = records[(records["method"] == OURS) & records["accuracy"].notna()]
    wanted = _described_names(pd.Series([*EVERY, *NATURAL]))
    rows = []
    for (source, kind), heading in KINDS.items():
        n_wanted = len(wanted[(wanted["source"] == source) & (wanted["kind"] == kind)])
        part = ours[(ours["source"] == source) & (ours["kind"] == kind)]
        counts = [part[part["n_labeled"] == n]["dataset"].nunique() for n in N_LABELED]
        cells = [Cell(f"{n_done} of {n_wanted}") for n_done in counts]
        rows.append([Cell(heading), *cells, _label_sets(part)])
    header = ["", *(f"{n} labeled" for n in N_LABELED), "label sets"]
    return Table(f"{title(OURS)}: what has run", header, rows, ["Problems with a result."])


def _gaps(records: pd.DataFrame) -> Table | None:
    """Tell how far the accuracy that a model expects is from that on test images."""
    ours = records[(records["method"] == OURS)].dropna(subset=[ESTIMATED, "accuracy"])
    rows = []
    for (source, words), n in product(SOURCES.items(), N_LABELED):
        of = ours[(ours["source"] == source) & (ours["n_labeled"] == n)]
        if len(of):
            gap = of[ESTIMATED] - of["accuracy"]
            within = (gap.abs() <= 0.02).mean()
            values = (f"{gap.mean():+.3f}", f"{gap.std():.3f}", f"{gap.abs().max():.3f}")
            cells = (words, str(n), *values, f"{within:.0%}", str(len(gap)))
            rows.append([*map(Cell, cells)])
    header = ["", "labeled", "mean", "standard deviation", "largest", "within .02", "models"]
    notes = ["Of all models of the rows above, one per problem and label set."]
    return Table("Estimated minus test accuracy", header, rows, notes) if rows else None


def _estimated(records: pd.DataFrame) -> pd.Series:
    """Read the accuracy a model expects of itself, or the agreement of its members."""
    nothing = pd.Series(float("nan"), index=records.index)
    agreement, expected = (
        pd.to_numeric(records.get(name, nothing)) for name in ("agreement", "expected_accuracy")
    )
    return expected.fillna(agreement)


def _summary(core: pd.DataFrame, heading: str, name: str, measure: tuple[str, str]) -> Table:
    """Mean score of each method: deviations over problems and over sets of labels."""
    wanted, (column, words) = core["dataset"].nunique(), measure
    means = core.groupby(["n_labeled", "method", "dataset"])[column].mean()
    whole = means.groupby(["n_labeled", "method"]).filter(lambda of: of.count() == wanted)
    best = whole.groupby(["n_labeled", "method"]).mean().groupby("n_labeled").idxmax()
    rows = []
    for method in dict.fromkeys(core["method"]):
        cells = [Cell(_title(method))]
        for n in N_LABELED:
            group = core[(core["method"] == method) & (core["n_labeled"] == n)]
            score, estimated = _mean_cells(group, wanted, column)
            cells += [score._replace(bold=best.get(n) == (n, method)), estimated]
        rows.append([*cells, _label_sets(core[core["method"] == method])])
    rows += [[*cells, NOTHING] for cells in _printed_rows(name)]
    header = [""]
    for n in N_LABELED:
        header += [f"{n} labeled", "estimated"]
    return Table(
        heading,
        [*header, "label sets"],
        rows,
        [
            f"{words}: mean ± standard deviation over problems ± mean standard deviation "
            "over sets of labels; beside it the accuracy that the model expects of itself, or the "
            "agreement of its members on the training images. Bold: best of our rows that are "
            "complete. Rows marked (paper) are printed numbers."
        ],
    )


def _label_sets(records: pd.DataFrame) -> Cell:
    """List the sets of labels there are; a set is chosen by its seed."""
    seeds = sorted({int(seed) for seed in records["seed"]})
    return Cell(", ".join(map(str, seeds))) if seeds else NOTHING


def _mean_cells(group: pd.DataFrame, wanted: int, column: str) -> list[Cell]:
    if column not in group or group[column].isna().all():
        return [NOTHING, NOTHING]
    by_problem = group.groupby("dataset")[column]
    means, over_labels = by_problem.mean(), by_problem.std().mean()
    text = f"{means.mean():.3f} ± {means.std():.3f}"
    if over_labels == over_labels:
        text += f" ± {over_labels:.3f}"
    if len(means) < wanted:
        text += f" ({len(means)} of {wanted})"
    estimated = group[ESTIMATED].mean()
    return [Cell(text), Cell(f"{estimated:.3f}") if estimated == estimated else NOTHING]


def _printed_rows(name: str) -> list[list[Cell]]:
    if name == "mnist-pairs":
        printed = load_published("mnist_one_vs_one")
    elif name == "mnist-rest":
        printed = load_published("mnist_one_vs_rest")
        printed = printed[printed["digit"] == "average"]
    else:
        return []
    rows = []
    for method in dict.fromkeys(printed["method"]):
        cells = [Cell(f"{method} (paper)")]
        for n in N_LABELED:
            value = printed[(printed["method"] == method) & (printed["n_labeled"] == n)]["value"]
            cells += [Cell(f"{float(value.iloc[0]):.2f}") if len(value) else NOTHING, NOTHING]
        if any(cell is not NOTHING for cell in cells[1:]):
            rows.append(cells)
    return rows


def _each(records: pd.DataFrame, heading: str, measure: tuple[str, str]) -> Table:
    """Score on every problem and number of labels; problems stand where there is more room."""
    known = records.dropna(subset=[measure[0]])
    means = known.pivot_table(measure[0], ["method", "n_labeled"], "classes")
    runs = [
        (method, n)
        for method, n in product(dict.fromkeys(records["method"]), N_LABELED)
        if (method, n) in means.index
    ]
    scores = means.loc[runs]
    if len(runs) >= len(scores.columns):
        names = [[Cell(_title(method)), Cell(str(n))] for method, n in runs]
        header = ["", "labeled", *scores.columns]
    else:
        names = [[Cell(problem)] for problem in scores.columns]
        header = ["", *(f"{_title(method)}, {n}" for method, n in runs)]
        scores = scores.T
    rows = [
        name + [Cell(f"{mean:.3f}") if mean == mean else NOTHING for mean in of]
        for name, of in zip(names, scores.to_numpy(), strict=True)
    ]
    notes = [f"{measure[1]}, mean over sets of labels."]
    return Table(f"{heading}: every problem", header, rows, notes)


def _statistics(records: pd.DataFrame) -> Table | None:
    """Friedman's test and average ranks of the paper's one-vs-rest table with ours in it."""
    ours = records[
        (records["method"] == OURS)
        & (records["source"] == "mnist")
        & (records["kind"] == "rest")
        & (records["n_labeled"] == max(N_LABELED))
    ]
    means = ours.groupby(ours["classes"].str[0])["accuracy"].mean().dropna()
    scores = published_scores("mnist_one_vs_rest")
    if len(means) < len(scores):
        return None
    scores = scores.rename(columns=lambda name: f"{name} (paper)")
    scores[title(OURS)] = means.round(2).reindex(scores.index.astype(str)).to_numpy()
    test, ranks = friedman(scores), average_ranks(scores).sort_values()
    distance = critical_difference(test.n_methods, test.n_tasks)
    return Table(
        "MNIST, one digit against the rest: ranks with ours in",
        ["", "average accuracy", "average rank"],
        [
            [Cell(name), Cell(f"{scores[name].mean():.3f}"), Cell(f"{rank:.2f}")]
            for name, rank in ranks.items()
        ],
        [
            f"Printed accuracies and ours, rounded alike; 100 labels for ours and TN, 50 for the "
            f"others. Friedman χ² {test.statistic:.1f}, p {test.p_value:.1g}; average ranks that "
            f"differ by more than {distance:.2f} differ significantly (Nemenyi, 5 %)."
        ],
    )


def write_image_page(records: pd.DataFrame, docs: Path) -> Path:
    """Write ``image_results.md`` and its figures into a documentation folder.

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
    require_records(records, "images")
    tables = image_tables(records)
    figure = save_figure(gap_figure(records), docs / "figures" / "image-agreement-gap.svg")
    gaps = [to_markdown(tables.pop("gaps"))] if "gaps" in tables else []
    parts = [
        HEAD.format(how=how_to_make("images")),
        *(to_markdown(table) for table in tables.values()),
        "## How far the estimate is from the test accuracy\n",
        f"![estimated minus test accuracy](figures/{figure.name})\n",
        *gaps,
        "## Where the records come from\n",
        describe_origin(latest(records)),
        "",
    ]
    page = docs / "image_results.md"
    write_whole(page, "\n".join(parts))
    return page


def gap_figure(records: pd.DataFrame) -> Any:
    """Draw histograms of estimated minus test accuracy.

    Parameters
    ----------
    records
        Records of the store, one row per record.

    Returns
    -------
    matplotlib.figure.Figure
        One panel per number of labels.
    """
    with needs("plot", "Drawing"):
        from matplotlib.figure import Figure

    points = _described(records).dropna(subset=[ESTIMATED])
    points = points[points["method"] == OURS]
    figure = Figure(figsize=(9, 2.6), layout="constrained")
    axes = figure.subplots(1, len(N_LABELED), sharex=True, squeeze=False)[0]
    for ax, n in zip(axes, N_LABELED, strict=True):
        some = points[points["n_labeled"] == n]
        gaps = [(some[ESTIMATED] - some["accuracy"])[some["source"] == of] for of in SOURCES]
        bins = [i / 40 for i in range(-16, 25)]
        ax.hist(gaps, bins=bins, stacked=True, label=[*SOURCES.values()])
        ax.set_title(f"{n} labeled image{'s' * (n > 1)}", fontsize=9)
        ax.set_xlabel("estimated − test accuracy", fontsize=8)
        ax.tick_params(labelsize=7)
    axes[0].set_ylabel("models", fontsize=8)
    axes[-1].legend(fontsize=7)
    return figure
