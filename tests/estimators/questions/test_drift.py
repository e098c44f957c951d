"""New rows against those of the fit: no alarm without a change, and one with it."""

from dataclasses import replace

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fitters import classifier

from pulps import PUClassifier, check_drift, load_model
from pulps.displays import DriftDisplay
from pulps.estimators.files.model_checks import check_model
from pulps.estimators.questions.drift import SCORE
from pulps.io.model_file import DamagedModelError

mpl.use("agg")
pytestmark = pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")


def draw(seed, n_rows=300):
    rng = np.random.default_rng(seed)
    truth = rng.random(n_rows) < 0.4
    table = pd.DataFrame(
        {
            "size": rng.normal(2.0 * truth),
            "steps": rng.poisson(3, n_rows),
            "color": np.where(rng.random(n_rows) < 0.2 + 0.6 * truth, "red", "blue"),
        }
    )
    table.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    return table, (truth & (rng.random(n_rows) < 0.5)).astype(int)


@pytest.fixture(scope="module", params=["consensus", "lps"])
def model(request):
    table, y = draw(0)
    if request.param == "consensus":
        return PUClassifier(views=["kernel"], random_state=0).fit(table, y)
    return classifier(max_epochs=4, n_repeats=1).fit(table, y)


def test_rows_of_the_same_population_raise_no_alarm(model):
    alarms = [check_drift(model, draw(seed)[0]).alarm for seed in range(1, 21)]
    assert sum(alarms) <= 1


CHANGES = {
    "size": lambda table: table.assign(size=table["size"] + 1.5),
    "steps": lambda table: table.assign(steps=table["steps"] * 3),
    "color": lambda table: table.assign(color="blue"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_column_that_changes_is_named(model, name):
    found = check_drift(model, CHANGES[name](draw(1)[0]))
    assert found.alarm
    assert name in found.drifted
    assert set(found.drifted) <= {name, SCORE}
    assert found.table.index[0] in found.drifted
    assert f"{name}: distance" in str(found)


def test_cells_that_went_missing_and_new_words_are_told(model):
    table = draw(1)[0]
    table.loc[:200, "size"] = np.nan
    table.loc[:150, "color"] = "green"
    found = check_drift(model, table)
    row = found.table.loc["size"]
    assert row["drifted"]
    assert row["missing_before"] == pytest.approx(0.1, abs=0.05)
    assert row["missing_now"] == pytest.approx(0.7, abs=0.05)
    assert found.table.loc["color", "new_values"] == pytest.approx(0.5, abs=0.05)
    assert {"size", "color"} <= set(found.drifted)
    assert "missing" in str(found)
    assert "outside of what the fit saw" in str(found)


def test_numbers_below_all_of_the_fit_are_a_drift(model):
    found = check_drift(model, draw(1)[0].assign(size=-50.0))
    assert found.table.loc["size", "distance"] == pytest.approx(1, abs=0.02)


def test_few_rows_are_no_reason_for_an_alarm(model):
    table = draw(1, n_rows=6)[0]
    assert not check_drift(model, table.assign(steps=table["steps"] + 1)).alarm


def test_the_score_drifts_where_more_rows_are_positive(model):
    table, _ = draw(1, n_rows=1500)
    rich = table[(table["size"] > 1) & (table["color"] == "red")]
    found = check_drift(model, rich)
    assert SCORE in found.drifted
    assert found.called_now > found.called_before


def test_it_is_the_same_after_saving_and_after_another_cut(model, tmp_path):
    table = CHANGES["size"](draw(1)[0])
    expected = check_drift(model, table).table
    model.save(tmp_path / "m")
    pd.testing.assert_frame_equal(check_drift(load_model(tmp_path / "m"), table).table, expected)
    if getattr(model, "honest_", None) or getattr(model, "movable_cut_", None):
        moved = check_drift(model.with_threshold(share=0.9), table)
        pd.testing.assert_frame_equal(moved.table, expected)
        assert moved.called_before > 0.7


def test_a_summary_of_another_shape_is_refused(model):
    summary = model.training_summary_
    for wrong in (
        {"missing": summary.missing[:-1]},
        {"places": summary.places.astype(int)},
        {"score_below": summary.score_below * np.nan},
        {"n_rows": "many"},
    ):
        broken = load_like(model, replace(summary, **wrong))
        with pytest.raises(DamagedModelError, match="training_summary_ should be"):
            check_model(broken)


def load_like(model, summary):
    from copy import copy

    other = copy(model)
    other.training_summary_ = summary
    return other


def test_a_model_without_a_summary_and_odd_limits_are_refused(model):
    table, _ = draw(1)
    with pytest.raises(ValueError, match="limit is 15"):
        check_drift(model, table, limit=15)
    with pytest.raises(ValueError, match=r"Fit it again\."):
        check_drift(load_like(model, None), table)


def test_case_control_compares_with_the_unlabeled_rows():
    table, y = draw(0)
    model = PUClassifier(views=["kernel"], scenario="case-control", random_state=0).fit(table, y)
    assert model.training_summary_.n_rows == (y == 0).sum()


def test_distances_are_bars(model):
    drawn = DriftDisplay.from_estimator(model, CHANGES["size"](draw(1)[0]))
    assert len(drawn.ax_.patches) == 4
    assert drawn.ax_.get_title() == "Drift"
    plt.close("all")
