"""Figures: the same records give the same bytes."""

import numpy as np
import pandas as pd

from pulps.benchmark.comparison import (
    score_matrix,
)
from pulps.benchmark.figures import AgreementDisplay, CriticalDifferenceDisplay, write_figures
from pulps.benchmark.stats import average_ranks


def test_the_same_records_give_the_same_figures(records, tmp_path):
    first = write_figures(records, tmp_path / "1")
    second = write_figures(records, tmp_path / "2")
    assert [path.name for path in first] == [
        "ranks-f1-pos.svg",
        "ranks-macro-f1.svg",
        "ranks-auc.svg",
        "agreement-lps-default.svg",
        "agreement-lps-paper.svg",
    ]
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()
    assert write_figures(pd.DataFrame(), tmp_path) == []


def test_bars_of_the_diagram_do_not_depend_on_the_hash_of_names():
    scores = pd.DataFrame(np.random.default_rng(0).normal(size=(4, 8)), columns=list("abcdefgh"))
    display = CriticalDifferenceDisplay.from_scores(scores)
    bars = [line.get_xdata() for line in display.ax_.lines if len(line.get_xdata()) > 3]
    assert bars
    for points in bars:
        assert (np.diff(points) >= 0).all()


def test_displays_can_be_drawn_again(records):
    scores = score_matrix(records, "f1_pos")
    display = CriticalDifferenceDisplay.from_scores(scores)
    first = display.ax_
    texts = {text.get_text() for text in first.texts}
    for name, rank in average_ranks(scores).items():
        assert any(name in text and f"{rank:.2g}" in text for text in texts), name
    again = display.plot().ax_
    assert again is not first
    assert {text.get_text() for text in again.texts} == texts
    assert display.plot(ax=first).ax_ is first
    points = records[records["method"] == "lps-default"]
    display = AgreementDisplay.from_records(points, name="all")
    first = display.ax_
    assert display.correlation.rho > 0.9
    for ax in (first, display.plot().ax_):
        assert ax.get_title() == f"all, ρ = {display.correlation.rho:.2f}"
        drawn = ax.collections[0].get_offsets()
        np.testing.assert_array_equal(drawn, points[["agreement", "f1_pos"]])
    assert display.ax_ is not first
