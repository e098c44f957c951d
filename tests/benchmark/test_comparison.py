"""Methods are compared on the folds they share."""

import numpy as np
import pytest

from pulps.benchmark.comparison import (
    against_table,
    best_rival_table,
    pair_table,
    rank_table,
    score_matrix,
)
from pulps.benchmark.render import Cell
from pulps.benchmark.tables import (
    all_tables,
)


def row(table, name):
    return next(dict(zip(table.header, r, strict=True)) for r in table.rows if r[0].text == name)


def test_ranks_are_those_on_the_same_folds(records):
    table = rank_table(records, "macro_f1")
    assert table.rows[0][0].text == "LPS (default)"
    assert row(table, "LPS (default)")["wins"].text == "6"
    assert "Over 6 problems" in table.notes[0]
    assert "the 53 test folds" in table.notes[0]
    assert "critical difference 1.91" in table.notes[1]
    assert len(pair_table(records, "macro_f1").rows) == 6
    best_elsewhere = (records["method"] == "lps-paper") & (records["fold"] > 2)
    records.loc[best_elsewhere & (records["dataset"] == "vote"), "macro_f1"] = np.nan
    shared = score_matrix(records, "macro_f1").loc[("vote", 0.3)]
    assert shared["lps-default"] == pytest.approx(0.913)  # the mean of folds 0 to 2


def test_a_method_that_skipped_a_problem_is_left_out_or_the_problem_is(records):
    skipped = (records["method"] == "lps-paper") & (records["dataset"] == "vote")
    records = records[~skipped]
    table = rank_table(records, "auc")
    assert [r[0].text for r in table.rows] == ["LPS (default)", "all positive", "all negative"]
    assert table.notes[1] == "Not on all problems, and left out: LPS (paper)."
    table = rank_table(records, "auc", "methods")
    assert len(table.rows) == 4
    assert "Over 4 problems" in table.notes[0]
    assert {"ranks-auc", "ranks-auc-all"} <= all_tables(records).keys()


def rivals_of(records):
    """Rename the constants: PNB is best on hepatitis, LUHC has one fold of iris only."""
    records["method"] = records["method"].replace({"all-positive": "pnb", "all-negative": "luhc"})
    best = (records["method"] == "pnb") & (records["dataset"] == "hepatitis")
    records.loc[best, "auc"] += 0.25
    rare = (records["dataset"] == "iris") & (records["fold"] == 1)
    return records[(records["method"] != "luhc") | rare]


def test_the_default_meets_every_rival_on_the_folds_they_share(records):
    table = against_table(rivals_of(records), "auc", "lps-default")
    pnb = row(table, "PNB")
    assert pnb["won / tied / lost"].text == "4 / 0 / 2"
    assert pnb["difference"].text == "+0.117"  # 4 of 6 by 0.2, 2 of 6 by −0.05
    luhc = row(table, "LUHC")
    assert [luhc[k].text for k in ("problems", "folds", "ours")] == ["2", "2", "0.914"]
    # Six equal differences: W = 21, its mean 10.5 and variance 18.375 give p = 0.0143, times 3.
    assert row(table, "LPS (paper)")["p (Holm)"] == Cell("0.04", bold=True)


def test_where_a_rival_is_better_the_table_says_so(records):
    table = best_rival_table(rivals_of(records), "lps-default")
    lost = row(table, "hepatitis, 30 %")
    assert lost["best rival"] == Cell("0.962 PNB", bold=True)
    assert not lost["AUC: ours"].bold
    assert row(table, "iris, 50 %")["AUC: ours"].bold
    assert "2 by AUC" in table.notes[0]
    assert "0 by macro-F1" in table.notes[0]
    assert best_rival_table(records[records["method"] == "pnb"], "lps-default").rows == []
