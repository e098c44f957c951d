"""Tables in chunks: the same scores and the same model as in memory."""

import io
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fitters import classifier

from pulps.io.chunks import read_chunks
from pulps.network.likelihood import LikelihoodRecipe
from pulps.scale import EncodedRows, fit_parquet, score_file, score_rows

# A few epochs of a small model decide little; that is no matter here.
pytestmark = pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")


def mixed_table(n_rows=300, seed=0):
    """Numbers, codes, words and holes; whole numbers first, others only in later rows."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_rows) < 0.5
    late = np.arange(n_rows) > n_rows // 2
    table = pd.DataFrame(
        {
            "id": np.arange(n_rows),
            "size": np.where(late, rng.normal(size=n_rows), 0).round(2) + 2 * truth,
            "code": np.where(rng.random(n_rows) < 0.1, None, np.where(truth, "1", "2")),
            "word": np.where(late & truth, "old", np.where(truth, "17", "4")),
            "bought": (truth & (rng.random(n_rows) < 0.5)).astype(int),
        }
    )
    return pd.read_csv(io.StringIO(table.to_csv(index=False)))


@pytest.fixture(scope="module")
def fitted():
    table = mixed_table()
    model = classifier(max_epochs=8, categorical_features=["code", "word"], n_repeats=1)
    return model.fit(table[["size", "code", "word"]], table["bought"])


@pytest.mark.parametrize(
    ("kind", "out"),
    [(".csv", ".csv"), (".csv.gz", ".parquet"), (".tsv", ".csv.gz"), (".parquet", ".parquet")],
)
def test_a_file_is_scored_in_chunks_as_in_one_piece(fitted, kind, out, tmp_path):
    table = mixed_table().drop(columns="bought")
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
    for name in ("id", "size", "positive", "probability", "log_ratio"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-12)
    np.testing.assert_array_equal(found["word"].astype(str), expected["word"])


def test_a_column_has_one_type_in_all_chunks(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a,b,c\n1,1,x\n2,2,\n3.5,x,y\n4,,z\n")
    chunks = list(read_chunks(path, 2))
    assert [chunk.num_rows for chunk in chunks] == [2, 2]
    assert chunks[0].schema.equals(chunks[1].schema)
    assert chunks[0].column("a").to_pylist() == [1.0, 2.0]
    assert chunks[0].column("b").to_pylist() == ["1", "2"]
    assert chunks[1].column("b").to_pylist() == ["x", None]


def test_a_file_that_fails_half_way_leaves_nothing(fitted, tmp_path):
    path = tmp_path / "table.csv"
    lines = ["id,size,code,word", *["1,2,1,17"] * 50, "1,inf,1,17"]
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match="infinity"):
        score_file(fitted, path, tmp_path / "out.csv", rows_at_once=10)
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


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


def test_memory_does_not_grow_with_the_table(fitted, tmp_path):
    """Thirty times the rows, of which each carries 3 kB along: 90 MB in one piece."""
    fitted.save(tmp_path / "model")
    one = mixed_table(1000).assign(note="x" * 3000)
    table = pa.Table.from_pandas(one, preserve_index=False)
    for n_times, name in ((1, "small"), (30, "large")):
        with pq.ParquetWriter(tmp_path / f"{name}.parquet", table.schema) as writer:
            for _ in range(n_times):
                writer.write_table(table)
    names = ["model", "small.parquet", "out.parquet", "large.parquet"]
    run = subprocess.run(
        [sys.executable, "-c", PREDICT, *(str(tmp_path / name) for name in names)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(run.stdout) / 1024 < 25


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three files of one table, with row groups of odd sizes."""
    place = tmp_path_factory.mktemp("parts")
    table = mixed_table(260)
    for part, (first, last) in enumerate([(0, 90), (90, 91), (91, 260)]):
        path = place / f"part-{part}.parquet"
        table.iloc[first:last].to_parquet(path, row_group_size=50, index=False)
    return place, table


@pytest.mark.parametrize("batch_size", [32, None])
def test_a_folder_gives_the_model_of_the_same_rows_in_memory(folder, batch_size):
    place, table = folder
    options = {"max_epochs": 3, "batch_size": batch_size}
    whole = classifier(**options).fit(table.drop(columns="bought"), table["bought"])
    parts = fit_parquet(classifier(**options), place, label="bought", rows_at_once=40)
    for a, b in zip(whole.positive_cores_, parts.positive_cores_, strict=True):
        np.testing.assert_array_equal(a, b)
    assert whole.threshold_report_ == parts.threshold_report_
    rows = table.drop(columns="bought")
    np.testing.assert_array_equal(whole.decision_function(rows), parts.decision_function(rows))
    assert parts.feature_names_in_.tolist() == list(rows.columns)


def test_ranges_may_come_from_a_sample(folder, monkeypatch):
    place, table = folder
    monkeypatch.setattr("pulps.scale.parquet.SAMPLE_ROWS", 100)
    model = fit_parquet(classifier(max_epochs=2), place, label="bought", rows_at_once=40)
    sample = table.drop(columns="bought").iloc[::3]
    reference = classifier(max_epochs=1).fit(sample, table["bought"].iloc[::3])
    np.testing.assert_array_equal(
        model.encoder_.columns_[0].knots, reference.encoder_.columns_[0].knots
    )


def test_encoded_rows_are_read_like_an_array(tmp_path):
    array = np.random.default_rng(0).normal(size=(20, 3))
    (tmp_path / "rows").write_bytes(array.tobytes())
    rows = EncodedRows(tmp_path / "rows", 3)
    assert len(rows) == 20
    for index in (slice(None), slice(4, 9), slice(18, 99), np.array([7, 7, 0, 19])):
        np.testing.assert_array_equal(rows[index], array[index])
    rows.close()


def test_what_cannot_be_trained_on_is_said(folder, tmp_path):
    place, _ = folder
    with pytest.raises(FileNotFoundError, match="There is no file or folder"):
        fit_parquet(classifier(), tmp_path / "nothing", label="bought")
    with pytest.raises(ValueError, match="has no column 'sold'"):
        fit_parquet(classifier(), place, label="sold")
    with pytest.raises(ValueError, match="density trains on all rows"):
        fit_parquet(classifier(density=LikelihoodRecipe()), place, label="bought")
