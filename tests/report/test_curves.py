"""The curves of a report are honest, and go through its own cut."""

import numpy as np
import pytest
from reported import make_table

from pulps import PUClassifier
from pulps.report.curves import curves_section, honest_rows


@pytest.fixture(scope="module")
def model():
    table, _, y = make_table(120)
    return PUClassifier(views=["kernel"], random_state=0).fit(table, y)


def test_no_cut_of_the_model_beats_the_curve(model):
    section = curves_section(model)
    for recall in (0.3, 0.6, 0.9):
        report = model.with_threshold(recall=recall).threshold_report_
        at = np.interp(report.recall, section["recall"], section["precision"])
        assert report.precision <= at + 0.05
    assert (section["low"] <= section["high"]).all()


def test_other_shares_of_positives_are_told_around_the_estimate(model):
    section, report = curves_section(model), model.threshold_report_
    priors = [item["prior"] for item in section["priors"]]
    assert priors == sorted(priors)
    assert round(report.prior_of_unlabeled, 4) in priors
    (own,) = (
        item for item in section["priors"] if abs(item["prior"] - report.prior_of_unlabeled) < 1e-4
    )
    assert own["precision"] == pytest.approx(report.precision, abs=0.01)


def test_a_given_prior_leaves_no_draws():
    table, _, y = make_table(120)
    model = PUClassifier(views=["kernel"], prior=0.5, random_state=0).fit(table, y)
    assert len(honest_rows(model).draws) == 1


def test_a_network_without_a_first_guess_has_no_curves(fitted):
    model = fitted[0]
    if getattr(model, "movable_cut_", None) is None:
        assert curves_section(model) is None
    else:
        own, rows = model.threshold_report_, honest_rows(model)
        above = (rows.score[rows.y == 0] > rows.threshold).mean()
        assert above == pytest.approx(own.share, abs=0.1)
