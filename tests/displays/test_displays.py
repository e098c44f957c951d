"""Pictures show what the model says."""

from functools import partial

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from pulps import LPSClassifier
from pulps.displays import (
    TERMS,
    DecisionMapDisplay,
    LossCurveDisplay,
    MarginalDisplay,
    PairDisplay,
    SampleDisplay,
)

mpl.use("agg")
small = partial(LPSClassifier, n_members=2, max_epochs=5)


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.rand(60, 3), columns=["a", "b", "c"])
    y = (X["a"] > 0.6).astype(int)
    return small(random_state=0).fit(X, y), X, y


def test_the_curves_are_those_of_the_members_kept(fitted):
    model, _, _ = fitted
    display = LossCurveDisplay.from_estimator(model)
    assert [line.get_label() for line in display.ax_.lines] == [
        name for name in TERMS if model.history_[name].any()
    ]
    expected = model.history_[display.ax_.lines[-1].get_label()][:, model.members_].mean(axis=1)
    np.testing.assert_allclose(display.ax_.lines[-1].get_ydata(), expected)


def test_the_map_is_the_probability_of_rows_with_only_two_values(fitted):
    model, X, y = fitted
    display = DecisionMapDisplay.from_estimator(
        model, X, ("a", "c"), labeled=y.to_numpy() == 1, grid_size=4
    )
    rows = pd.DataFrame(
        [(a, np.nan, c) for c in display.y for a in display.x], columns=["a", "b", "c"]
    )
    expected = model.predict_proba(rows)[:, 1].reshape(4, 4)
    np.testing.assert_array_equal(display.probability, expected)
    np.testing.assert_array_equal(display.ax_.collections[0].get_array(), expected)
    assert np.ptp(expected) > 0.01
    assert display.ax_.get_xlabel() == "a"


def test_the_map_leaves_words_and_whole_numbers_out():
    rng = np.random.RandomState(0)
    X = pd.DataFrame({"a": rng.rand(60), "n": rng.randint(5, size=60), "b": rng.rand(60)})
    X["word"] = rng.choice(["r", "g"], 60)
    X["kind"] = pd.Categorical(rng.choice(["u", "v"], 60))
    model = small(random_state=0).fit(X, (X["a"] > 0.6).astype(int))
    display = DecisionMapDisplay.from_estimator(model, X, ("a", "b"), grid_size=3)
    one = pd.DataFrame({"a": display.x[2], "n": [np.nan], "b": display.y[1], "word": None})
    np.testing.assert_allclose(
        display.probability[1, 2], model.predict_proba(one.assign(kind=None))[0, 1]
    )


@pytest.fixture(scope="module", params=["one and two", "positive is 0", "words"])
def relabeled(request, fitted):
    """The same model, fitted with other names for its classes."""
    _, X, y = fitted
    names, pos_label = {
        "one and two": ([1, 2], None),
        "positive is 0": ([1, 0], 0),
        "words": (["no", "yes"], "yes"),
    }[request.param]
    labels = np.array(names)[y]
    return small(random_state=0, pos_label=pos_label).fit(X, labels), X, labels


def test_pictures_do_not_depend_on_the_names_of_classes(fitted, relabeled):
    model, X, y = fitted
    other, _, labels = relabeled
    expected, found = (
        SampleDisplay.from_estimator(m, X, names, ("a", "c"), n_samples=9, random_state=0)
        for m, names in ((model, y), (other, labels))
    )
    np.testing.assert_array_equal(found.labeled, expected.labeled)
    for name in ("positive", "negative"):
        for a, b in zip(found.generated[name], expected.generated[name], strict=True):
            np.testing.assert_array_equal(a, b)
    expected, found = (MarginalDisplay.from_estimator(m, X, "a", bins=4) for m in (model, other))
    for name in ("positive", "negative"):
        pd.testing.assert_series_equal(found.classes[name], expected.classes[name])
    assert not np.allclose(*found.classes.values(), atol=0.01)
    expected, found = (
        PairDisplay.from_estimator(m, ("a", "b"), bins=3).table for m in (model, other)
    )
    pd.testing.assert_frame_equal(found, expected)
    expected, found = (
        DecisionMapDisplay.from_estimator(m, X, ("a", "b"), grid_size=3) for m in (model, other)
    )
    np.testing.assert_array_equal(found.probability, expected.probability)


def test_the_sample_shows_every_row_once_and_marks_the_accepted(fitted):
    model, X, y = fitted
    display = SampleDisplay.from_estimator(
        model, X, y, ("a", "c"), n_samples=30, accept=0.0, random_state=0
    )
    above, below = display.axes_
    assert [len(dots.get_offsets()) for dots in above.collections] == [(y == 0).sum(), y.sum()]
    counts = {dots.get_label(): len(dots.get_offsets()) for dots in below.collections}
    for side, name in ((0, "negative"), (1, "positive")):
        drawn = model.sample(30, y=side, states=True, random_state=0)
        accepted = (model.log_ratios(drawn) * (2 * side - 1)).min(axis=0) > 0
        assert counts[f"accepted {name}"] == accepted.sum()
        assert counts[f"rejected {name}"] == (~accepted).sum()


def test_the_marginal_is_a_density_over_the_histogram(fitted):
    model, X, _ = fitted
    display = MarginalDisplay.from_estimator(model, X, "b", bins=6)
    for stairs in display.ax_.patches:
        values, edges, _ = stairs.get_data()
        assert (values * np.diff(edges)).sum() == pytest.approx(1)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["rows", "positive", "negative"]


def test_the_pair_is_a_density_over_the_plane(fitted):
    model, _, _ = fitted
    display = PairDisplay.from_estimator(model, ("a", "b"), y=0, bins=5)
    low, high = model.encoder_.columns_[0].knots[[0, -1]]
    height = np.ptp(model.encoder_.columns_[1].knots)
    mesh = display.ax_.collections[0].get_array()
    assert mesh.shape == (5, 5)
    assert mesh.mean() * (high - low) * height == pytest.approx(1)
    np.testing.assert_allclose(
        mesh.T, model.joint("a", "b", y=0, bins=5) / ((high - low) * height / 25)
    )


def test_categories_are_bars_and_cells():
    rng = np.random.RandomState(0)
    X = pd.DataFrame({"a": rng.rand(60), "color": rng.choice(["r", "g"], 60)})
    model = small(random_state=0).fit(X, (X["a"] > 0.6).astype(int))
    marginal = MarginalDisplay.from_estimator(model, X, "color")
    heights = [bar.get_height() for bar in marginal.ax_.patches]
    np.testing.assert_allclose(heights[:2], [(X["color"] == c).mean() for c in "gr"])
    np.testing.assert_allclose(heights[2:4], model.marginal("color"))
    pair = PairDisplay.from_estimator(model, ("color", "a"), bins=3)
    assert [text.get_text() for text in pair.ax_.get_xticklabels()] == ["g", "r"]


def test_a_display_can_be_drawn_again(fitted):
    model, _, _ = fitted
    display = LossCurveDisplay.from_estimator(model)
    first = display.ax_
    assert display.plot().ax_ is not first
