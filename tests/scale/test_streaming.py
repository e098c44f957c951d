"""A file in chunks: the same scores as in memory, in flat memory."""

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pulps.scale import score_file, score_rows


@pytest.mark.parametrize(
    ("kind", "out"),
    [(".csv", ".csv"), (".csv.gz", ".parquet"), (".tsv", ".csv.gz"), (".parquet", ".parquet")],
)
def test_a_file_is_scored_in_chunks_as_in_one_piece(fitted, table, kind, out, tmp_path):
    table = table.drop(columns="bought")
    path = tmp_path / f"table{kind}"
    if kind == ".parquet":
        table.to_parquet(path)
    else:
        table.to_csv(path, index=False, sep="\t" if kind == ".tsv" else ",")
    scored = tmp_path / f"scored{out}"
    assert score_file(fitted, path, scored, rows_at_once=37).n_rows == len(table)
    found = pd.read_parquet(scored) if out == ".parquet" else pd.read_csv(scored)
    expected = score_rows(fitted, table)
    assert list(found.columns) == list(expected.columns)
    for name in ("id", "size", "positive", "probability", "decision"):
        # Cells of a text file stay text, in Parquet as well.
        np.testing.assert_allclose(found[name].astype(float), expected[name], rtol=1e-12)
    np.testing.assert_array_equal(found["word"].astype(str), expected["word"])


def test_whoever_waits_on_a_terminal_is_told_how_many_rows_are_done(
    fitted, table, tmp_path, monkeypatch
):
    table.drop(columns="bought").to_csv(tmp_path / "table.csv", index=False)
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr("pulps.io.progress.PATIENCE", 0.0)
    score_file(fitted, tmp_path / "table.csv", tmp_path / "out.csv", rows_at_once=50)
    assert "rows done: 50" in terminal.getvalue()
    assert f"rows done: {len(table)}" in terminal.getvalue()


def test_a_file_that_fails_half_way_leaves_nothing(fitted, tmp_path):
    path = tmp_path / "table.csv"
    lines = ["id,size,code,word", *["1,2,1,17"] * 50, "1,many,1,17"]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match="'many'"):
        score_file(fitted, path, tmp_path / "out.csv", rows_at_once=10)
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_a_model_of_an_array_scores_a_file_of_named_columns(array_model, tmp_path):
    X = np.random.default_rng(1).normal(size=(20, 2))
    frame = pd.DataFrame({"id": range(20), "x1": X[:, 1], "x0": X[:, 0]})
    frame.to_csv(tmp_path / "table.csv", index=False)
    scored = score_file(array_model, tmp_path / "table.csv", tmp_path / "out.csv", rows_at_once=7)
    found = pd.read_csv(tmp_path / "out.csv")
    np.testing.assert_allclose(found["decision"], array_model.decision_function(X))
    np.testing.assert_allclose(found["probability"], array_model.predict_proba(X)[:, 1])
    assert scored[:2] == (20, found["positive"].sum())
    assert found["positive"].tolist() == (array_model.predict(X) == 1).astype(int).tolist()


PREDICT = """
import resource, sys
from pulps import LPSClassifier
from pulps.scale import score_file
model = LPSClassifier.load(sys.argv[1])
score_file(model, sys.argv[2], sys.argv[3], rows_at_once=1000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
score_file(model, sys.argv[4], sys.argv[3], rows_at_once=1000)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_does_not_grow_with_the_table(fitted, table, tmp_path):
    """Thirty times the rows, of which each carries 3 kB along: 90 MB in one piece."""
    fitted.save(tmp_path / "model")
    one = pd.concat([table] * 4)[:1000].assign(note="x" * 3000)
    rows = pa.Table.from_pandas(one, preserve_index=False)
    for n_times, name in ((1, "small"), (30, "large")):
        with pq.ParquetWriter(tmp_path / f"{name}.parquet", rows.schema) as writer:
            for _ in range(n_times):
                writer.write_table(rows)
    names = ["model", "small.parquet", "out.parquet", "large.parquet"]
    run = subprocess.run(
        [sys.executable, "-c", PREDICT, *(str(tmp_path / name) for name in names)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(run.stdout) / 1024 < 25
