"""Score Parquet files into a folder of parts: what was stopped goes on, and no row is there twice.

Each part is a file of its own, written whole or not at all. Whoever starts again with the same
model, table and folder keeps the parts that are there. ``_plan.json`` in the folder tells which
model and table they belong to.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from pulps.estimators.files.persistence import packed
from pulps.io.naming import quoted
from pulps.io.optional import needs
from pulps.io.outputs import replacing, write_whole
from pulps.io.progress import progress
from pulps.io.read_back import check_written
from pulps.scale.scoring import check_scorable, score_columns, score_names, table_rows

with needs("files", "Tables larger than memory"):
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

ROWS_AT_ONCE = 2**16
ROWS_A_PART = 2**18
PLAN = "_plan.json"  # readers of datasets pass over names that begin so


class Part(NamedTuple):
    """Some rows of a file, and the file that their scores go to."""

    source: Path
    first: int
    stop: int
    name: str


class ScoredParts(NamedTuple):
    """Rows of all parts, those scored this time, and those called positive."""

    n_rows: int
    n_new: int
    n_positive: int


def score_parts(
    model: Any,
    table: str | Path,
    out: str | Path,
    *,
    rows_a_part: int = ROWS_A_PART,
    verbose: bool | int | str = "auto",
) -> ScoredParts:
    """Write the rows of Parquet files with their class, probability and decision, in parts.

    If it is stopped, call it again: parts that are there are kept, and their rows are neither read
    nor scored again. Memory grows with neither rows nor parts.

    Parameters
    ----------
    model : PUClassifier, LPSClassifier or Scorer
        A fitted model, or one from :func:`pulps.score.load`.
    table : path
        A Parquet file, or a folder of them, with the columns of the fit; others are kept.
    out : path
        Folder for the parts; it is made. Any reader of Parquet datasets takes it as one table.
    rows_a_part : int
        Rows in a part, at most.
    verbose : bool, int or "auto", default="auto"
        Whether to show how far it is, at which rate, and how long it will take.

    Returns
    -------
    ScoredParts
    """
    table, out = Path(table), Path(out)
    parts = list(_parts(table, rows_a_part))
    out.mkdir(parents=True, exist_ok=True)
    _check_plan(out / PLAN, model, parts)
    left = [part for part in parts if not (out / part.name).exists()]
    n_new = sum(part.stop - part.first for part in left)
    done = n_positive = 0
    with progress("row", max(n_new, 1), verbose, rate=True) as tell:
        for part in left:
            n_rows = part.stop - part.first
            check = partial(check_written, kind="parquet", compression="", n_rows=n_rows)
            with replacing(out / part.name, check) as temporary:
                writer = None
                for chunk in _chunks(part):
                    scored = _scored(model, chunk, part.source.name)
                    writer = writer or pq.ParquetWriter(temporary, scored.schema)
                    writer.write_table(scored)
                    done += len(scored)
                    tell(done)
                if writer is not None:
                    writer.close()
    for part in parts if "positive" in score_names(model) else ():
        called = pq.read_table(out / part.name, columns=["positive"])["positive"]
        n_positive += pc.sum(called).as_py()
    return ScoredParts(sum(part.stop - part.first for part in parts), n_new, n_positive)


def _parts(table: Path, rows_a_part: int) -> Iterator[Part]:
    files = sorted(table.glob("*.parquet")) if table.is_dir() else [table]
    if not files or not files[0].is_file():
        raise FileNotFoundError(
            f"There is no Parquet file {table if not table.is_dir() else f'in {table}'}."
        )
    for file in files:
        n_rows = pq.read_metadata(file).num_rows
        for number, first in enumerate(range(0, n_rows, rows_a_part)):
            name = f"{file.stem}-{number:06d}.parquet"
            yield Part(file, first, min(first + rows_a_part, n_rows), name)


def _chunks(part: Part) -> Iterator[pa.Table]:
    """Read the rows of a part, and of the file no row group that has none of them."""
    with pq.ParquetFile(part.source) as file:
        start, groups, skipped = 0, [], None
        for group in range(file.num_row_groups):
            stop = start + file.metadata.row_group(group).num_rows
            if stop > part.first and start < part.stop:
                skipped = part.first - start if skipped is None else skipped
                groups.append(group)
            start = stop
        skip, left = max(skipped or 0, 0), part.stop - part.first
        for batch in file.iter_batches(ROWS_AT_ONCE, row_groups=groups):
            rows = batch.slice(skip, left)
            skip = max(skip - batch.num_rows, 0)
            left -= rows.num_rows
            if rows.num_rows:
                yield pa.Table.from_batches([rows])
            if not left:
                return


def _scored(model: Any, chunk: pa.Table, name: str) -> pa.Table:
    check_scorable(model, chunk.column_names, name)
    frame = chunk.to_pandas(ignore_metadata=True)
    for column, values in score_columns(model, table_rows(model, frame, name)).items():
        chunk = chunk.append_column(column, pa.array(values))
    return chunk


def _check_plan(path: Path, model: Any, parts: list[Part]) -> None:
    """Refuse a folder whose parts are of another model, table or size."""
    rows = [[part.source.name, part.source.stat().st_size, part.first] for part in parts]
    plan = {"model": _digest(model), "parts": rows}
    if path.exists():
        if json.loads(path.read_text(encoding="utf-8")) != plan:
            raise ValueError(
                f"{path.parent} holds scores of another model, of another table, or in parts of "
                "another size. Name another folder, or delete this one."
            )
        return
    strangers = [one.name for one in path.parent.iterdir()]
    if strangers:
        raise ValueError(
            f"{path.parent} holds {quoted(strangers[0])}, which is no part of a scored table. "
            "Name a new or an empty folder."
        )
    write_whole(path, json.dumps(plan).encode())


def _digest(model: Any) -> str:
    known = model.digest if hasattr(model, "digest") else hashlib.sha256(packed(model)).hexdigest()
    return str(known)
