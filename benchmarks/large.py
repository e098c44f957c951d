"""Large tables, measured: a fit from Parquet, and predictions from the disk to the disk.

    python benchmarks/large.py                          # all ways; goes on where it was stopped
    python benchmarks/large.py --ways fit parts         # some of them
    python benchmarks/large.py --rows 200000 --fit-rows 20000 --results somewhere.json

Rows are drawn once per folder. ``fit`` trains on a folder of Parquet files; ``parts`` scores with
``score_parts``, is killed after a third of the rows and started again; ``dask``, ``ray`` and
``spark`` score the same file on a local cluster of one worker. Every way runs in processes of its
own. Memory is the largest sum over the processes of a way that were there at one time (sampled
every half second), so that workers count. Writes ``results/large.json`` after every way, and the
table of ``docs/guide/scaling.md`` at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

RESULTS = Path(__file__).parent / "results" / "large.json"
PAGE = Path(__file__).parents[1] / "docs" / "guide" / "scaling.md"
BEGIN, END = "<!-- written by benchmarks/large.py -->\n", "<!-- end of large.py -->\n"
TITLES = {
    "fit": "`fit_parquet`, from a folder of Parquet files",
    "parts": "`score_parts`, killed after a third and started again",
    "dask": "`score_dask`, a local cluster with one worker",
    "ray": "`score_ray`, a local cluster with one processor",
    "spark": "`score_spark`, local, one thread",
}
WAYS = ("fit", "parts", "dask", "ray", "spark")
N_COLUMNS = 20
ROWS_A_GROUP = 250_000
NAMES = [f"x{index}" for index in range(N_COLUMNS)]


def write_rows(path: Path, n_rows: int, seed: int, *, labeled: bool) -> None:
    """Draw two overlapping groups of rows, of which 30 % of the first are labeled."""
    rng = np.random.default_rng(seed)
    writer = None
    for first in range(0, n_rows, ROWS_A_GROUP):
        size = min(ROWS_A_GROUP, n_rows - first)
        truth = rng.random(size) < 0.5
        columns = {name: rng.standard_normal(size) + truth for name in NAMES}
        if labeled:
            columns["label"] = (truth & (rng.random(size) < 0.3)).astype(np.int8)
        else:
            columns["key"] = np.arange(first, first + size)
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def make_tables(folder: Path, n_rows: int, n_fit: int) -> None:
    """Write the rows, unless they are there."""
    (folder / "train").mkdir(parents=True, exist_ok=True)
    for path, size, labeled in (
        (folder / "train" / "rows.parquet", n_fit, True),
        (folder / "rows.parquet", n_rows, False),
    ):
        if not path.exists() or pq.read_metadata(path).num_rows != size:
            write_rows(path.with_suffix(".new"), size, int(labeled), labeled=labeled)
            path.with_suffix(".new").rename(path)


# The ways; each runs in a process of its own.


def fit(folder: Path) -> dict:
    from pulps import LPSClassifier
    from pulps.scale import fit_parquet

    model = fit_parquet(LPSClassifier(random_state=0, verbose=1), folder / "train", label="label")
    model.save(folder / "model.pulps")
    return {"members": len(model.members_), "epochs": model.n_iter_}


def parts(folder: Path) -> dict:
    from pulps import load_model
    from pulps.scale import score_parts

    model = load_model(folder / "model.pulps")
    scored = score_parts(model, folder / "rows.parquet", folder / "parts", verbose=1)
    return scored._asdict()


def dask(folder: Path) -> dict:
    from dask.dataframe import read_parquet
    from distributed import Client, LocalCluster

    from pulps import load_model
    from pulps.scale import score_dask

    model = load_model(folder / "model.pulps")
    with LocalCluster(n_workers=1, threads_per_worker=1) as cluster, Client(cluster):
        frame = read_parquet(folder / "rows.parquet", split_row_groups=1)
        score_dask(model, frame).to_parquet(folder / "dask")
    return {}


def ray(folder: Path) -> dict:
    import ray as cluster

    from pulps import load_model
    from pulps.scale import score_ray

    cluster.init(num_cpus=1, include_dashboard=False, object_store_memory=400 * 2**20)
    model = load_model(folder / "model.pulps")
    rows = cluster.data.read_parquet(str(folder / "rows.parquet"))
    score_ray(model, rows).write_parquet(str(folder / "ray"))
    cluster.shutdown()
    return {}


def spark(folder: Path) -> dict:
    from pyspark.sql import SparkSession

    from pulps.scale import score_spark
    from pulps.score import load

    os.environ["PYSPARK_PYTHON"] = sys.executable  # of the workers
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    rows = session.read.parquet(str(folder / "rows.parquet"))
    score_spark(load(folder / "model.pulps"), rows).write.parquet(str(folder / "spark"))
    session.stop()
    return {}


FUNCTIONS: dict[str, Callable[[Path], dict]] = {
    "fit": fit,
    "parts": parts,
    "dask": dask,
    "ray": ray,
    "spark": spark,
}


# Around them.


def tree_mb(pid: int) -> float:
    """Resident memory of a process and all that came from it, shared pages counted once each."""
    import psutil

    try:
        root = psutil.Process(pid)
        family = [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return 0.0
    total = 0
    for one in family:
        try:
            total += one.memory_full_info().pss
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return total / 2**20


def watched(way: str, folder: Path, until: Callable[[], bool] = lambda: False) -> dict:
    """Run a way in a process; kill it with all its children once ``until`` says so."""
    command = [sys.executable, __file__, "--folder", str(folder), "--only", way]
    start, peak = time.perf_counter(), 0.0
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    while process.poll() is None:
        peak = max(peak, tree_mb(process.pid))
        if until():
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.5)
    printed = process.stdout.read() if process.stdout else ""
    figures = {"seconds": time.perf_counter() - start, "peak_mb": peak}
    if process.returncode == 0:
        return figures | json.loads(printed.strip().splitlines()[-1])
    if process.returncode != -signal.SIGKILL:
        raise RuntimeError(f"{way} ended with code {process.returncode}.")
    return figures | {"killed": True}


def measure(way: str, folder: Path, n_rows: int, n_fit: int) -> dict:
    """Run one way and check what it wrote."""
    out = folder / way
    if way == "fit":
        return {"rows": n_fit} | watched(way, folder)
    if way != "parts" and out.exists():
        shutil.rmtree(out)
    if way == "parts":
        from pulps.scale.parts import ROWS_A_PART

        enough = max(1, n_rows // ROWS_A_PART // 3)
        first = watched(way, folder, lambda: len(list(out.glob("*.parquet"))) >= enough)
        found = first if "n_rows" in first else watched(way, folder)
        found["peak_mb"] = max(first["peak_mb"], found["peak_mb"])
        if first.get("killed"):
            found["seconds"] += first["seconds"]
            found["rows_kept_after_kill"] = n_rows - found["n_new"]
    else:
        found = watched(way, folder)
    keys = pq.read_table(out, columns=["key"])["key"].to_numpy()
    if len(keys) != n_rows or len(np.unique(keys)) != n_rows:
        raise RuntimeError(
            f"{way} wrote {len(keys)} rows, {len(np.unique(keys))} of them different."
        )
    return {"rows": n_rows} | found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000_000, help="rows to predict")
    parser.add_argument("--fit-rows", type=int, default=2_000_000, help="rows to fit")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--folder", type=Path, default=Path("build") / "large")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--only", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.only:
        print(json.dumps(FUNCTIONS[options.only](options.folder)))
        return
    make_tables(options.folder, options.rows, options.fit_rows)
    found = json.loads(options.results.read_text()) if options.results.exists() else {}
    for way in options.ways:
        if way in found:
            continue
        found[way] = measure(way, options.folder, options.rows, options.fit_rows)
        found[way] |= {"columns": N_COLUMNS, "load": os.getloadavg()[1]}
        options.results.parent.mkdir(parents=True, exist_ok=True)
        options.results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        print(way, found[way], flush=True)
    if options.results == RESULTS:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(before + BEGIN + table(found) + END + rest.partition(END)[2], "utf-8")


def table(found: dict) -> str:
    """Write the figures for the page."""
    lines = ["| | rows | seconds | rows per second | peak, MB |", "|---|---:|---:|---:|---:|"]
    for way in filter(found.__contains__, WAYS):
        one = found[way]
        lines.append(
            f"| {TITLES[way]} | {one['rows']:,} | {one['seconds']:.0f} | "
            f"{one['rows'] / one['seconds']:,.0f} | {one['peak_mb']:.0f} |"
        )
    kept = found.get("parts", {}).get("rows_kept_after_kill")
    if kept:
        lines.append(
            f"\nOf the rows scored before the kill {kept:,} were kept and not scored again."
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
