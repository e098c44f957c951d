"""All estimators of the prior: accurate where their assumption holds, one interface."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from populations import draw_gaussians, draw_table
from prior_estimators import ANY_TABLE, METHODS, SCENARIOS, error, make
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulps.metrics import prior_of_unlabeled
from pulps.priors import BBE


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(
    ("name", "shares", "largest"),
    [
        ("elkan-noto", [0.1, 0.3, 0.5, 0.7, 0.9], 0.1),  # a straight line has no plateau
        ("bbe", [0.1, 0.3, 0.5, 0.7, 0.9], 0.04),
        ("dedpul", [0.1, 0.3, 0.5, 0.7, 0.9], 0.06),
        ("three-way", [0.1, 0.3, 0.5, 0.7, 0.9], 0.1),
        ("tice", [0.1, 0.3, 0.5, 0.7, 0.9], 0.2),
        ("lps", [0.2, 0.4, 0.6], 0.1),
        ("km1", [0.1, 0.4, 0.7], 0.15),
        ("km2", [0.1, 0.4, 0.7], 0.12),
    ],
)
def test_classes_apart_give_the_share_of_positives(name, shares, largest, scenario):
    n_rows = 400 if name.startswith("km") else 800
    errors = [
        error(
            make(name, scenario=scenario),
            *draw_gaussians(share, scenario, distance=6, n_rows=n_rows),
        )
        for share in shares
    ]
    assert np.abs(errors).max() < largest, np.round(errors, 3)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", METHODS)
def test_a_table_of_words_numbers_and_holes(name, scenario):
    X, y, truth = draw_table(0.4, scenario, n_rows=500)
    model = make(name, scenario=scenario, **ANY_TABLE.get(name, {}))
    before = X.copy()
    assert error(model, X, y, truth) == pytest.approx(0, abs=0.12)
    pd.testing.assert_frame_equal(X, before)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_default_classifier_takes_any_table(scenario):
    X, y, truth = draw_table(0.4, scenario, n_rows=200)
    model = BBE(scenario=scenario, random_state=0)
    assert error(model, X, y, truth) == pytest.approx(0, abs=0.12)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("name", METHODS)
def test_the_three_shares_agree_and_the_interval_holds_the_estimate(name, scenario):
    X, y, _ = draw_gaussians(0.4, scenario, distance=3, n_rows=200)
    model = make(name, scenario=scenario).fit(X, y)
    n_labeled, n_unlabeled = int(y.sum()), int((1 - y).sum())
    unlabeled = model.prior_of_unlabeled_
    assert model.diagnostics_["n_labeled"] == n_labeled
    assert model.diagnostics_["n_unlabeled"] == n_unlabeled
    assert prior_of_unlabeled(y, prior=model.prior_, scenario=scenario) == pytest.approx(unlabeled)
    if scenario == "case-control":
        assert model.prior_ == unlabeled
        assert np.isnan(model.label_frequency_)
    else:
        assert model.prior_ > unlabeled
        assert model.label_frequency_ == pytest.approx(n_labeled / (model.prior_ * len(y)))
    if "label_share" in model.diagnostics_ and scenario == "single-training-set":
        assert model.label_frequency_ == pytest.approx(model.diagnostics_["label_share"])
    low, high = model.interval_
    assert 0 <= low <= unlabeled <= high <= 1
    assert low < high
    if name == "lps":
        return  # its interval has one level
    wider = clone(model).set_params(confidence=0.99).fit(X, y).interval_
    assert wider[0] < low or low == 0
    assert wider[1] > high or high == 1


@pytest.mark.parametrize("name", METHODS)
def test_the_same_seed_gives_the_same_answer(name):
    X, y, _ = draw_gaussians(0.4, SCENARIOS[0], distance=2, n_rows=150)
    model = make(name).fit(X, y)
    again = clone(model).fit(X, y)
    assert again.prior_ == model.prior_
    assert again.interval_ == model.interval_
    others = {clone(model).set_params(random_state=seed).fit(X, y).interval_ for seed in range(3)}
    assert len(others) > 1


def test_labels_may_be_words_and_tables_may_be_polars():
    X, y, _ = draw_table(0.4, SCENARIOS[0], n_rows=200)
    words = np.where(y == 1, "known", "open")
    for name in ("dedpul", "km2", "tice"):
        plain = make(name, **ANY_TABLE.get(name, {})).fit(X, y).prior_
        model = make(name, pos_label="known", **ANY_TABLE.get(name, {}))
        assert model.fit(pl.from_pandas(X), words).prior_ == plain
        assert model.feature_names_in_.tolist() == X.columns.tolist()


def test_a_classifier_of_yours_sees_the_table_as_it_is():
    X, y, truth = draw_table(0.4, SCENARIOS[0], n_rows=300, missing=0)
    only = FunctionTransformer(lambda frame: frame[["number"]])
    model = BBE(make_pipeline(only, LogisticRegression()), random_state=0)
    assert error(model, X, y, truth) == pytest.approx(0, abs=0.15)


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0, 0, 0, 0], "y has 1 class"),
        ([1, 1, 1, 1], "y has 1 class"),
        ([1, 0, 0, 0], "1 labeled and 3 unlabeled rows.*at least 2 of each"),
        ([1, 1, 1, 0], "3 labeled and 1 unlabeled rows.*at least 2 of each"),
        ([0, 1, 2, 0], "3 classes"),
        (["a", "b", "a", "b"], "Pass pos_label='b'"),
        ([0, 1, 0], "inconsistent numbers of samples"),
        (None, "requires y to be passed"),
    ],
)
def test_labels_that_cannot_work_say_why(name, y, message):
    with pytest.raises(ValueError, match=message):
        make(name).fit([[0.0], [1.0], [2.0], [3.0]], y)


@pytest.mark.filterwarnings("ignore:Only 4 rows:pulps.tables.notices.TableWarning")
@parametrize_with_checks(
    [make(name, **ANY_TABLE.get(name, {})) for name in METHODS if name != "km1"]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
