"""Whatever people call a table is taken, or refused in one line that names the call to make."""

import shutil
from decimal import Decimal

import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from fitters import classifier

from pulps import PUClassifier
from pulps.network.likelihood import LikelihoodRecipe

pytestmark = pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")
RNG = np.random.default_rng(0)
TRUTH = RNG.random(60) < 0.5
TABLE = pd.DataFrame(
    {
        "x0": (RNG.normal(size=60) + 3 * TRUTH).round(2),
        "x1": np.where(RNG.random(60) < 0.2 + 0.6 * TRUTH, "red", "blue"),
        "x2": RNG.integers(0, 9, 60),
    }
)
Y = (TRUTH & (RNG.random(60) < 0.6)).astype(int)
NUMBERS = TABLE[["x0", "x2"]].to_numpy()


def consensus():
    return PUClassifier(views=["kernel"], random_state=0)


def decision(X):
    return consensus().fit(X, Y).decision_function(X)


WORDS = {
    "objects": TABLE.to_numpy(dtype=object),
    "a list of lists": TABLE.to_numpy(dtype=object).tolist(),
    "text": TABLE.astype(str).to_numpy(dtype=str),
    "StringDType": TABLE.astype(str).to_numpy(dtype=str).astype(np.dtypes.StringDType()),
}


@pytest.mark.parametrize("kind", WORDS)
def test_arrays_of_words_are_read_as_the_table_they_hold(kind):
    as_text = TABLE.astype(str) if kind in ("text", "StringDType") else TABLE
    np.testing.assert_array_equal(decision(WORDS[kind]), decision(as_text))


def test_a_model_of_an_array_of_words_knows_no_names_and_wants_as_many_columns():
    model = consensus().fit(WORDS["objects"], Y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 3
    with pytest.raises(ValueError, match="X has 2 features, but PUClassifier is expecting 3"):
        model.predict(WORDS["objects"][:, :2])


def test_masked_cells_are_missing():
    masked = np.ma.masked_array(NUMBERS, mask=NUMBERS > 3)
    np.testing.assert_array_equal(
        decision(masked), decision(np.where(NUMBERS > 3, np.nan, NUMBERS))
    )


def arrow_table():
    """Decimals and words in a dictionary, a cell of each missing."""
    prices = [None if row == 3 else Decimal(str(cell)) for row, cell in enumerate(TABLE["x0"])]
    words = [None if row == 4 else word for row, word in enumerate(TABLE["x1"])]
    return pa.table(
        {
            "x0": pa.array(prices, pa.decimal128(7, 2)),
            "x1": pa.array(words).dictionary_encode(),
            "x2": pa.array(TABLE["x2"]),
        }
    )


def polars_table():
    return pl.from_arrow(arrow_table()).with_columns(pl.col("x0").cast(pl.Decimal(7, 2)))


def pandas_table():
    return arrow_table().to_pandas(types_mapper=pd.ArrowDtype)


def types_of(table):
    if isinstance(table, pa.Table):
        return [column.type for column in table.columns[::2]]
    return (
        [table.dtypes[0], table.dtypes[2]]
        if isinstance(table, pl.DataFrame)
        else [*table.dtypes][::2]
    )


@pytest.mark.parametrize("make", [arrow_table, polars_table, pandas_table])
def test_decimals_and_dictionaries_go_through_sample_impute_and_report(make):
    table = make()
    recipe = LikelihoodRecipe(max_epochs=2)
    model = classifier(max_epochs=3, n_repeats=1, density=recipe).fit(table, Y)
    drawn = model.sample(4, random_state=0)
    assert types_of(drawn) == types_of(table)
    given = model.sample(2, given={"x0": 1.25}, random_state=0)
    assert [str(cell) for cell in list(given["x0"])] == ["1.25", "1.25"]
    filled = model.impute(table, random_state=0)
    assert types_of(filled) == types_of(table)
    whole = filled.to_pandas() if not isinstance(filled, pd.DataFrame) else filled
    assert not whole.isna().any().any()
    assert Decimal(str(whole["x0"].iloc[0])) == Decimal(str(TABLE["x0"][0]))
    assert "x1" in model.report(table, Y, n_rows=3).html()


@pytest.mark.parametrize("values", [["b", "a"], [20, 10], [2.5, 1.5]])
def test_arrow_dictionaries_keep_the_type_of_their_categories(values):
    cells = pa.array([None if row == 4 else values[row % 2] for row in range(len(Y))])
    table = pa.table({"x1": cells.dictionary_encode(), "x2": pa.array(TABLE["x2"])})
    recipe = LikelihoodRecipe(max_epochs=2)
    model = classifier(max_epochs=3, n_repeats=1, density=recipe).fit(table, Y)
    for written in (model.sample(4, random_state=0), model.impute(table, random_state=0)):
        assert written.schema == table.schema
        assert set(written["x1"].to_pylist()) <= set(values)


def test_a_record_batch_is_a_table():
    (batch,) = arrow_table().to_batches()
    np.testing.assert_array_equal(decision(batch), decision(arrow_table()))


REFUSED = {
    "a polars query": (lambda: pl.from_pandas(TABLE).lazy(), r"Pass X\.collect\(\)"),
    "a reader": (lambda: arrow_table().to_reader(), r"Pass X\.read_all\(\)"),
    "Dask": (lambda: dd.from_pandas(TABLE, npartitions=2), r"Pass X\.compute\(\)"),
    "a series": (lambda: TABLE["x0"], r"series\.to_frame\(\)"),
    "a dict": (lambda: TABLE.to_dict("list"), r"Pass pandas\.DataFrame\(X\)"),
    "records": (lambda: TABLE.to_dict("records"), r"Pass pandas\.DataFrame\(X\)"),
    "a structured array": (lambda: TABLE.to_records(), r"Pass pandas\.DataFrame\(X\)"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_table_in_memory_is_refused_with_the_call_to_make(kind):
    make, message = REFUSED[kind]
    with pytest.raises(ValueError, match=message):
        consensus().fit(make(), Y)


def test_a_relation_of_duckdb_is_refused_with_the_call_to_make():
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().from_df(TABLE)
    with pytest.raises(ValueError, match=r"Pass X\.df\(\)"):
        consensus().fit(relation, Y)
    np.testing.assert_array_equal(decision(relation.df()), decision(TABLE))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of Spark
def test_a_frame_of_spark_is_refused_with_the_call_to_make():
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    session = sql.SparkSession.builder.master("local[1]").getOrCreate()
    try:
        frame = session.createDataFrame(TABLE)
        with pytest.raises(ValueError, match=r"Pass X\.toPandas\(\)"):
            consensus().fit(frame, Y)
        np.testing.assert_array_equal(decision(frame.toPandas()), decision(TABLE))
    finally:
        session.stop()


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array, sp.coo_array, sp.dok_array])
def test_sparse_rows_are_refused_with_the_way_out(make):
    with pytest.raises(TypeError, match=r"Use '\.toarray\(\)'"):
        consensus().fit(make(NUMBERS), Y)


def test_sparse_columns_of_pandas_are_columns():
    sparse = TABLE[["x0", "x2"]].astype(pd.SparseDtype("float"))
    np.testing.assert_array_equal(decision(sparse), decision(TABLE[["x0", "x2"]].astype(float)))
