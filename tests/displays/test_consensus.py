"""Pictures of a consensus, and of the network behind it."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from reported import DENSITY

from pulps import LPSClassifier, PUClassifier
from pulps.displays import (
    DecisionDisplay,
    DecisionMapDisplay,
    LossCurveDisplay,
    MarginalDisplay,
    PairDisplay,
    SampleDisplay,
    ViewsDisplay,
)

mpl.use("agg")
pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.rand(60, 3), columns=["a", "b", "c"])
    y = (X["a"] > 0.6).astype(int)
    network = LPSClassifier(n_members=2, max_epochs=5, n_repeats=1, density=DENSITY)
    model = PUClassifier(views=["kernel", "bagging"], network=network, random_state=0)
    return model.fit(X, y), X, y


def test_weights_are_bars_and_areas_dots(fitted):
    model, _, _ = fitted
    ax = ViewsDisplay.from_estimator(model).ax_
    order = [text.get_text() for text in ax.get_yticklabels()]
    views = model.views_.loc[order]
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], views["weight"])
    np.testing.assert_allclose(ax.lines[0].get_xdata(), views["area"])
    assert views["weight"].is_monotonic_increasing


@pytest.mark.parametrize("behind", [False, True], ids=["consensus", "network"])
def test_every_row_is_in_the_histogram_of_its_kind(fitted, behind):
    model, X, y = fitted
    model = model.fitted_network() if behind else model
    display = DecisionDisplay.from_estimator(model, X, y)
    np.testing.assert_allclose(display.decision, model.decision_function(X))
    np.testing.assert_array_equal(display.labeled, y == 1)
    for stairs in display.ax_.patches:
        assert stairs.get_data().values.sum() == pytest.approx(1)


def test_without_rows_the_histogram_is_of_honest_scores(fitted):
    model, X, y = fitted
    display = DecisionDisplay.from_estimator(model)
    assert display.labeled.sum() == y.sum()
    assert (display.decision > 0)[display.labeled].mean() == model.threshold_report_.recall
    assert len(display.decision) == len(X)


def test_the_map_is_the_probability_of_rows_with_only_two_values(fitted):
    model, X, _ = fitted
    display = DecisionMapDisplay.from_estimator(model, X, ("a", "c"), grid_size=3)
    rows = pd.DataFrame(
        [(a, np.nan, c) for c in display.y for a in display.x], columns=["a", "b", "c"]
    )
    expected = model.predict_proba(rows)[:, 1].reshape(3, 3)
    np.testing.assert_allclose(display.probability, expected)


def test_what_needs_a_network_shows_that_of_the_consensus(fitted):
    model, X, y = fitted
    network = model.fitted_network()
    curves = [LossCurveDisplay.from_estimator(m).curves for m in (model, network)]
    np.testing.assert_array_equal(curves[0]["norm"], curves[1]["norm"])
    marginals = [MarginalDisplay.from_estimator(m, X, "a", bins=4) for m in (model, network)]
    pd.testing.assert_series_equal(*(m.classes["positive"] for m in marginals))
    pairs = [PairDisplay.from_estimator(m, ("a", "b"), bins=3) for m in (model, network)]
    pd.testing.assert_frame_equal(pairs[0].table, pairs[1].table)
    samples = [
        SampleDisplay.from_estimator(m, X, y, ("a", "b"), n_samples=5, random_state=0)
        for m in (model, network)
    ]
    for one, other in zip(*(s.generated["positive"] for s in samples), strict=True):
        np.testing.assert_array_equal(one, other)
