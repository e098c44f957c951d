"""Predict a Parquet file of many rows, and tell the peak of resident memory.

    python benchmarks/bench_streaming.py                        # 5,000,000 rows × 20 columns
    python benchmarks/bench_streaming.py --rows 200000 --folder somewhere

Writes ``results/streaming.json``: seconds, rows per second, and the peak in MB of a process that
does nothing but load the model and score the file.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

RESULTS = Path(__file__).parent / "results" / "streaming.json"
ROWS_A_GROUP = 250_000


def write_rows(path: Path, n_rows: int, n_columns: int) -> None:
    """Write random numbers, two in ten columns words, with holes."""
    rng = np.random.default_rng(0)
    writer = None
    for first in range(0, n_rows, ROWS_A_GROUP):
        size = min(ROWS_A_GROUP, n_rows - first)
        columns = {}
        for index in range(n_columns):
            values = rng.normal(size=size)
            if index % 5 == 4:
                columns[f"x{index}"] = pa.array(np.where(values > 0, "high", "low"))
            else:
                columns[f"x{index}"] = pa.array(values, mask=rng.random(size) < 0.02)
        table = pa.table(columns)
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def fit_model(table: Path, path: Path) -> None:
    """Fit a default model on some thousand rows of the file."""
    from pulps import LPSClassifier

    rows = pq.ParquetFile(table).read_row_group(0).slice(0, 3000).to_pandas()
    total = rows.select_dtypes("number").fillna(0).sum(axis=1).to_numpy()
    y = ((total > 0) & (np.random.default_rng(1).random(len(rows)) < 0.3)).astype(int)
    LPSClassifier(random_state=0).fit(rows, y).save(path)


def predict(model: Path, table: Path, out: Path) -> None:
    """Score the file in this process and print what it took."""
    from pulps import LPSClassifier
    from pulps.scale import score_file

    fitted = LPSClassifier.load(model)
    start = time.perf_counter()
    n_rows = score_file(fitted, table, out).n_rows
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"rows": n_rows, "seconds": seconds, "peak_mb": peak}))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=5_000_000, type=int)
    parser.add_argument("--columns", default=20, type=int)
    parser.add_argument("--folder", default=None, type=Path, help="where the files are written")
    parser.add_argument("--results", default=RESULTS, type=Path)
    parser.add_argument("--predict", nargs=3, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.predict:
        predict(*options.predict)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        table, model, out = (
            Path(folder) / name for name in ("in.parquet", "model", "out.parquet")
        )
        write_rows(table, options.rows, options.columns)
        fit_model(table, model)
        command = [sys.executable, __file__, "--predict", str(model), str(table), str(out)]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = json.loads(printed) | {"columns": options.columns}
        found["file_mb"] = table.stat().st_size / 2**20
    options.results.parent.mkdir(parents=True, exist_ok=True)
    options.results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(
        f"{found['rows']} rows × {found['columns']} columns: {found['seconds']:.0f} s, "
        f"{found['rows'] / found['seconds']:.0f} rows per second, peak {found['peak_mb']:.0f} MB"
    )


if __name__ == "__main__":
    main()
