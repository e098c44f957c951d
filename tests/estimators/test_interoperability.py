"""The classifier inside other people's tools."""

import pickle
from functools import partial

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.impute import SimpleImputer
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder, StandardScaler

from pulps import LPSClassifier
from pulps.metrics import lee_liu_score

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
quick = partial(LPSClassifier, n_members=1, max_epochs=8, n_repeats=1, random_state=0)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    truth = rng.random(120) < 0.5
    table = pd.DataFrame(
        {
            "size": rng.normal(size=120) + 3 * truth,
            "weight": rng.normal(size=120),
            "color": np.where(rng.random(120) < 0.2 + 0.6 * truth, "red", "blue"),
        }
    )
    table.loc[::10, "size"] = np.nan
    return table, (truth & (rng.random(120) < 0.5)).astype(int)


@pytest.fixture(scope="module")
def fitted(rows):
    return quick().fit(*rows)


def test_a_pipeline_hands_on_names_and_methods(rows):
    table, y = rows
    numbers = make_column_selector(dtype_include="number")
    words = make_column_selector(dtype_exclude="number")
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), numbers),
            ("words", OrdinalEncoder(), words),
        ],
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipeline = make_pipeline(columns, quick(categorical_features=["color"])).fit(table, y)
    np.testing.assert_array_equal(
        pipeline.predict(table), (pipeline.predict_proba(table)[:, 1] > 0.5).astype(int)
    )
    assert list(pipeline[-1].feature_names_in_) == ["size", "weight", "color"]
    assert pipeline[-1].encoder_.columns_[2].categories.tolist() == [0.0, 1.0]


def test_a_grid_search_finds_the_better_model_by_a_score_of_pu_labels(rows):
    table, y = rows
    search = GridSearchCV(
        quick(), {"max_epochs": [1, 8], "bond_dim": [2]}, scoring=make_scorer(lee_liu_score), cv=2
    ).fit(table, y)
    assert len(search.cv_results_["params"]) == 2
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    refitted = quick(**search.best_params_).fit(table, y)
    np.testing.assert_array_equal(
        search.decision_function(table), refitted.decision_function(table)
    )


def test_cross_validation_scores_every_row_once(rows):
    table, y = rows
    scores = cross_validate(quick(), table, y, cv=2, scoring="roc_auc", error_score="raise")
    assert np.isfinite(scores["test_score"]).all()
    predicted = cross_val_predict(quick(), table, y, cv=2, method="predict_proba")
    assert predicted.shape == (120, 2)
    np.testing.assert_allclose(predicted.sum(axis=1), 1)


def test_calibration_keeps_the_ranking_of_a_single_fit(rows):
    table, y = rows
    longer = quick(max_epochs=120, n_members=4)
    calibrated = CalibratedClassifierCV(longer, cv=2, ensemble=False).fit(table, y)
    np.testing.assert_array_equal(
        np.argsort(calibrated.predict_proba(table)[:, 1], kind="stable"),
        np.argsort(longer.fit(table, y).decision_function(table), kind="stable"),
    )


@pytest.mark.parametrize("way", ["pickle", "joblib", "file"])
def test_a_model_comes_back_the_same(fitted, rows, way, tmp_path):
    table, _ = rows
    if way == "pickle":
        back = pickle.loads(pickle.dumps(fitted))
    elif way == "joblib":
        joblib.dump(fitted, tmp_path / "model")
        back = joblib.load(tmp_path / "model")
    else:
        fitted.save(tmp_path / "model")
        back = LPSClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(back.decision_function(table), fitted.decision_function(table))
    pd.testing.assert_frame_equal(
        back.sample(3, states=True, random_state=0), fitted.sample(3, states=True, random_state=0)
    )


def test_joblib_sends_a_model_to_other_threads(fitted, rows):
    table, _ = rows
    halves = [table[:60], table[60:]]
    work = (joblib.delayed(fitted.predict)(half) for half in halves)
    parts = joblib.Parallel(n_jobs=2, backend="threading")(work)
    np.testing.assert_array_equal(np.concatenate(parts), fitted.predict(table))


KINDS = {
    "pandas": (lambda table: table, pd.DataFrame),
    "polars": (pl.from_pandas, pl.DataFrame),
    "pyarrow": (partial(pa.Table.from_pandas, preserve_index=False), pa.Table),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_that_goes_in_comes_out(rows, fitted, kind):
    table, y = rows
    convert, expected = KINDS[kind]
    model = quick().fit(convert(table), y)
    np.testing.assert_array_equal(
        model.decision_function(convert(table)), fitted.decision_function(table)
    )
    for made in (
        model.sample(4, states=True, random_state=0),
        model.impute(convert(table), random_state=0),
    ):
        assert isinstance(made, expected)
        names = made.column_names if kind == "pyarrow" else list(made.columns)
        assert names == list(table.columns)


def test_a_model_of_one_kind_fills_a_table_of_another(rows, fitted):
    table, _ = rows
    filled = fitted.impute(pl.from_pandas(table), how="mode")
    assert isinstance(filled, pl.DataFrame)
    pd.testing.assert_frame_equal(
        filled.to_pandas(), fitted.impute(table, how="mode"), check_dtype=False
    )


@pytest.mark.filterwarnings("ignore::pulps.estimators.answers.PULabelsWarning")
def test_sample_weights_are_routed_through_a_search(rows):
    import sklearn

    table, y = rows
    weights = np.linspace(0.5, 2, 120)
    with sklearn.config_context(enable_metadata_routing=True):
        model = quick().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        search = GridSearchCV(model, {"bond_dim": [2]}, cv=2, error_score="raise")
        search.fit(table, y, sample_weight=weights)
        alone = quick(bond_dim=2).fit(table, y, sample_weight=weights)
    np.testing.assert_array_equal(search.decision_function(table), alone.decision_function(table))
