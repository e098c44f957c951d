"""The report says what the model says."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from reported import GENERATIVE, QUICK, make_table

from pulps import LPSClassifier, PUClassifier
from pulps.report.candidates import as_table
from pulps.tables.notices import TableWarning

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


def test_the_data_is_plain_json(report):
    assert json.loads(json.dumps(report.data, allow_nan=False)) == report.data


def test_listed_are_the_unlabeled_rows_with_the_highest_decision(fitted, report):
    model, table, y, _ = fitted
    decision = model.decision_function(table)
    rows = [item["row"] - 1 for item in report.data["candidates"]["rows"]]
    hidden = np.flatnonzero(y == 0)
    assert rows == hidden[np.argsort(-decision[hidden], kind="stable")][:30].tolist()
    for item in report.data["candidates"]["rows"]:
        row = item["row"] - 1
        assert item["decision"] == pytest.approx(decision[row])
        assert item["probability"] == pytest.approx(model.predict_proba(table)[row, 1])
        assert item["cells"][2:] == [table["color"][row], "x"]


def test_an_effect_is_the_decision_less_the_decision_with_the_cell_missing(fitted, report):
    model, table, _, _ = fitted
    decision = model.decision_function(table)
    found = as_table(report.data["candidates"])
    rows = found["row"] - 1
    sizes = {}
    for name in ("size", "noise", "color"):
        change = decision - model.decision_function(table.assign(**{name: None}))
        np.testing.assert_allclose(found[f"effect of {name}"], change[rows], atol=1e-12)
        sizes[name] = np.abs(change).mean()
    told = {i["name"]: i["size"] for i in report.data["importance"]["attributes"]}
    assert told == pytest.approx(sizes)
    assert list(told) == sorted(sizes, key=sizes.get, reverse=True)


def test_votes_are_the_share_of_members_that_call_a_row_positive():
    """Members trained for a moment dispute many rows, so that every share occurs."""
    table, _, y = make_table()
    model = LPSClassifier.from_parameters(**QUICK | {"n_members": 4, "max_epochs": 3}).fit(
        table, y
    )
    listed = model.report(table, y, n_rows=len(table)).data["candidates"]["rows"]
    assert len(listed) == (y == 0).sum()
    rows = [item["row"] - 1 for item in listed]
    expected = (model.member_decisions(table) > 0).mean(axis=0)[rows]
    assert [item["votes"] for item in listed] == expected.tolist()
    assert {0.0, 0.5, 1.0} <= set(expected)


def test_every_row_is_counted_once_in_the_histogram_and_on_its_side(fitted, report):
    model, table, y, _ = fitted
    scores = report.data["scores"]
    assert sum(scores["labeled"]) == y.sum()
    assert sum(scores["unlabeled"]) == (y == 0).sum()
    edges = np.array(scores["edges"])
    assert np.abs(edges).min() < 1e-12
    above = edges[:-1] > -1e-12
    called = np.array(scores["unlabeled"])[above].sum()
    assert called == report.data["learned"]["n_called_positive"]
    assert called == (model.decision_function(table)[y == 0] > 0).sum()


def test_shares_sum_to_one_and_marginals_are_the_models(fitted, report):
    model, table, y, _ = fitted
    for item in report.data["attributes"]:
        for side in ("labeled", "unlabeled", "positive", "negative"):
            assert sum(item[side]) == pytest.approx(1)
    color = next(i for i in report.data["attributes"] if i["name"] == "color")
    assert color["categories"] == ["blue", "red"]
    np.testing.assert_allclose(color["negative"], model.marginal("color", 0))
    assert color["labeled"][1] == pytest.approx((table["color"][y == 1] == "red").mean())


def test_mutual_information_of_some_columns_is_a_part_of_all(fitted, report):
    model, *_ = fitted
    whole = model.mutual_information(0)
    some = model.mutual_information(0, columns=["color", "size"])
    pd.testing.assert_frame_equal(some, whole.loc[["color", "size"], ["color", "size"]])
    names = report.data["dependence"]["names"]
    told = np.array(report.data["dependence"]["negative"], dtype=float)
    np.testing.assert_allclose(told, whole.loc[names, names])


NAMES = {"one and two": ([1, 2], None), "positive is 0": ([1, 0], 0), "words": (["a", "b"], "b")}


@pytest.mark.parametrize("n_repeats", [1, 2])
@pytest.mark.parametrize("names", NAMES)
def test_a_report_does_not_depend_on_the_names_of_the_classes(names, n_repeats):
    table, _, y = make_table()
    (values, pos_label), settings = NAMES[names], GENERATIVE | {"n_repeats": n_repeats}
    plain = LPSClassifier.from_parameters(**settings).fit(table, y).report(table, y)
    labels = np.array(values)[y]
    other = LPSClassifier.from_parameters(**settings, pos_label=pos_label).fit(table, labels)
    assert other.report(table, labels).data == plain.data
    assert plain.data["examples"]["positive"] != plain.data["examples"]["negative"]
    for item in plain.data["attributes"]:
        assert item["positive"] != item["negative"]


def test_polars_and_arrays_are_reported_alike(fitted):
    model, table, y, _ = fitted
    frame = pl.from_pandas(table)
    same = LPSClassifier.from_parameters(**GENERATIVE).fit(frame, y).report(frame, y, n_rows=30)
    assert same.data["candidates"] == model.report(table, y, n_rows=30).data["candidates"]
    numbers = table[["noise"]].assign(size=table["size"].fillna(0)).to_numpy()
    page = LPSClassifier.from_parameters(**QUICK).fit(numbers, y).report(numbers, n_rows=3)
    assert page.data["candidates"]["columns"] == ["x0", "x1"]
    assert page.data["learned"]["n_labeled"] == 0
    assert "<!doctype html>" in page.html()


def test_states_that_only_tell_classes_apart_are_not_shown_as_densities():
    """A network of several repeats drew for minutes, from what is no density."""
    table, _, y = make_table()
    model = LPSClassifier.from_parameters(**QUICK | {"n_repeats": 2}).fit(table, y)
    report = model.report(table, y)
    assert report.data["examples"] is None
    assert report.data["dependence"] is None
    assert all(item["positive"] is None for item in report.data["attributes"])
    page = report.html()
    assert "Generated examples</h2>" not in page
    assert "LPSClassifier.generative()" in page
    with pytest.raises(ValueError, match=r"no densities.*LPSClassifier.generative\(\)"):
        model.sample(2)
    assert len(model.sample(2, states=True, random_state=0)) == 2


def test_labels_that_do_not_fit_are_refused(fitted):
    model, table, y, _ = fitted
    with pytest.raises(ValueError, match="one label per row"):
        model.report(table, y[:-1])
    with pytest.raises(ValueError, match="fitted with"):
        model.report(table, y + 3)
    with pytest.raises(ValueError, match="at least one row"):
        model.report(table, y, n_rows=0)


def test_reasons_show_the_cell_of_their_column_whatever_was_left_out():
    """Dates are several attributes of one column, keys are none, and columns come in any order."""
    table, _, y = make_table()
    table = table.assign(
        key=[f"k{i:04}" for i in range(len(table))],
        day=pd.date_range("2024-01-01", periods=len(table)).astype(str),
    )
    with pytest.warns(TableWarning, match="Left out: key"):
        model = PUClassifier(views=["kernel"], random_state=0).fit(
            table[["key", *table.columns[:-2], "day"]], y
        )
    turned = table[table.columns[::-1]].drop(columns="key")
    found = model.report(turned, y, n_rows=5).data["candidates"]
    for row in found["rows"]:
        for reason in row["reasons"]:
            source = reason["name"].split(" (")[0]
            assert reason["value"] == row["cells"][found["columns"].index(source)]
