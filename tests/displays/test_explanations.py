"""Pictures of explanations: bars end at the decision, points lie where the values are."""

from itertools import pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from pulps import PUClassifier
from pulps.displays import BeeswarmDisplay, WaterfallDisplay

mpl.use("agg")


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(80, 11)), columns=[f"c{i}" for i in range(11)])
    table["word"] = rng.choice(["a", "b"], 80)
    table.loc[0, "c1"] = np.nan
    y = ((table["c0"] > 0) & (rng.random(80) < 0.6)).astype(int)
    return PUClassifier(views=["kernel"], random_state=0).fit(table, y), table


def test_bars_lead_from_the_base_to_the_decision(fitted):
    model, table = fitted
    display = WaterfallDisplay.from_estimator(model, table, row=5, orders=2)
    bars = display.ax_.patches
    assert len(bars) == 10  # the last is all that is left
    assert bars[0].get_x() == pytest.approx(display.explanation.base)
    assert bars[-1].get_x() + bars[-1].get_width() == pytest.approx(
        model.decision_function(table)[5]
    )
    for before, after in pairwise(bars):
        assert after.get_x() == pytest.approx(before.get_x() + before.get_width())


def test_names_have_the_cells_and_say_what_is_missing(fitted):
    model, table = fitted
    display = WaterfallDisplay(model.explain(table.iloc[:2], orders=2), row=0)
    labels = [label.get_text() for label in display.plot().ax_.get_yticklabels()]
    assert labels[::-1] == [name for name, _ in display.bars]
    assert f"c0 = {table['c0'][0]:.6f}".rstrip("0") in labels


def test_a_missing_cell_is_called_missing(fitted):
    model, table = fitted
    found = model.explain(table.iloc[:1], orders=2)
    found.values[0, 1] = 99.0  # so that it is among the largest
    assert WaterfallDisplay(found).bars[0][0] == "c1 (missing)"


def test_points_of_an_attribute_lie_at_its_values(fitted):
    model, table = fitted
    display = BeeswarmDisplay.from_estimator(model, table.iloc[:30], orders=2)
    found = display.explanation
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels[-1] == found.sizes.index[0]
    drawn = np.concatenate([c.get_offsets() for c in display.ax_.collections])
    for line, name in enumerate(labels):
        on_line = drawn[np.abs(drawn[:, 1] - line) < 0.45, 0]
        np.testing.assert_allclose(np.sort(on_line), np.sort(found.table[name]))


def test_a_display_is_drawn_again_on_other_axes(fitted):
    model, table = fitted
    ax = plt.subplots()[1]
    found = model.explain(table.iloc[:3], orders=2)
    assert BeeswarmDisplay(found).plot(ax=ax).ax_ is ax
    assert WaterfallDisplay(found, row=2).plot(ax=ax).ax_ is ax
