"""What the records of images say: tables, a histogram, and the page ``image_results``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from pulps.benchmark.averages import latest
from pulps.benchmark.figures import save_figure
from pulps.benchmark.image_problems import CORE, N_LABELED
from pulps.benchmark.methods import title
from pulps.benchmark.published import load_published
from pulps.benchmark.render import NOTHING, Cell, Table, to_markdown
from pulps.benchmark.reproduction import describe_origin, require_records
from pulps.io.outputs import write_whole

HEAD = """\
# Images: results

This page is generated from the records in the store; do not edit it. To make it again:

```sh
PULPS_DATA=path/to/data pulps bench run images --methods {methods} --seeds {seeds}
pulps bench tables images --docs docs
```

MNIST and Fashion-MNIST in their original split, one class against another or against all
others. Training and test images are subsampled until both classes are of one size, as in the
paper; a few positives are labeled at random, everything else is unlabeled. Members are chosen
by agreement, without labels. Settings were chosen on the pairs 1-7, 2-3, 3-9 and 5-6 and on the
digits 4, 5, 7 and 8 against the rest, with other sets of labels; so the test images of the latter
were looked at before. "Label spreading" and nnPU are told that half of the images are positive,
which ours expects as well. The learning rates of nnPU and VPU with a small convolutional network
were chosen among two and five for best test accuracy on the pairs 2-3 and 5-6; they train for
three passes, with the labeled images in every batch.
"""
KINDS = {
    ("mnist", False): "MNIST, one digit against another",
    ("mnist", True): "MNIST, one digit against the rest",
    ("fashion-mnist", False): "Fashion-MNIST, one class against another",
    ("fashion-mnist", True): "Fashion-MNIST, one class against the rest",
}


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
    tables = {}
    for (source, rest), heading in KINDS.items():
        part = records[(records["source"] == source) & (records["rest"] == rest)]
        if len(part):
            name = f"{source}-{'rest' if rest else 'pairs'}"
            tables[name] = _summary(part, heading, name)
            tables[f"{name}-each"] = _each(part, heading)
    return tables


def _described(records: pd.DataFrame) -> pd.DataFrame:
    """Add where the images are from and what the positives stand against."""
    records = latest(records).copy()
    parts = records["dataset"].str.split(" ", n=1, expand=True)
    records["source"], records["classes"] = parts[0], parts[1]
    records["rest"] = records["classes"].str.endswith("rest")
    return records


def _summary(records: pd.DataFrame, heading: str, name: str) -> Table:
    """Mean accuracy of each method: deviations over problems and over sets of labels."""
    core = records[records["dataset"].isin(CORE)]
    wanted = core["dataset"].nunique()
    means = core.groupby(["n_labeled", "method", "dataset"])["accuracy"].mean()
    whole = means.groupby(["n_labeled", "method"]).filter(lambda of: of.count() == wanted)
    best = whole.groupby(["n_labeled", "method"]).mean().groupby("n_labeled").idxmax()
    rows = []
    for method in dict.fromkeys(core["method"]):
        cells = [Cell(title(method))]
        for n in N_LABELED:
            group = core[(core["method"] == method) & (core["n_labeled"] == n)]
            accuracy, estimated = _mean_cells(group, wanted)
            cells += [accuracy._replace(bold=best.get(n) == (n, method)), estimated]
        rows.append(cells)
    rows += _printed_rows(name)
    header = [""]
    for n in N_LABELED:
        header += [f"{n} labeled", "estimated"]
    return Table(
        heading,
        header,
        rows,
        [
            "Test accuracy: mean ± standard deviation over problems ± mean standard deviation "
            "over sets of labels; beside it the agreement of members on "
            "the training images. Bold: best of our rows that are complete. Rows marked (paper) "
            "are printed numbers."
        ],
    )


def _mean_cells(group: pd.DataFrame, wanted: int) -> list[Cell]:
    if "accuracy" not in group or group["accuracy"].isna().all():
        return [NOTHING, NOTHING]
    by_problem = group.groupby("dataset")["accuracy"]
    means, over_labels = by_problem.mean(), by_problem.std().mean()
    text = f"{means.mean():.3f} ± {means.std():.3f}"
    if over_labels == over_labels:
        text += f" ± {over_labels:.3f}"
    if len(means) < wanted:
        text += f" ({len(means)} of {wanted})"
    estimated = group["agreement"].mean() if "agreement" in group else float("nan")
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


def _each(records: pd.DataFrame, heading: str) -> Table:
    """Accuracy on every problem, one row per method and number of labels."""
    problems = sorted(records["classes"].unique())
    rows = []
    for method in dict.fromkeys(records["method"]):
        for n in N_LABELED:
            group = records[(records["method"] == method) & (records["n_labeled"] == n)]
            if len(group):
                means = group.groupby("classes")["accuracy"].mean().reindex(problems)
                cells = [Cell(f"{mean:.3f}") if mean == mean else NOTHING for mean in means]
                rows.append([Cell(title(method)), Cell(str(n)), *cells])
    return Table(
        f"{heading}: every problem",
        ["", "labeled", *problems],
        rows,
        ["Mean over sets of labels."],
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
    seeds = sorted({int(seed) for seed in records["seed"]})
    figure = save_figure(gap_figure(records), docs / "figures" / "image-agreement-gap.svg")
    head = HEAD.format(
        methods=",".join(dict.fromkeys(records["method"])),
        seeds=f"{seeds[0]}-{seeds[-1]}" if len(seeds) > 1 else str(seeds[0]),
    )
    parts = [
        head,
        *(to_markdown(table) for table in tables.values()),
        "## How far agreement is from accuracy\n",
        f"![estimated minus test accuracy](figures/{figure.name})\n",
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
    from matplotlib.figure import Figure

    points = latest(records).dropna(subset=["agreement"])
    figure = Figure(figsize=(9, 2.6), layout="constrained")
    axes = figure.subplots(1, len(N_LABELED), sharex=True, squeeze=False)[0]
    for ax, n in zip(axes, N_LABELED, strict=True):
        gap = points[points["n_labeled"] == n]
        ax.hist(gap["agreement"] - gap["accuracy"], bins=[i / 40 for i in range(-8, 25)])
        ax.set_title(f"{n} labeled image{'s' * (n > 1)}", fontsize=9)
        ax.set_xlabel("estimated − test accuracy", fontsize=8)
        ax.tick_params(labelsize=7)
    axes[0].set_ylabel("models", fontsize=8)
    return figure
