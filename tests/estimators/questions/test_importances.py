"""Which columns matter: those that the answer depends on, for scikit-learn's selectors too."""

import numpy as np
import pandas as pd
import pytest
from fitters import classifier
from sklearn.feature_selection import RFE, SelectFromModel

from pulps import PUClassifier, load_model
from pulps.metrics import make_pu_scorer

pytestmark = pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")


@pytest.fixture
def of_scikit_learn():
    return pytest.importorskip("sklearn.callback", reason="scikit-learn has none before 1.9")


def models():
    return [
        PUClassifier(views=["kernel", "boosting"], random_state=0),
        classifier(max_epochs=12, n_members=2, n_repeats=1),
    ]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    truth = rng.random(150) < 0.5
    X = rng.normal(size=(150, 4))
    X[:, 2] += 4 * truth
    return X, (truth & (rng.random(150) < 0.6)).astype(int)


@pytest.fixture(scope="module", params=[0, 1], ids=["consensus", "lps"])
def model(request, rows):
    return models()[request.param].fit(*rows)


def test_the_column_that_tells_classes_apart_matters_most(model, rows):
    found = model.feature_importances_
    assert found.shape == (4,)
    assert found.sum() == pytest.approx(1)
    assert found.argmax() == 2
    np.testing.assert_array_equal(found, model.feature_importances_)


def test_selectors_of_scikit_learn_keep_it(model, rows):
    X, _ = rows
    chosen = SelectFromModel(model, prefit=True, max_features=1, threshold=-np.inf).transform(X)
    np.testing.assert_array_equal(chosen, X[:, [2]])


@pytest.mark.parametrize("which", [0, 1])
def test_recursive_elimination_keeps_it(which, rows):
    found = RFE(models()[which], n_features_to_select=1, step=2).fit(*rows)
    assert found.support_.tolist() == [False, False, True, False]


def test_a_saved_model_knows_it_and_columns_that_are_left_out_have_none(rows, tmp_path):
    X, y = rows
    table = pd.DataFrame(X, columns=list("abcd"))
    table.insert(0, "constant", 1.0)
    table["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(150), "D")
    model = models()[0].fit(table, y)
    assert len(model.encoder_.columns_) > 5  # a date is several
    found = model.feature_importances_
    assert found[0] == 0
    assert found.shape == (6,)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").feature_importances_, found)


def test_a_model_that_remembers_no_rows_says_so(model):
    from copy import copy

    old = copy(model)
    del old.training_summary_
    assert not hasattr(old, "feature_importances_")
    with pytest.raises(AttributeError, match="Fit it again"):
        _ = old.feature_importances_


def test_a_monitor_scores_every_epoch_and_the_model_in_the_end(rows, of_scikit_learn):
    X, y = rows
    monitor = of_scikit_learn.ScoringMonitor(scoring=make_pu_scorer("aul"))
    model = models()[1].set_callbacks(monitor).fit(X, y)
    log = monitor.get_logs().data_as_pandas
    epochs, fits = (log.loc[log["task_name"] == name, "score"] for name in ("epoch", "fit"))
    assert len(epochs) == model.n_iter_
    assert fits.tolist() == [make_pu_scorer("aul")(model, X, y)]
    assert epochs.iloc[-1] == pytest.approx(fits.iloc[0])


def test_monitoring_changes_no_bit_of_a_model(rows, model, of_scikit_learn):
    X, y = rows
    monitor = of_scikit_learn.ScoringMonitor(scoring="roc_auc")
    fitted = models()["consensus_" not in vars(model)].set_callbacks(monitor).fit(X, y)
    np.testing.assert_array_equal(fitted.decision_function(X), model.decision_function(X))
    log = monitor.get_logs().data_as_pandas
    assert np.isfinite(log.loc[log["task_name"] == "fit", "roc_auc"]).all()


def test_a_progress_bar_of_scikit_learn_comes_to_its_end(rows, capsys, of_scikit_learn):
    models()[1].set_callbacks(of_scikit_learn.ProgressBar()).fit(*rows)
    assert "100%" in capsys.readouterr().out
