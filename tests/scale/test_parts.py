"""Parts of a scored table: the same scores, and what was stopped goes on."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scored_models import mixed_table, small_network

from pulps import PUClassifier
from pulps.scale import parts, score_parts
from pulps.score import load


@pytest.fixture(scope="module")
def fitted():
    frame, labels = mixed_table()
    return PUClassifier(views=["boosting"], random_state=0).fit(frame, labels), frame


@pytest.fixture
def table(fitted, tmp_path):
    path = tmp_path / "rows.parquet"
    rows = pa.Table.from_pandas(fitted[1].assign(key=range(120)), preserve_index=False)
    pq.write_table(rows, path, row_group_size=33)
    return path


@pytest.mark.parametrize("rows_a_part", [19, 50, 1000])
def test_parts_hold_every_row_once_in_its_order(fitted, table, tmp_path, monkeypatch, rows_a_part):
    monkeypatch.setattr(parts, "ROWS_AT_ONCE", 16)
    model, frame = fitted
    told = score_parts(model, table, tmp_path / "out", rows_a_part=rows_a_part)
    found = pd.read_parquet(tmp_path / "out")
    assert found["key"].tolist() == list(range(120))
    np.testing.assert_allclose(found["decision"], model.decision_function(frame), atol=1e-12)
    assert told == (120, 120, int(found["positive"].sum()))


def test_what_was_stopped_goes_on_and_no_row_is_scored_twice(fitted, table, tmp_path, monkeypatch):
    model, _ = fitted
    scored, whole = [], parts.score_columns

    def stopped(model, rows):
        if len(scored) == 5:
            raise KeyboardInterrupt
        scored.append(len(rows))
        return whole(model, rows)

    monkeypatch.setattr(parts, "score_columns", stopped)
    with pytest.raises(KeyboardInterrupt):
        score_parts(model, table, tmp_path / "out", rows_a_part=20)
    kept = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "out").glob("*.parquet")}
    n_kept = sum(pq.read_metadata(tmp_path / "out" / name).num_rows for name in kept)
    monkeypatch.setattr(parts, "score_columns", whole)
    told = score_parts(model, table, tmp_path / "out", rows_a_part=20)
    assert told.n_rows == 120
    assert told.n_new == 120 - n_kept
    assert 0 < n_kept < 120
    after = {name: (tmp_path / "out" / name).stat().st_mtime_ns for name in kept}
    assert after == kept
    assert pd.read_parquet(tmp_path / "out")["key"].tolist() == list(range(120))


def test_a_folder_is_one_table_and_a_light_model_scores_it(fitted, table, tmp_path):
    model, frame = fitted
    folder = tmp_path / "in"
    folder.mkdir()
    rows = pq.read_table(table)
    for number in range(3):
        pq.write_table(rows.slice(40 * number, 40), folder / f"{number}.parquet")
    model.save(tmp_path / "model.pulps")
    score_parts(load(tmp_path / "model.pulps"), folder, tmp_path / "out", rows_a_part=25)
    found = pd.read_parquet(tmp_path / "out")
    assert found["key"].tolist() == list(range(120))
    np.testing.assert_allclose(found["decision"], model.decision_function(frame), atol=1e-6)


def test_parts_of_something_else_are_refused(fitted, table, tmp_path):
    model, frame = fitted
    score_parts(model, table, tmp_path / "out")
    _, labels = mixed_table()
    other = PUClassifier(views=["boosting"], random_state=1).fit(frame, labels)
    with pytest.raises(ValueError, match="holds scores of another model"):
        score_parts(other, table, tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match=r"'letter.txt', which is no part"):
        score_parts(model, table, tmp_path / "mine")
    with pytest.raises(FileNotFoundError, match="no Parquet file"):
        score_parts(model, tmp_path / "none.parquet", tmp_path / "new")


@pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")
def test_models_of_arrays_find_their_columns_by_number(tmp_path):
    frame, labels = mixed_table()
    arrays = frame[["size", "count"]].to_numpy(float)
    model = small_network().fit(arrays, labels)
    model.save(tmp_path / "model.pulps")
    named = pd.DataFrame(arrays, columns=["x0", "x1"])
    named.to_parquet(tmp_path / "rows.parquet")
    for number, one in enumerate((model, load(tmp_path / "model.pulps"))):
        score_parts(one, tmp_path / "rows.parquet", tmp_path / f"out{number}")
        found = pd.read_parquet(tmp_path / f"out{number}")
        np.testing.assert_allclose(found["decision"], model.decision_function(arrays), atol=1e-6)


def test_a_part_that_lost_rows_on_the_way_is_not_kept(fitted, table, tmp_path, monkeypatch):
    write = pq.ParquetWriter.write_table
    monkeypatch.setattr(
        pq.ParquetWriter, "write_table", lambda self, rows: write(self, rows.slice(1))
    )
    with pytest.raises(OSError, match="Fewer rows than the 120 that were written"):
        score_parts(fitted[0], table, tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == [parts.PLAN]
