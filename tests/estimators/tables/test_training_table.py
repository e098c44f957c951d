"""What a fit is given, and what a model is given later: by name, with our own words."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pulps import LPSClassifier, PUClassifier
from pulps.tables.notices import TableWarning


def quick(**parameters):
    return PUClassifier(**({"views": ["kernel"], "random_state": 0} | parameters))


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    truth = rng.random(120) < 0.5
    frame = pd.DataFrame(
        {"size": rng.normal(size=120) + 2 * truth, "word": np.where(truth, "a", "b")}
    )
    frame["word"] = frame["word"].where(rng.random(120) < 0.8, "c")
    return frame, (truth & (rng.random(120) < 0.5)).astype(int)


@pytest.fixture(scope="module")
def model(rows):
    return quick().fit(*rows)


def test_missing_labels_make_the_same_model(rows, model):
    X, y = rows
    for missing in (np.where(y == 1, 1.0, np.nan), pd.array(np.where(y == 1, 1, pd.NA), "Int64")):
        other = quick().fit(X, missing)
        assert other.classes_.tolist() == [0, 1]
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))


def test_columns_are_matched_by_name_and_others_ignored_with_a_line(rows, model):
    X, _ = rows
    expected = model.decision_function(X)
    np.testing.assert_array_equal(model.decision_function(X[["word", "size"]]), expected)
    with pytest.warns(
        TableWarning, match=r"Ignored 2 columns that the fit did not have: id, note"
    ):
        found = model.decision_function(pl.from_pandas(X.assign(id=1, note="x")))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda X: X[["size"]],
            "X lacks 1 of the 2 columns that PUClassifier was fitted on: word.*X has size. Add",
        ),
        (lambda X: pl.from_pandas(X).lazy(), "X is a LazyFrame.*collect"),
        (lambda X: X["size"], r"X is a Series, not a table.*to_frame.*iloc\[\[0\]\]"),
        (lambda X: "rows.csv", "X is 'rows.csv', not a table. Read the file first"),
        (lambda X: X.to_numpy(dtype=object), "array that holds text.*Pass a table"),
        (lambda X: X.iloc[:0], "2 columns to learn from and 0 rows"),
        (lambda X: X.iloc[:, :0], r"0 columns to learn from and [1-9]\d* rows"),
        (lambda X: pd.concat([X, X], axis=1), "more than one column named size, word"),
    ],
)
def test_what_is_no_table_of_the_fit_says_what_to_do(rows, model, make, message):
    with pytest.raises(ValueError, match=message):
        model.predict(make(rows[0]))
    if "lacks" not in message and "array" not in message:  # which a fit takes
        with pytest.raises(ValueError, match=message):
            quick().fit(make(rows[0]), rows[1])


def test_a_column_that_equals_the_label_is_a_loud_warning(rows):
    X, y = rows
    for copy in (y, np.where(y == 1, "sold", "open"), X["size"].where(y == 1)):
        with pytest.warns(TableWarning, match="outcome equals the label"):
            quick().fit(X.assign(outcome=copy, other=X["size"] ** 2), y)


def test_few_labels_are_a_warning(rows):
    X, y = rows
    few = y * (np.cumsum(y) <= 7)
    with pytest.warns(TableWarning, match="Only 7 rows are labeled"):
        quick().fit(X, few)


def test_roles_may_be_given(rows):
    X, y = rows
    model = quick(roles={"word": "out"}).fit(X, y)
    assert [column.name for column in model.encoder_.columns_] == ["size"]
    with pytest.raises(ValueError, match="roles names columns, but X is an array"):
        quick(roles={"word": "out"}).fit(X[["size"]].to_numpy(), y)


def test_a_device_that_is_not_there_is_named(rows):
    with pytest.raises(ValueError, match=r"device='meta9' cannot train here.*device='cpu'"):
        LPSClassifier(device="meta9").fit(*rows)


def test_identifiers_do_not_come_back_in_drawn_rows(rows):
    X, y = rows
    X = X.assign(key=[f"k{i}" for i in range(len(X))])
    network = LPSClassifier(n_members=1, max_epochs=2, bond_dim=2, n_repeats=1, random_state=0)
    with pytest.warns(TableWarning, match="Left out: key"):
        network.fit(X, y)
    drawn = network.sample(1, states=True, random_state=0)
    assert list(drawn.columns) == ["size", "word"]
    holes = X[:5].copy()
    holes.loc[0, "size"] = np.nan
    filled = network.impute(holes, random_state=0)
    assert filled["key"].equals(holes["key"])
    assert filled["size"].notna().all()
