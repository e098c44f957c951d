"""Estimators of the share of positives: accurate where their assumption holds, biased as known."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from populations import draw_gaussians, draw_table
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulps import LPSClassifier, LPSPrior, priors
from pulps.metrics import prior_of_unlabeled
from pulps.priors import (
    BBE,
    DEDPUL,
    ElkanNoto,
    KernelMean,
    TIcE,
    estimate_prior,
    make_prior_estimator,
)
from pulps.priors.kernel_mean import nearest_in_hull
from pulps.priors.tice import Pieces
from pulps.tables.matrix import TableMatrix

SCENARIOS = ["single-training-set", "case-control"]
METHODS = [*priors.METHODS, "lps"]
QUICK = {
    "bbe": {"classifier": LogisticRegression()},
    "dedpul": {"classifier": LogisticRegression(), "n_resamples": 10},
    "elkan-noto": {"classifier": LogisticRegression()},
    "km1": {"n_parts": 2, "n_components": 80},
    "km2": {"n_parts": 2, "n_components": 80},
    "tice": {"n_parts": 2},
    "lps": {"classifier": LPSClassifier(n_members=4, max_epochs=20)},
}

LINE_FOR_ANY_TABLE = make_pipeline(TableMatrix(), LogisticRegression())
ANY_TABLE = {
    name: {"classifier": LINE_FOR_ANY_TABLE, "cv": 2} for name in ("bbe", "dedpul", "elkan-noto")
}


def make(name, **parameters):
    """Return an estimator that is quick enough for many fits."""
    settings = {"random_state": 0, **QUICK[name], **parameters}
    return LPSPrior(**settings) if name == "lps" else make_prior_estimator(name, **settings)


def error(model, X, y, truth):
    return model.fit(X, y).prior_of_unlabeled_ - truth


# Accuracy, and the direction of the known bias.


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize(
    ("name", "shares", "largest"),
    [
        ("elkan-noto", [0.1, 0.3, 0.5, 0.7, 0.9], 0.1),  # a straight line has no plateau
        ("bbe", [0.1, 0.3, 0.5, 0.7, 0.9], 0.04),
        ("dedpul", [0.1, 0.3, 0.5, 0.7, 0.9], 0.06),
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
@pytest.mark.parametrize("share", np.arange(1, 10) / 10)
def test_elkan_noto_finds_any_share_with_a_classifier_that_has_a_plateau(share, scenario):
    X, y, truth = draw_gaussians(share, scenario, distance=8, n_columns=1)
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    model = ElkanNoto(stump, scenario=scenario, random_state=0)
    assert error(model, X, y, truth) == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_where_classes_overlap_elkan_noto_overestimates_most(share, scenario):
    near, far = (draw_gaussians(share, scenario, distance=distance) for distance in (1.5, 3))
    model = make("elkan-noto", scenario=scenario)
    errors = [error(model, *far), error(model, *near)]
    assert 0.05 < errors[0] < errors[1]
    bound = error(make("bbe", scenario=scenario), *near)
    assert 0.02 < bound < errors[1]


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


# One interface.


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


@pytest.mark.parametrize("name", ["km2", "tice"])
def test_intervals_from_parts_cover_roughly(name):
    covered = 0
    for seed in range(20):
        X, y, _ = draw_gaussians(0.4, SCENARIOS[1], distance=6, n_rows=160, seed=seed)
        model = make(name, scenario=SCENARIOS[1], n_parts=6).fit(X, y)
        covered += model.interval_[0] <= 0.4 <= model.interval_[1]
        assert model.interval_[1] - model.interval_[0] < 0.6
    assert covered >= 13


@pytest.mark.parametrize("name", priors.METHODS)
def test_one_call_gives_the_prior_of_the_class(name):
    X, y, _ = draw_gaussians(0.4, SCENARIOS[0], distance=3, n_rows=150)
    wanted = make(name).fit(X, y).prior_
    assert estimate_prior(X, y, name, random_state=0, **QUICK[name]) == wanted


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


# Kernel means.


@given(st.integers(0, 10_000))
def test_no_corner_lies_nearer_than_the_nearest_point(seed):
    """The optimality condition of a projection, and the point is a mixture of corners."""
    rng = np.random.default_rng(seed)
    corners, target = rng.normal(size=(rng.integers(2, 12), 3)), 2 * rng.normal(size=3)
    point = nearest_in_hull(corners, target)
    assert ((corners - point) @ (target - point)).max() < 1e-9
    inside = nearest_in_hull(corners, point)
    np.testing.assert_allclose(inside, point, atol=1e-7)


def test_the_distance_of_kernel_means_is_convex():
    X, y, _ = draw_gaussians(0.4, SCENARIOS[0], distance=2, n_rows=300)
    model = make("km2").fit(X, y)
    seen = model.diagnostics_
    assert (np.diff(seen["slopes"]) > -1e-9).all()
    assert seen["slopes"].max() <= seen["mean_distance"] + 1e-9
    under = seen["slopes"] <= seen["slope_threshold"]
    assert seen["candidates"][under].max() < model.prior_of_unlabeled_
    assert seen["candidates"][~under].min() > model.prior_of_unlabeled_


def test_kernel_means_of_large_tables_use_some_of_the_rows():
    X, y, truth = draw_gaussians(0.4, SCENARIOS[0], distance=5, n_rows=1500)
    model = make("km2", max_rows=300)
    assert error(model, X, y, truth) == pytest.approx(0, abs=0.15)
    assert model.diagnostics_["labeled_rows_used"] == 150
    assert model.diagnostics_["unlabeled_rows_used"] == 150


# Trees.


def test_pieces_are_quarters_categories_and_holes():
    X = pd.DataFrame({"number": [1.0, 2, 3, 4, np.nan], "word": ["b", "a", "b", None, "a"]})
    pieces = Pieces(X, "from_dtype", 4)
    assert pieces.first.tolist() == [0, 5]
    assert pieces.codes.T.tolist() == [[0, 1, 2, 3, 4], [6, 5, 6, 7, 5]]
    counts = pieces.count(np.array([0, 2, 4]))
    assert counts.tolist() == [1, 0, 1, 0, 1, 1, 2, 0]
    assert pieces.largest(counts).tolist() == [1, 2]
    assert pieces.split(np.array([0, 2, 4]), 1, 6).tolist() == [0, 2]


def test_tice_finds_the_region_where_half_of_the_rows_are_labeled():
    """Rows with a missing number are positive, and every other one of them is labeled."""
    rng = np.random.default_rng(0)
    X = np.c_[np.r_[np.full(400, np.nan), rng.normal(size=600)], rng.normal(size=1000)]
    y = np.zeros(1000, int)
    y[:400:2] = 1
    exact = make("tice", delta=0.999, max_splits=1).fit(X, y)
    assert all(300 < rows < 340 for rows in exact.diagnostics_["region_rows"])
    assert exact.label_frequency_ == pytest.approx(0.5, abs=0.01)
    assert exact.prior_ == pytest.approx(0.4, abs=0.01)
    careful = make("tice", delta=0.05, max_splits=1).fit(X, y)
    rows = np.array(careful.diagnostics_["region_rows"])
    shares = careful.diagnostics_["region_labeled"] / rows
    first = np.mean(shares - np.sqrt(0.25 / rows * 0.95 / 0.05))
    second = shares - np.sqrt(first * (1 - first) / rows * 0.95 / 0.05)
    np.testing.assert_allclose(careful.diagnostics_["fold_bounds"], second)
    assert careful.label_frequency_ == pytest.approx(second.mean())


# Errors.


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


def test_parameters_are_checked_and_methods_known():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [1, 1, 0, 0]
    with pytest.raises(ValueError, match="'scenario' parameter of BBE"):
        BBE(scenario="both").fit(X, y)
    with pytest.raises(ValueError, match="'classifier' parameter of DEDPUL"):
        DEDPUL(LinearSVC()).fit(X, y)
    with pytest.raises(ValueError, match="'delta' parameter of TIcE"):
        TIcE(delta=1.0).fit(X, y)
    with pytest.raises(ValueError, match="'threshold' parameter of KernelMean"):
        KernelMean("km3").fit(X, y)
    with pytest.raises(ValueError, match="method is 'guess'"):
        estimate_prior(X, y, "guess")


@parametrize_with_checks(
    [make(name, **ANY_TABLE.get(name, {})) for name in METHODS if name != "km1"]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
