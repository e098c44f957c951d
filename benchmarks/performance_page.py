"""The performance page: figures of the benchmark as text, as a plot and as a docs page."""

from __future__ import annotations

import json
from pathlib import Path

NAMES = {
    "author": "author's order",
    "torch": "PyTorch",
    "lean": "PyTorch, memory-lean",
    "native": "native",
    "categorical": "categorical shortcut",
}
COLORS = {
    "torch": "#0072b2",
    "lean": "#56b4e9",
    "native": "#d55e00",
    "categorical": "#009e73",
}


NOT_YET = "Not measured yet."


def cell(value: float | None, form: str) -> str:
    """Format one number of a table."""
    return "–" if value is None else format(value, form)


def table(sizes: dict[str, dict]) -> str:
    """Write times and ratios as a Markdown table."""
    lines = [
        "| size | engine | ms | to the author's order | to before | % of roofline | cpu/wall "
        "| peak MB |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, size in sizes.items():
        for engine, row in size["engines"].items():
            share = None if row["roofline"] is None else 100 * row["roofline"]
            cells = [
                cell(row["milliseconds"], ".3g" if row["milliseconds"] < 100 else ".0f"),
                cell(row["ratio"], ".1f"),
                cell(row["before"], ".2f"),
                cell(share, ".0f" if share is None or share >= 1 else ".2g"),
                cell(row["cpu_per_wall"], ".2f"),
                cell(row["peak_mb"], ".0f"),
            ]
            lines.append(f"| {name} | {NAMES[engine]} | {' | '.join(cells)} |")
    return "\n".join(lines)


def default_table(figures: list[dict]) -> str:
    """Ratios at the shapes of the default as a Markdown table."""
    lines = [
        "| sites | columns | engine | to the author's order | to before | ms "
        "| multiplications a row | % of roofline | cpu/wall |",
        "|---:|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['sites']} | {row['columns']} | {NAMES[row['engine']]} | {row['ratio']:.1f} "
        f"| {cell(row['before'], '.2f')} | {row['milliseconds']:.3g} | {row['multiplications']} "
        f"| {100 * row['least']:.0f} | {row['cpu_per_wall']:.2f} |"
        for row in figures
    ]
    return "\n".join(lines)


def by_threads(figures: dict, part: str, write) -> str:
    """One table a number of threads."""
    found = []
    for name, told in figures.items():
        if name.split()[0] == part and name != part:
            threads = int(name.split()[1])
            found.append(f"{'One thread' if threads == 1 else f'{threads} threads'}:\n")
            found.append(write(told) + "\n")
    return "\n".join(found).strip() or NOT_YET


def fits_table(figures: dict) -> str:
    """Whole fits and predictions beside those of the earlier checkout."""
    lines = [
        "| what | this over before | seconds of the processor | accuracy | before | peak MB "
        "| before |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for size, row in figures.get("fits", {}).items():
        before, ratios = row["ratios"].get("before"), row["ratios"]
        for name, label in (("LPS", ""), ("networks alone", ", networks alone")):
            share = ratios.get(name, 1.0)  # of our default's time
            lines.append(
                f"| fit {size}{label} | {cell(None if before is None else share / before, '.2f')} "
                f"| {row['seconds'] * share:.1f} | {row['accuracy'][name]:.3f} "
                f"| {cell(row['accuracy'].get('before'), '.3f')} | {row['mb'][name]:.0f} "
                f"| {cell(row['mb'].get('before'), '.0f')} |"
            )
    for size, row in figures.get("predictions", {}).items():
        before = row.get("before", {})
        lines.append(
            f"| predict {size} | {cell(row.get('ratio'), '.2f')} | {row['now']['cpu']:.1f} | – "
            f"| – | {row['now']['mb']:.0f} | {cell(before.get('mb'), '.0f')} |"
        )
    return "\n".join(lines) if len(lines) > 2 else NOT_YET


def scaling_table(scaling: dict[str, dict]) -> str:
    """Fitted exponents as a Markdown table."""
    engines = list(next(iter(scaling.values()))["exponent"])
    lines = [
        "| cost against | from | to | " + " | ".join(NAMES[e] for e in engines) + " |",
        "|---|---:|---:|" + "---:|" * len(engines),
    ]
    for axis, found in scaling.items():
        powers = " | ".join(f"{found['exponent'][e]:.2f}" for e in engines)
        lines.append(f"| {axis} | {found['points'][0]} | {found['points'][-1]} | {powers} |")
    return "\n".join(lines)


def draw(figures: dict, folder: Path) -> None:
    """Draw speed by size, and cost along every axis."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "pulps"
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    sizes = [told for name, told in figures.items() if name.startswith("paper ")][-1]
    for i, engine in enumerate(COLORS):
        at = [n for n, name in enumerate(sizes) if engine in sizes[name]["engines"]]
        ratios = [list(sizes.values())[n]["engines"][engine]["ratio"] for n in at]
        where = [n + 0.2 * (i - 1.5) for n in at]
        left.bar(where, ratios, 0.2, color=COLORS[engine], label=NAMES[engine])
    left.set_xticks(range(len(sizes)), list(sizes))
    left.set_yscale("log")
    left.axhline(1, color="black", lw=0.8)
    left.set_ylabel("times as fast as the author's order")
    left.legend(frameon=False, fontsize=8)
    for axis, style in zip(
        figures["scaling"]["axes"], ("o-", "s-", "^-", "d-", "v-"), strict=False
    ):
        found = figures["scaling"]["axes"][axis]
        for engine, y in found["milliseconds"].items():
            x = [p / found["points"][0] for p in found["points"]]
            label = f"{axis}: {found['exponent'][engine]:.1f}" if engine == "native" else None
            label = label or (axis if "native" not in found["milliseconds"] else None)
            shade = 1.0 if engine == "native" else 0.35
            line = [v / y[0] for v in y]
            color = f"C{list(figures['scaling']['axes']).index(axis)}"
            right.plot(x, line, style, color=color, alpha=shade, label=label, ms=4)
    right.set_xscale("log", base=2)
    right.set_yscale("log", base=2)
    right.set_xlabel("times the smallest point")
    right.set_ylabel("times its cost (pale: PyTorch)")
    right.legend(frameon=False, fontsize=8, title="native, fitted exponent", title_fontsize=8)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    folder.mkdir(parents=True, exist_ok=True)
    fig.savefig(folder / "performance.png", dpi=150)
    fig.savefig(folder / "performance.svg", metadata={"Date": None})
    plt.close(fig)


PAGE = """\
# Performance

<!-- Written by benchmarks/bench_engine.py; do not edit by hand. -->

Training and prediction spend their time in one sweep along the chain. This page measures
it: log-norms of both states, log-Frobenius norms and the gradients by all cores, in
float32, against the author's order of contraction written plainly in PyTorch
(`benchmarks/author_order.py`) and against the commit {before}, measured in the same run
from a second checkout. All take turns; the tables hold medians of {rounds} rounds, and ratios
say how many times as long the other takes.

{machine}

![Speed by size, and cost against the sizes of the problem](images/performance.svg)

## The author's shapes

{table}

Sizes: {sizes}.
The roofline is a large matrix product measured in the same rounds; the share counts each
product once, without what is computed again, saved by symmetry or looked up. Times of several
threads mean something only where cpu/wall is near their number. The peak is memory beyond
the chains and rows; the yardstick allocates and frees most of its peak at every step, and
what the system charges for fresh pages is part of its time. Nursery: {nursery}.

## The shapes of the default

{default_what}

{default}

A row's multiplications are those of its log-norm in the order of
`pulps/network/engine/factors.py`, with look-ups instead of embedding for categories; the roofline
is three times as many, forward and back, at the speed of a large matrix product.

## How the cost grows

Milliseconds were fitted by a power of each size, the others held at
N = 64, d = 6, D = 12, S = 8, 512 rows, one member.

{scaling}

## A whole fit and a whole prediction

Default settings of each commit, `{commit_of_fits}` now; 20 % of the rows of a fit are held out
for the accuracy. What the default does has changed in between: a fit now asks several cheap views
of the table first and trains fewer networks, for fewer epochs. "Networks alone" is
`first_guess=None`, which does what the earlier commit did. Rows are embedded and swept a chunk at
a time, so memory beyond the table itself does not grow with the number of rows predicted.

{fits}

What memory a fit or a prediction takes is its peak beyond what was held before. The cost
against the rows of a table, up to two millions, is in the [guide](guide/scaling.md).

## Serving

{serving}
"""


def serving_text() -> str:
    """Tell how the server did under load, as far as it was measured."""
    stored = Path(__file__).parent / "results" / "serve.json"
    if not stored.exists():
        return "Not measured yet."
    told = json.loads(stored.read_text())
    sizes = told["memory MB"]
    return (
        "`benchmarks/bench_serve.py`: a server of its own on this machine, "
        f"{told['clients']} clients that send one row to `/v1/predict` and, with the answer, the "
        f"next, for {told['seconds']:.0f} s. {told['requests']} requests, "
        f"{told['per second']} per second, {told['errors']} errors; half of the "
        f"answers within {told['p50 ms']} ms, 99 % within {told['p99 ms']} ms. "
        f"The server used {told['cpu of the server, s']:.0f} s of processor time. Its "
        f"memory, from start to end: {', '.join(map(str, sizes))} MB."
    )


def text(figures: dict) -> str:
    """Write the page."""
    import default_shapes
    from sizes import SIZES

    paper = [told for name, told in figures.items() if name.startswith("paper ")]
    described = "; ".join(
        f"{s.name} ({s.what}) N = {s.n_sites}, d = {s.feature_dim}, D = {s.bond_dim}, "
        f"S = {s.spacing}, {s.n_rows} rows"
        for s in SIZES
        if any(s.name in told for told in paper)
    )
    rows = [row for told in paper for size in told.values() for row in size["engines"].values()]
    return PAGE.format(
        before=f"`{figures['before']}`" if figures["before"] else "before it, where there was one",
        rounds=min((row["rounds"] for row in rows), default=0),
        machine=f"Machine: {figures['engine']}; PyTorch {figures['torch']}; commit "
        f"`{figures['commit']}`.",
        commit_of_fits=figures["commit of fits"],
        table=by_threads(figures, "paper", table),
        sizes=described,
        nursery=figures["nursery"],
        default=by_threads(
            figures,
            "default",
            lambda told: default_table([row for rows in told.values() for row in rows]),
        ),
        default_what=(
            f"Chains of {default_shapes.N_CHAINS // 2} members, d = {default_shapes.FEATURE_DIM}, "
            f"D = {default_shapes.BOND_DIM}, S = {default_shapes.SPACING}, "
            f"k = {default_shapes.OUTPUT_DIM}, {default_shapes.N_ROWS} rows, the same work unit."
        ),
        scaling=scaling_table(figures["scaling"]["axes"]) if "scaling" in figures else NOT_YET,
        fits=fits_table(figures),
        serving=serving_text(),
    )


def write(figures: dict, docs: Path) -> None:
    """Write the page and its plots."""
    if "scaling" in figures and any(name.startswith("paper ") for name in figures):
        draw(figures, docs / "images")
    docs.mkdir(parents=True, exist_ok=True)
    (docs / "performance.md").write_text(text(figures), encoding="utf-8")
