"""Pictures show what the model says."""

from functools import partial

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from pulps import LPSClassifier
from pulps.cli import main
from pulps.displays import TERMS, DecisionMapDisplay, LossCurveDisplay

mpl.use("agg")
small = partial(LPSClassifier, n_members=2, max_epochs=5)


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.RandomState(0)
    X = pd.DataFrame(rng.rand(60, 3), columns=["a", "b", "c"])
    y = (X["a"] > 0.6).astype(int)
    return small(random_state=0).fit(X, y), X, y


def test_the_curves_are_those_of_the_members_kept(fitted):
    model, _, _ = fitted
    display = LossCurveDisplay.from_estimator(model)
    assert [line.get_label() for line in display.ax_.lines] == list(TERMS)
    expected = model.history_["balance"][:, model.members_].mean(axis=1)
    np.testing.assert_allclose(display.ax_.lines[-1].get_ydata(), expected)


def test_the_map_is_the_marginal_decision(fitted):
    model, X, y = fitted
    display = DecisionMapDisplay.from_estimator(
        model, X, ("a", "c"), labeled=y.to_numpy() == 1, grid_size=4
    )
    rows = pd.DataFrame(
        [(a, np.nan, c) for c in display.y for a in display.x], columns=["a", "b", "c"]
    )
    positive = model.predict(rows).reshape(4, 4) == 1
    np.testing.assert_array_equal(display.probability > 0.5, positive)
    assert display.ax_.get_xlabel() == "a"


def test_a_display_can_be_drawn_again(fitted):
    model, _, _ = fitted
    display = LossCurveDisplay.from_estimator(model)
    first = display.ax_
    assert display.plot().ax_ is not first


def test_the_demo_prints_scores_and_writes_a_picture_and_a_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("pulps.classifier.LPSClassifier", small)
    assert main(["demo", "--out", str(tmp_path / "demo")]) == 0
    out = capsys.readouterr().out
    assert "accuracy" in out
    assert "demo.html" in out
    assert (tmp_path / "demo" / "demo.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "demo" / "demo.html").read_text()
    assert "data:image/png;base64," in page
    assert "http" not in page
    assert sorted(p.name for p in (tmp_path / "demo").iterdir()) == ["demo.html", "demo.png"]
