"""Pictures of several classes show what the model says."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from sklearn.datasets import load_iris

from pulps import LPSSemiSupervisedClassifier
from pulps.displays import (
    ClassMapDisplay,
    ClassSharesDisplay,
    LossCurveDisplay,
    MarginalDisplay,
    PairDisplay,
    ViewsDisplay,
)
from pulps.network.likelihood import LikelihoodRecipe
from pulps.report.colors import class_colors

PETAL = ("petal length (cm)", "petal width (cm)")


@pytest.fixture(scope="module")
def fitted():
    X, y = load_iris(return_X_y=True, as_frame=True)
    labels = np.where(np.arange(150) % 5 == 0, y, -1)
    density = LikelihoodRecipe(bond_dim=2, feature_dim=4, n_members=1, max_epochs=4)
    model = LPSSemiSupervisedClassifier(
        n_members=1, max_epochs=2, bond_dim=2, density=density, random_state=0
    )
    return model.fit(X, labels), X, labels


def test_the_map_shows_the_likeliest_class_in_its_color(fitted):
    model, X, labels = fitted
    display = ClassMapDisplay.from_estimator(model, X, PETAL, y=labels, grid_size=5)
    row = X.iloc[[0]].copy()
    row[:] = np.nan
    row[PETAL[0]], row[PETAL[1]] = display.x[3], display.y[1]
    np.testing.assert_allclose(display.probability[1, 3], model.predict_proba(row)[0])
    picture = display.ax_.images[0].get_array()
    best, sure = display.probability[1, 3].argmax(), display.probability[1, 3].max()
    strength = 0.55 * (sure - 1 / 3) / (2 / 3)
    color = 1 - strength * (1 - np.array(to_rgb(class_colors(3)[best])))
    np.testing.assert_allclose(picture[1, 3], color)
    counts = {dots.get_label(): len(dots.get_offsets()) for dots in display.ax_.collections}
    assert counts == {"unlabeled": 120, "0": 10, "1": 10, "2": 10}


def test_shares_are_drawn_with_their_intervals(fitted):
    model, _, _ = fitted
    ax = ClassSharesDisplay.from_estimator(model).ax_
    np.testing.assert_allclose(
        [bar.get_width() for bar in ax.patches], model.class_shares_["share"]
    )
    ends = [np.sort(line[:, 0]) for line in ax.collections[0].get_segments()]
    np.testing.assert_allclose(ends, model.class_shares_[["low", "high"]])


def test_densities_of_all_classes_are_drawn(fitted):
    model, X, _ = fitted
    display = MarginalDisplay.from_estimator(model, X, PETAL[0], bins=5)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["rows", "0", "1", "2"]
    for stairs in display.ax_.patches:
        values, edges, _ = stairs.get_data()
        assert (values * np.diff(edges)).sum() == pytest.approx(1)
    PairDisplay.from_estimator(model, PETAL, y=2, bins=3)
    with pytest.raises(ValueError, match="Name the class with y"):
        PairDisplay.from_estimator(model, PETAL)


def test_training_and_views_are_drawn_as_for_two_classes(fitted):
    model, _, _ = fitted
    assert "logistic" in LossCurveDisplay.from_estimator(model).curves
    display = ViewsDisplay.from_estimator(model)
    points = display.ax_.lines[0].get_xdata()
    np.testing.assert_allclose(points, display.views["accuracy"])
    assert model.views_["weight"].sum() == pytest.approx(1)
