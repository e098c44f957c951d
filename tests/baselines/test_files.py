"""Every rival goes into a file and comes back the same; a file that could harm is refused."""

import numpy as np
import pandas as pd
import pytest
import skops.io as sio
import torch
from sklearn.base import ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from pulps import baselines
from pulps.baselines import NNPUClassifier, PUBaggingClassifier, SpyClassifier
from pulps.baselines._shared.counted_rows import counted
from pulps.datasets import make_toy

RIVALS = [
    one
    for one in vars(baselines).values()
    if isinstance(one, type) and issubclass(one, ClassifierMixin)
]
SMALL = {
    **{"max_epochs": 2, "warm_up_epochs": 1, "n_updates": 2, "classifier_epochs": 1},
    **{"n_generated": 10, "n_estimators": 3, "n_members": 2, "n_draws": 1},
    "estimator": DecisionTreeClassifier(max_depth=3),
    **{"C_grid": [1.0], "gamma_grid": [0.1], "prior": 0.6, "random_state": 0},
}


def quick(kind):
    return kind(**{name: SMALL[name] for name in kind().get_params() if name in SMALL})


def table(n_rows=60):
    X, y, _ = make_toy("blobs", n_rows=n_rows, n_labeled=20, random_state=0)
    return X.assign(word=np.where(np.arange(n_rows) % 3 == 0, "a", "b")), y


@pytest.mark.parametrize("kind", RIVALS, ids=lambda kind: kind.__name__)
def test_a_rival_comes_back_from_a_file(kind, tmp_path):
    X, y = table()
    model = quick(kind).fit(X, y)
    model.save(tmp_path / "model")
    back = kind.load(tmp_path / "model")
    np.testing.assert_array_equal(back.decision_function(X), model.decision_function(X))
    with np.errstate(divide="ignore"):
        expected = np.log(model.predict_proba(X))
    np.testing.assert_allclose(back.predict_log_proba(X), expected, atol=1e-12)


@pytest.mark.parametrize("kind", RIVALS, ids=lambda kind: kind.__name__)
def test_a_rival_is_monitored(kind):
    theirs = pytest.importorskip("sklearn.callback", reason="scikit-learn has none before 1.9")
    monitor = theirs.ScoringMonitor(scoring="roc_auc")
    quick(kind).set_callbacks(monitor).fit(*table())
    assert 0 <= monitor.get_logs().data_as_pandas["roc_auc"].iloc[-1] <= 1


@pytest.mark.parametrize("kind", RIVALS, ids=lambda kind: kind.__name__)
def test_a_weight_counts_rows(kind):
    X, y = table()
    weights = np.arange(60) % 3
    again = np.repeat(np.arange(60), weights)
    weighted = quick(kind).fit(X, y, sample_weight=weights)
    written_out = quick(kind).fit(X.iloc[again].reset_index(drop=True), y[again])
    np.testing.assert_array_equal(weighted.decision_function(X), written_out.decision_function(X))


def test_fractions_of_weights_are_rounded_and_add_up():
    weights = np.full(1000, 1.25)
    rows = counted(weights, np.random.RandomState(0))
    assert abs(len(rows) - 1250) <= 1
    assert set(np.bincount(rows).tolist()) == {1, 2}


def test_weights_that_leave_nothing_are_refused():
    X, y = table()
    with pytest.raises(ValueError, match="at least one non-zero"):
        quick(PUBaggingClassifier).fit(X, y, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match="pass larger weights"):
        quick(PUBaggingClassifier).fit(X, y, sample_weight=np.full(60, 1e-9))
    with pytest.raises(ValueError, match="Divide the weights"):
        quick(PUBaggingClassifier).fit(X, y, sample_weight=np.full(60, 1e9))


@pytest.mark.parametrize("kind", [PUBaggingClassifier, SpyClassifier])
def test_threads_do_not_change_the_answer(kind):
    X, y = table()
    one, two = (quick(kind).set_params(n_jobs=n).fit(X, y) for n in (None, 2))
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


def test_a_network_of_yours_is_code_and_stays_in_memory(tmp_path):
    X, y = table()
    network = torch.nn.Linear(4, 1)
    model = quick(NNPUClassifier).set_params(network=network).fit(X, y)
    with pytest.raises(ValueError, match="Name a network"):
        model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


def forged_tree():
    tree = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    state = tree.tree_.__getstate__()
    state["nodes"]["left_child"][0] = 1000
    tree.tree_.__setstate__(state)
    return tree


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda model: StandardScaler(), "holds a StandardScaler, not a PUBaggingClassifier"),
        (lambda model: setattr(model, "predict", [1]) or model, "take the place of methods"),
        (lambda model: model.estimators_.append(forged_tree()) or model, "lead nowhere"),
        (lambda model: setattr(model, "x_", torch.nn.Linear) or model, "does not have"),
    ],
)
def test_a_file_that_could_harm_is_refused(change, message, tmp_path):
    model = quick(PUBaggingClassifier).fit(*table())
    (tmp_path / "model").write_bytes(sio.dumps(change(model)))
    with pytest.raises(ValueError, match=message):
        PUBaggingClassifier.load(tmp_path / "model")


def test_other_files_are_no_models(tmp_path):
    (tmp_path / "model").write_text("no")
    with pytest.raises(ValueError, match="is not a saved SpyClassifier"):
        SpyClassifier.load(tmp_path / "model")
    with pytest.raises(FileNotFoundError, match="no model file"):
        SpyClassifier.load(tmp_path / "none")


def test_polars_rows_weigh_as_pandas_rows_do():
    import polars as pl

    X, y = table()
    weights = np.arange(60) % 3
    pandas, polars = (
        quick(SpyClassifier).fit(one, y, sample_weight=weights) for one in (X, pl.from_pandas(X))
    )
    np.testing.assert_array_equal(
        pandas.decision_function(X), polars.decision_function(pl.from_pandas(X))
    )
    assert isinstance(X, pd.DataFrame)
