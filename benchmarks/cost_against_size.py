"""What a fit and a prediction cost as the table grows: measured up to two million rows.

    python benchmarks/cost_against_size.py           # goes on where it was stopped
    python benchmarks/cost_against_size.py --show    # only the figure and the table

Default settings, 20 numeric columns, each measurement in a process of its own
(``bench_estimator.py``). Writes ``results/cost.json``, ``docs/figures/cost.svg`` and a table in
``docs/guide/scaling.md``. Sizes beyond the largest one measured are extrapolated, in proportion to
the rows, and drawn and marked as such.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from bench_estimator import measure

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "cost.json"
STREAMED = HERE / "results" / "streaming.json"
LARGE = HERE / "results" / "large.json"
DOCS = HERE.parent / "docs"
MARKS = ("<!-- written by benchmarks/cost_against_size.py -->", "<!-- end -->")
N_COLUMNS = 20
SIZES = (1_000, 10_000, 100_000, 500_000, 2_000_000)
BEYOND = (20_000_000, 200_000_000)
WHAT = ("fit", "predict")


def run(results: Path, sizes: tuple[int, ...], commit: str | None = None) -> list[dict]:
    """Measure what is not yet stored."""
    found = json.loads(results.read_text()) if results.exists() else []
    done = {(figure["task"], figure["rows"]) for figure in found}
    for n_rows in sizes:
        for task in WHAT:
            if (task, n_rows) not in done:
                figure = measure(task, n_rows, N_COLUMNS)
                found.append({"task": task, "rows": n_rows, "commit": commit, **figure})
                results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
                print(found[-1], flush=True)
    return found


def modelled(found: list[dict], task: str, n_rows: int) -> float:
    """Seconds for more rows than measured: the largest measurement, in proportion."""
    largest = max((f for f in found if f["task"] == task), key=lambda f: f["rows"])
    return largest["seconds"] * n_rows / largest["rows"]


def draw(found: list[dict], path: Path) -> None:
    """Draw seconds and memory over rows."""
    from matplotlib.figure import Figure

    from pulps.io.pictures import save_figure

    figure = Figure(figsize=(8, 3.2), layout="constrained")
    time_ax, memory_ax = figure.subplots(1, 2)
    for task, color in zip(WHAT, ("tab:blue", "tab:orange"), strict=True):
        points = sorted((f for f in found if f["task"] == task), key=lambda f: f["rows"])
        rows = [f["rows"] for f in points]
        time_ax.plot(rows, [f["seconds"] for f in points], "o-", color=color, label=task)
        beyond = [rows[-1], *BEYOND]
        time_ax.plot(beyond, [modelled(found, task, n) for n in beyond], ":", color=color)
        memory_ax.plot(rows, [f["peak_mb"] / 1024 for f in points], "o-", color=color, label=task)
    time_ax.plot([], [], "k:", label="modelled")
    time_ax.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds")
    memory_ax.set(xscale="log", xlabel="rows", ylabel="peak memory, GB", ylim=(0, None))
    time_ax.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, path)


def short(seconds: float) -> str:
    """Write two or three figures of a time."""
    return f"{seconds:.2g}" if seconds < 100 else f"{seconds:,.0f}"


def section(found: list[dict]) -> str:
    """Write seconds and memory as a figure and a Markdown table."""
    lines = [
        "![Seconds and memory of a fit and of a prediction over the rows of the table]"
        "(../figures/cost.svg)",
        "",
        "Default settings, 20 numeric columns, two cores. Dotted, and marked in the table: not "
        "measured, in proportion to the largest size that was.",
        "",
        "| rows | fit, s | peak, MB | predict, s | peak, MB |",
        "|---:|---:|---:|---:|---:|",
    ]
    by_size = {(f["task"], f["rows"]): f for f in found}
    for n_rows in sorted({f["rows"] for f in found}):
        cells = [f"{n_rows:,}"]
        for task in WHAT:
            one = by_size.get((task, n_rows))
            cells += [short(one["seconds"]), f"{one['peak_mb']:.0f}"] if one else ["–", "–"]
        lines.append(f"| {' | '.join(cells)} |")
    for n_rows in BEYOND:
        seconds = [short(modelled(found, task, n_rows)) for task in WHAT]
        lines.append(f"| {n_rows:,} (modelled) | {seconds[0]} | – | {seconds[1]} | – |")
    return "\n".join([*lines, *streamed(), *large()])


def streamed() -> list[str]:
    """Tell what a file larger than the table took, as far as it was measured."""
    if not STREAMED.exists():
        return []
    told = json.loads(STREAMED.read_text())
    return [
        "",
        f"A Parquet file of {told['rows']:,} rows × {told['columns']} columns "
        f"({told['file_mb']:.0f} MB), scored from the disk to the disk "
        f"(`benchmarks/bench_streaming.py`): {told['seconds']:.0f} s, peak memory "
        f"{told['peak_mb']:.0f} MB.",
    ]


def large() -> list[str]:
    """Tell what tables from the disk took, way by way, as far as it was measured."""
    if not LARGE.exists():
        return []
    told = {
        "fit": "`fit_parquet`",
        "parts": "`score_parts`, killed after a third and started again",
        "dask": "`score_dask`, one local worker",
        "ray": "`score_ray`, one local worker",
        "spark": "`score_spark`, one local worker",
    }
    lines = [
        "",
        "From the disk and to the disk, measured (`benchmarks/large.py`); memory is that of all "
        "processes together:",
        "",
        "| way | rows | seconds | peak, MB |",
        "|---|---:|---:|---:|",
    ]
    for way, found in json.loads(LARGE.read_text()).items():
        seconds, peak = short(found["seconds"]), f"{found['peak_mb']:.0f}"
        lines.append(f"| {told[way]} | {found['rows']:,} | {seconds} | {peak} |")
    return lines


def renew(largest: int, commit: str) -> None:
    """Measure again what another state of the code took; write figure and table."""
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    if any(figure.get("commit") != commit for figure in stored):
        RESULTS.unlink()
    show(run(RESULTS, tuple(n for n in SIZES if n <= largest), commit))


def show(found: list[dict]) -> None:
    """Write figure and table."""
    draw(found, DOCS / "figures" / "cost.svg")
    page = DOCS / "guide" / "scaling.md"
    before, rest = page.read_text().split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    page.write_text(f"{before}{MARKS[0]}\n{section(found)}\n{MARKS[1]}{after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=SIZES[-1], help="largest size to measure")
    parser.add_argument("--show", action="store_true", help="measure nothing")
    options = parser.parse_args()
    sizes = () if options.show else tuple(n for n in SIZES if n <= options.rows)
    show(run(RESULTS, sizes))


if __name__ == "__main__":
    main()
