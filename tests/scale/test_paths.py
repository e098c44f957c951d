"""The same cell means the same on every path, whichever rows come with it."""

import io
import json
import sys
import warnings

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pulps import LPSClassifier, PUClassifier, load_model
from pulps.scale import score_dask, score_file, score_rows
from pulps.studio.api import score
from pulps.tables.notices import UnseenWarning

CELLS = {
    "size": st.sampled_from([0.5, -1.25, 3.0, 1e-9, 0.1]),
    "count": st.integers(-3, 40),
    "flag": st.booleans(),
    "word": st.sampled_from(["red", "blue", "NA", "None", "x,y", 'a "b"']),
    "grade": st.sampled_from(["1", "2", "X"]),
    "code": st.sampled_from(["01", "02", "0A"]),
    "price": st.sampled_from(["1.234,50", "7", "0,25 €", "-3,5"]),
    "day": st.sampled_from(["31.01.2024", "01.02.2024", "15.08.2023"]),
    "seen": st.datetimes(pd.Timestamp(2020, 1, 1), pd.Timestamp(2024, 1, 1)).map(
        lambda moment: moment.replace(microsecond=0)
    ),
}
ROWS = st.lists(
    # A row without any cell is no row of a sheet.
    st.fixed_dictionaries({n: c if n == "count" else st.none() | c for n, c in CELLS.items()}),
    min_size=1,
    max_size=6,
)


def make_frame(rows):
    """A table with the types that pandas gives its columns."""
    return pd.DataFrame(rows, columns=[*CELLS], dtype=object).infer_objects()


def training_rows(n_rows=160):
    rng = np.random.default_rng(0)
    truth = rng.random(n_rows) < 0.5
    moments = pd.Timestamp(2020, 1, 1) + pd.to_timedelta(rng.integers(0, 10**8, n_rows), unit="s")
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows) + truth,
            "count": rng.integers(-3, 40, n_rows),
            "flag": rng.random(n_rows) < 0.3 + 0.4 * truth,
            "word": rng.choice(["red", "blue", "NA", "None", "x,y", 'a "b"'], n_rows),
            "grade": rng.choice(["1", "2", "X"], n_rows),
            "code": np.where(truth, rng.choice(["01", "0A"], n_rows), "02"),
            "price": [f"{v:,.2f}".translate(str.maketrans(",.", ".,")) for v in rng.gamma(2, 900, n_rows)],  # noqa: E501
            "day": [f"{day:02}.{month:02}.2024" for day, month in rng.integers(1, 13, (n_rows, 2))],  # noqa: E501
            "seen": moments,
        }
    )  # fmt: skip
    return frame, (truth & (rng.random(n_rows) < 0.5)).astype(int)


@pytest.fixture(scope="module", params=["consensus", "lps"])
def model(request, tmp_path_factory):
    """A model of all kinds of columns, as it comes back from its file."""
    quick = {
        "consensus": PUClassifier(views=["kernel"], random_state=0),
        "lps": LPSClassifier(n_members=1, max_epochs=2, n_repeats=1, bond_dim=2, random_state=0),
    }[request.param]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quick.fit(*training_rows())
    path = tmp_path_factory.mktemp("paths") / "model"
    quick.save(path)
    return load_model(path)


