"""Pictures of curves: what is drawn is what the metrics say."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from pulps import PUClassifier
from pulps.datasets import make_toy
from pulps.displays import PriorSensitivityDisplay, PUPrecisionRecallDisplay, PURocDisplay
from pulps.metrics import pu_precision_score, pu_recall_score

mpl.use("agg")
DISPLAYS = [PURocDisplay, PUPrecisionRecallDisplay, PriorSensitivityDisplay]


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    X, y, _ = make_toy("blobs", n_rows=120, n_labeled=40, random_state=0)
    return PUClassifier(views=["kernel"], random_state=0).fit(X, y), X, y


def test_the_cut_of_a_consensus_is_what_its_report_expects(fitted):
    model, _, _ = fitted
    report = model.threshold_report_
    recall, precision = PUPrecisionRecallDisplay.from_estimator(model).point
    assert recall == pytest.approx(report.recall)
    assert precision == pytest.approx(report.precision, abs=0.02)
    assert PURocDisplay.from_estimator(model).point[1] == pytest.approx(report.recall)


@pytest.mark.parametrize("display", DISPLAYS)
def test_any_classifier_is_drawn_with_rows_labels_and_a_prior(display, fitted):
    _, X, y = fitted
    model = LogisticRegression(class_weight="balanced").fit(X, y)
    drawn = display.from_estimator(model, X, y, prior=0.5)
    assert drawn.figure_ is drawn.ax_.figure
    with pytest.raises(ValueError, match=r"Pass prior, for instance from pulps\.priors"):
        display.from_estimator(model, X, y)
    with pytest.raises(ValueError, match="y is missing"):
        display.from_estimator(model, X, prior=0.5)
    with pytest.raises(ValueError, match="keeps no honest scores"):
        display.from_estimator(model, prior=0.5)


def test_points_and_lines_are_those_of_the_metrics(fitted):
    _, X, y = fitted
    score = np.asarray(X)[:, 0]
    known = {"prior": 0.5, "threshold": float(np.median(score))}
    drawn = PUPrecisionRecallDisplay.from_scores(np.where(y, 1, -1), score, **known)
    assert drawn.point == (
        pu_recall_score(y, score, threshold=known["threshold"]),
        pu_precision_score(y, score, **known),
    )
    table = PriorSensitivityDisplay.from_scores(y, score, **known).table
    at = np.abs(table.index - 0.5).argmin()
    assert table["precision"].iloc[at] == pytest.approx(drawn.point[1], abs=0.02)


def test_a_drawn_display_is_drawn_again_on_other_axes(fitted):
    model, _, _ = fitted
    ax = plt.subplots()[1]
    assert PURocDisplay.from_estimator(model).plot(ax=ax).ax_ is ax
