"""What attributes add sums to the decision, and is the Shapley value of exact tracing."""

from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from fitters import classifier
from hypothesis import given
from hypothesis import strategies as st

from pulps import PUClassifier
from pulps.estimators.questions.explanation import AllOrders, SomeOrders

pytestmark = pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")
consensus = partial(PUClassifier, views=["kernel"], random_state=0)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    truth = rng.random(90) < 0.5
    table = pd.DataFrame(
        {
            "size": rng.normal(size=90) + 3 * truth,
            "color": np.where(rng.random(90) < 0.2 + 0.6 * truth, "red", "blue"),
            "width": rng.normal(size=90),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, 90), "D"),
        }
    )
    table.loc[::9, "size"] = np.nan
    return table, (truth & (rng.random(90) < 0.6)).astype(int)


@pytest.fixture(scope="module", params=["lps", "consensus"])
def model(request, rows):
    made = classifier(max_epochs=4) if request.param == "lps" else consensus()
    return made.fit(*rows)


def shapley(model, values, groups):
    """Average over all orders, written out: slow and obvious."""
    total = np.zeros((len(values), len(groups)))
    orders = list(permutations(range(len(groups))))
    for order in orders:
        known = np.full_like(values, np.nan)
        before = model.decision_of_encoded(known)
        for attribute in order:
            known[:, groups[attribute]] = values[:, groups[attribute]]
            now = model.decision_of_encoded(known)
            total[:, attribute] += now - before
            before = now
    return total / len(orders)


def test_values_are_the_mean_over_all_orders_of_tracing(model, rows):
    table, _ = rows
    some = table.iloc[:6]
    columns = [column.index for column in model.encoder_.columns_]
    groups = [[p for p, index in enumerate(columns) if index == i] for i in range(4)]
    assert len(groups[3]) > 1  # a date is several columns of the model, and one attribute
    found = model.explain(some)
    assert found.exact
    assert found.names == list(table.columns)
    np.testing.assert_allclose(found.values, shapley(model, model.encode(some), groups), atol=1e-9)


@pytest.mark.parametrize("orders", ["all", 2, 6])
def test_what_is_added_sums_to_the_decision(model, rows, orders):
    found = model.explain(rows[0], orders=orders)
    np.testing.assert_allclose(found.decision, model.decision_function(rows[0]), atol=1e-9)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), found.decision, atol=1e-9)


@pytest.mark.parametrize("orders", ["all", 6])
def test_a_missing_cell_adds_nothing(model, rows, orders):
    found = model.explain(rows[0].iloc[::9], orders=orders)
    np.testing.assert_allclose(found.values[:, 0], 0, atol=1e-12)
    assert np.abs(found.values[:, 1]).max() > 0


def test_a_row_is_explained_alike_alone_in_company_and_in_another_library(model, rows):
    table, _ = rows
    many = model.explain(table.iloc[20:40], orders=4)
    alone = model.explain(table.iloc[[30]], orders=4)
    np.testing.assert_allclose(alone.values[0], many.values[10], atol=1e-9)
    assert alone.row(0)["cell"]["color"] == table["color"].iloc[30]
    polars = model.explain(pl.from_pandas(table.iloc[[30]]), orders=4)
    np.testing.assert_allclose(polars.values, alone.values, atol=1e-9)


def test_more_orders_come_closer_and_errors_tell_how_close(model, rows):
    some = rows[0].iloc[:12]
    exact = model.explain(some).values
    sampled = model.explain(some, orders=200)
    off = np.abs(sampled.values - exact)
    assert off.mean() < np.abs(model.explain(some, orders=4).values - exact).mean() + 1e-9
    assert (off <= 5 * sampled.errors + 1e-9).all()


def test_an_array_and_a_single_attribute_are_explained(rows):
    table, y = rows
    array = table[["width"]].to_numpy()
    model = consensus().fit(array, y)
    found = model.explain(array[:3])
    assert found.names == ["x0"]
    np.testing.assert_allclose(found.base + found.values[:, 0], found.decision)
    np.testing.assert_array_equal(found.cells, array[:3])


def test_a_row_is_told_with_the_largest_first(model, rows):
    found = model.explain(rows[0].iloc[:5])
    told = found.row(3)
    assert np.abs(told["adds"]).is_monotonic_decreasing
    assert told["adds"].to_dict() == dict(zip(found.names, found.values[3], strict=True))
    assert found.table.shape == (len(found), 4)
    assert found.sizes.is_monotonic_decreasing
    with pytest.raises(ValueError, match="number is 5, but 5 rows were explained"):
        found.row(5)


@pytest.mark.parametrize("orders", ["some", 3, 0, 2.0])
def test_orders_that_have_no_reverse_are_refused(model, rows, orders):
    with pytest.raises(ValueError, match="it must be 'auto', 'all' or an even number"):
        model.explain(rows[0], orders=orders)


def test_all_orders_of_very_many_attributes_are_refused(rows):
    wide = np.random.default_rng(0).normal(size=(90, 17))
    model = consensus().fit(wide, rows[1])
    with pytest.raises(ValueError, match="17 attributes, which have 131072 sets"):
        model.explain(wide[:1], orders="all")
    found = model.explain(wide[:1])
    assert found.n_orders == 60
    assert (found.errors > 0).any()


games = st.integers(1, 6).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.floats(-5, 5), min_size=n * n, max_size=n * n))
)


@given(games, st.randoms(use_true_random=False))
def test_an_order_and_its_reverse_are_exact_where_only_pairs_act_together(game, random):
    n, effects = game
    matrix = np.array(effects).reshape(n, n)
    order = np.array(random.sample(range(n), n))

    def decide(known):
        return np.einsum("si,ij,sj->s", known, matrix, known)[None]

    every, pair = AllOrders(n), SomeOrders(order[None])
    np.testing.assert_allclose(
        pair.added(decide(pair.known.astype(float)))[0],
        every.added(decide(every.known.astype(float)))[0],
        atol=1e-9,
    )


def test_values_equal_those_of_shap(model, rows):
    shap = pytest.importorskip("shap")
    table, _ = rows
    values = model.encode(table.iloc[:8])
    columns = np.array([column.index for column in model.encoder_.columns_])

    def mask(known, row):
        return np.where(known[columns], row, np.nan)[None]

    def decide(masked):
        return model.decision_of_encoded(np.asarray(masked, dtype=float))

    mask.shape = lambda row: (1, 4)
    mask.mask_shapes = lambda row: [(4,)]
    explainer = shap.explainers.Exact(decide, mask)
    theirs = explainer(values)
    np.testing.assert_allclose(model.explain(table.iloc[:8]).values, theirs.values, atol=1e-6)