def through_file(model, frame, folder, ending, **options):
    path, out = folder / f"rows{ending}", folder / "out.parquet"
    if ending == ".parquet":
        frame.to_parquet(path)
    elif ending == ".xlsx":
        frame.to_excel(path, index=False)
    elif ending == ".jsonl":
        lines = [json.dumps(row) for row in json_rows(frame)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        frame.to_csv(path, index=False, sep={".tsv": "\t"}.get(ending, ","))
    score_file(model, path, out, **options)
    return pd.read_parquet(out)["decision"]


def through_pipe(model, frame, folder):
    content = io.TextIOWrapper(io.BytesIO(frame.to_csv(index=False).encode()))
    before, sys.stdin = sys.stdin, content
    try:
        score_file(model, "-", folder / "out.parquet")
    finally:
        sys.stdin = before
    return pd.read_parquet(folder / "out.parquet")["decision"]


def json_rows(frame):
    return [
        {
            name: None if pd.isna(cell) else str(cell) if name == "seen" else cell
            for name, cell in row.items()
        }
        for row in frame.astype(object).to_dict("records")
    ]


def as_text(frame):
    return pd.read_csv(
        io.StringIO(frame.to_csv(index=False)), dtype=str, keep_default_na=False
    ).replace("", None)


PATHS = {
    "polars": lambda m, f, _: m.decision_function(pl.from_pandas(f)),
    "arrow": lambda m, f, _: m.decision_function(pa.Table.from_pandas(f)),
    "objects": lambda m, f, _: m.decision_function(f.astype(object)),
    "text": lambda m, f, _: m.decision_function(as_text(f)),
    "other order": lambda m, f, _: m.decision_function(f[[*f.columns[::-1]]]),
    "row by row": lambda m, f, _: np.concatenate(
        [m.decision_function(f.iloc[[row]]) for row in range(len(f))]
    ),
    "score_rows": lambda m, f, _: score_rows(m, f)["decision"],
    "dask": lambda m, f, _: score_dask(m, dd.from_pandas(f, npartitions=1)).compute(
        scheduler="sync"
    )["decision"],
    "api": lambda m, f, _: [row["decision"] for row in score(m, json_rows(f))],
    "csv": lambda m, f, folder: through_file(m, f, folder, ".csv"),
    "chunks": lambda m, f, folder: through_file(m, f, folder, ".csv", rows_at_once=1),
    "tsv": lambda m, f, folder: through_file(m, f, folder, ".tsv"),
    "json lines": lambda m, f, folder: through_file(m, f, folder, ".jsonl"),
    "xlsx": lambda m, f, folder: through_file(m, f, folder, ".xlsx"),
    "parquet": lambda m, f, folder: through_file(m, f, folder, ".parquet"),
    "pipe": through_pipe,
}


@given(ROWS)
@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_all_paths_are_equal(model, tmp_path, rows):
    frame = make_frame(rows)
    expected = model.decision_function(frame)
    for name, path in PATHS.items():
        np.testing.assert_allclose(
            path(model, frame, tmp_path), expected, rtol=1e-9, atol=1e-12, err_msg=name
        )


def test_every_kind_of_column_is_what_it_seems(model):
    kinds = [(column.name, type(column).__name__) for column in model.encoder_.columns_]
    assert ("flag", "CategoricalColumn") in kinds
    assert ("price", "NumericColumn") in kinds
    assert ("seen (hour)", "NumericColumn") in kinds
    assert ("day (month)", "NumericColumn") in kinds
    assert model.encoder_.left_out_ == []


def test_what_pandas_makes_of_a_file_is_what_the_file_says(model):
    """Without 0A and X, but with holes, pandas reads codes and grades as floats."""
    frame, _ = training_rows()
    frame = frame[(frame["grade"] != "X") & (frame["code"] != "0A")].astype(object)
    frame.loc[frame.index[0], ["grade", "code", "flag"]] = None
    read = pd.read_csv(io.StringIO(frame.to_csv(index=False)), keep_default_na=False, na_values="")
    assert read["grade"].dtype == float
    np.testing.assert_allclose(model.decision_function(read), model.decision_function(frame))


def test_what_the_fit_never_saw_is_told_once_with_names_and_counts(model, tmp_path):
    frame, _ = training_rows()
    frame.loc[frame.index[:3], "grade"] = ["Y", "Y", "Z"]
    frame["word"] = "green"
    with pytest.warns(UnseenWarning, match=r"word: all 160 cells.*grade: 3 cells: 'Y' \(2\), 'Z'"):
        model.decision_function(frame)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    with pytest.warns(UnseenWarning, match="word: all 160 cells") as told:
        score_file(model, tmp_path / "rows.csv", tmp_path / "out.csv", rows_at_once=50)
    assert len(told) == 1
    (first,) = score(model, json_rows(frame.iloc[[0]]))
    assert first["unseen"] == ["word", "grade"]


def test_other_columns_are_copied_as_they_stand(model, tmp_path):
    frame, _ = training_rows(4)
    odd = {
        "zip": ["01000", "1", "", "007"],
        "share": ["0.90", "1", "1.0", "NA"],
        "long": ["12345678901234567", "0", "None", "n/a"],
    }
    frame.assign(**odd).to_csv(tmp_path / "rows.csv", index=False)
    score_file(model, tmp_path / "rows.csv", tmp_path / "out.csv")
    out = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    for name, cells in odd.items():
        assert out[name].tolist() == cells


def test_semicolons_and_decimal_commas_come_out_as_they_came_in(model, tmp_path):
    frame, _ = training_rows(20)
    german = frame.assign(size=frame["size"].map(lambda v: str(v).replace(".", ",")))
    german.to_csv(tmp_path / "rows.csv", sep=";", index=False, encoding="cp1252")
    scored = score_file(model, tmp_path / "rows.csv", tmp_path / "out.csv")
    assert scored.told == "rows.csv: 20 rows, 9 columns, separator ;, decimal ,"
    out = pd.read_csv(tmp_path / "out.csv", sep=";", decimal=",")
    np.testing.assert_allclose(out["decision"], model.decision_function(frame))
    assert out["size"].tolist() == pytest.approx(frame["size"].tolist())
