"""Tables at the edge of what a table can be: fitted, saved, read, drawn from and reported."""

import contextlib
import datetime
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from reported import DENSITY

from pulps import LPSClassifier, PUClassifier, load_model
from pulps.metrics import lee_liu_score

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::pulps.tables.notices.TableWarning",
    "ignore:A file keeps values of type list:UserWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
N = 60
QUICK = {"n_members": 1, "max_epochs": 2, "bond_dim": 2, "n_repeats": 1, "random_state": 0}


def models():
    network = LPSClassifier(**QUICK, density=DENSITY)
    yield network
    yield PUClassifier(views=["kernel"], network=network, generative=True, random_state=0)


ODD = {
    "the ends of the range": np.array([-1e308, 0.0, 3.0, 1e308])[np.arange(N) % 4],
    "all over the range": 1.7e308 * np.linspace(-1, 1, N)[np.arange(N) * 7 % N],
    "next to nothing": np.linspace(-1e-310, 1e-310, N)[np.arange(N) * 7 % N],
    "periods": pd.Series(pd.period_range("2020-01", periods=N, freq="M")),
    "intervals": pd.Series(pd.arrays.IntervalArray.from_breaks(range(6))).iloc[np.arange(N) % 5],
    "lists": pd.Series([[1], [2, 3]] * (N // 2)),
}


@pytest.mark.parametrize("kind", ODD)
def test_odd_columns_go_all_the_way(kind, tmp_path):
    table = pd.DataFrame({"a": np.arange(N) / N})
    table["odd"] = list(ODD[kind]) if kind == "lists" else np.asarray(ODD[kind])
    if kind in ("periods", "intervals"):
        table["odd"] = ODD[kind].array
    y = table["a"] > 0.6
    for model in models():
        model.fit(table, y).save(tmp_path / "model")
        read = load_model(tmp_path / "model")
        scores = read.decision_function(table)
        np.testing.assert_array_equal(scores, model.decision_function(table))
        assert np.isfinite(scores).all()
        assert len(read.sample(4, random_state=0)) == 4
        holes = table.iloc[:4].assign(odd=None if kind != "periods" else pd.NaT)
        for how in ("mode", "mean"):
            filled = read.impute(holes, how=how)
            assert kind == "lists" or filled["odd"].notna().all()
        if kind not in ("periods", "lists"):
            shares = read.class_density().marginal("odd", bins=8)
            assert shares.sum() == pytest.approx(1)
        assert "<svg" in read.report(table, y, n_rows=3).html()


def test_days_of_parquet_go_all_the_way(tmp_path):
    """They come as days, which NumPy has no type for, and not as moments."""
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=k * 7 % 50) for k in range(N)]
    table = pa.table({"a": np.arange(N) / N, "day": pa.array(days, pa.date32())})
    pq.write_table(table, tmp_path / "t.parquet")
    for read in (pq.read_table(tmp_path / "t.parquet"), pd.read_parquet(tmp_path / "t.parquet")):
        model = PUClassifier(views=["kernel"], random_state=0).fit(read, np.arange(N) > 40)
        model.save(tmp_path / "model")
        scores = load_model(tmp_path / "model").decision_function(read)
        np.testing.assert_array_equal(scores, model.decision_function(read))


def test_complex_numbers_are_refused_with_the_way_out():
    table = pd.DataFrame({"a": np.arange(N) * 1j})
    with pytest.raises(ValueError, match=r"'a' holds complex numbers.*Make two columns"):
        PUClassifier().fit(table, np.arange(N) > 40)


@pytest.mark.parametrize("form", [list, lambda rows: np.array(rows, dtype=object)])
def test_whole_numbers_of_400_digits(form):
    rows = [[10**400 + k % 5, k] for k in range(N)]
    with pytest.raises(ValueError, match="beyond the range of floats, which ends at"):
        PUClassifier().fit(form(rows), np.arange(N) > 40)
    long = pd.Series([row[0] for row in rows], dtype=object)  # pandas 2 tries floats otherwise
    table = pd.DataFrame({"a": [k / N for k in range(N)], "long": long})
    model = PUClassifier(views=["kernel"], random_state=0).fit(table, np.arange(N) > 40)
    assert np.isfinite(model.decision_function(table)).all()


def test_labels_with_none_say_nothing_of_a_row():
    X = np.arange(N)[:, None] / N
    y = np.array([1 if x > 0.6 else (0 if x > 0.3 else None) for x in X[:, 0]], dtype=object)
    known = PUClassifier(views=["kernel"], random_state=0).fit(X, np.where(y == 1, 1, 0))
    for labels in (y, np.where(y == 1, y, None)):
        model = PUClassifier(views=["kernel"], random_state=0).fit(X, labels)
        np.testing.assert_array_equal(model.predict(X), known.predict(X))
    with pytest.raises(ValueError, match=r"y has 0 classes: .*Mark the rows you know"):
        PUClassifier().fit(X, np.full(N, None))
    called = X[:, 0] > 0.5
    assert lee_liu_score(y, called) == lee_liu_score(np.where(y == 1, 1, 0), called)


def test_a_learning_rate_beyond_all_reason_is_named():
    X = np.arange(N)[:, None] / N
    model = LPSClassifier.from_parameters(learning_rate=1e300, **QUICK)
    with pytest.raises(ValueError, match=r"All 1 members diverged.*Lower recipe__learning_rate"):
        model.fit(X, X[:, 0] > 0.6)


def test_the_first_guess_of_a_network_tells_how_far_it_is():
    """On a table of thousands of columns it takes minutes."""
    X = np.random.default_rng(0).random((N, 3))
    with contextlib.redirect_stderr(io.StringIO()) as said:
        LPSClassifier(**QUICK, verbose=1).fit(X, X[:, 0] > 0.6)
    steps = [line.split(",")[0] for line in said.getvalue().splitlines()]
    assert steps == ["view 1 of 2", "view 2 of 2", "epoch 1 of 2", "epoch 2 of 2"]
