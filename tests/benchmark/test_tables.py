"""Tables come from the store alone and say what is missing."""

import numpy as np
import pandas as pd
from record_sets import make_record

from pulps.benchmark.averages import fold_means
from pulps.benchmark.comparison import (
    against_table,
    pair_table,
    rank_table,
    score_matrix,
)
from pulps.benchmark.render import RENDERERS, Cell
from pulps.benchmark.tables import (
    agreement_table,
    all_tables,
    export,
    score_table,
    time_table,
    write_tables,
)


def row(table, name):
    return next(dict(zip(table.header, r, strict=True)) for r in table.rows if r[0].text == name)


def test_ours_stand_beside_what_was_published_for_the_same_class(records):
    positive = score_table(records, "f1_pos", 0.3)
    assert positive.header == ["", "hepatitis", "iris", "vote", "average"]
    ours = row(positive, "LPS (default)")
    assert ours["vote"] == Cell("0.912 ± 0.009", bold=True)
    assert ours["average"] == Cell("0.912")
    assert row(positive, "TN (paper)")["vote"] == Cell("0.94 ± 0.06")
    assert row(positive, "TN (paper)")["average"] == Cell("0.90")
    assert row(positive, "GPU (paper)")["hepatitis"] == Cell("0.82 ± 0.04")
    assert row(positive, "GPU (paper)")["vote"] == Cell("–")
    negative = score_table(records, "f1_neg", 0.3)
    assert row(negative, "GPU (paper)")["vote"] == Cell("0.83 ± 0.04")
    assert row(negative, "GPU (paper)")["hepatitis"] == Cell("–")
    names = [r[0].text for r in score_table(records, "macro_f1", 0.3).rows]
    assert names == ["LPS (default)", "LPS (paper)", "all positive", "all negative"]


def test_missing_folds_are_said_and_never_best(records):
    records.loc[records["method"] == "lps-paper", "f1_pos"] += 0.15
    table = score_table(records, "f1_pos", 0.5)
    cell = row(table, "LPS (paper)")["vote"]
    assert cell.text.endswith("(3 of 10 folds)")
    assert not cell.bold
    assert row(table, "LPS (default)")["vote"].bold
    assert row(table, "LPS (paper)")["average"].text.endswith("(incomplete)")


def test_failed_folds_count_as_missing(records):
    records.loc[records["fold"] == 4, "error"] = "ValueError: no"
    records.loc[records["fold"] == 4, "f1_pos"] = np.nan
    means = fold_means(records, "f1_pos").set_index(["dataset", "label_frequency", "method"])
    assert means.loc[("iris", 0.3, "lps-default"), "n"] == 9
    assert "on the 48 test folds" in rank_table(records, "f1_pos").notes[0]
    assert row(time_table(records), "all positive")["failed folds"].text == "6"
    records["f1_pos"] = np.nan
    assert score_matrix(records, "f1_pos").empty
    assert rank_table(records, "f1_pos").notes == ["No problem yet that all methods share."]
    assert pair_table(records, "f1_pos").rows == []
    assert against_table(records, "f1_pos", "lps-default").rows == []


def test_the_last_record_of_a_task_counts(records):
    newer = pd.DataFrame([make_record("iris", "lps-default", 0.3, 0, version="2", f1_pos=0.0)])
    both = pd.concat([records, newer], ignore_index=True)
    means = fold_means(both, "f1_pos").set_index(["dataset", "label_frequency", "method"])
    assert means.loc[("iris", 0.3, "lps-default"), "n"] == 10
    assert means.loc[("iris", 0.3, "lps-default"), "mean"] < 0.85


def test_agreement_is_correlated_by_data_set(records):
    table = agreement_table(records)
    assert len(table.rows) == 6
    assert {r[2] for r in table.rows} == {Cell("1.00", bold=True)}
    assert agreement_table(records.drop(columns="agreement")).rows == []
    records["agreement"] = 1.0
    assert agreement_table(records).rows[0][2].text == "–"


def test_every_table_is_written_in_every_format(records, tmp_path):
    written = write_tables(records, tmp_path)
    assert len(written) == len(all_tables(records)) * len(RENDERERS)
    assert all(path.stat().st_size > 100 for path in written)
    assert list(all_tables(pd.DataFrame())) == ["datasets"]


def test_the_export_begins_with_what_people_ask_for(records, tmp_path):
    export(records, tmp_path / "out" / "records.csv")
    table = pd.read_csv(tmp_path / "out" / "records.csv")
    assert list(table)[:8] == [
        "dataset",
        "label_frequency",
        "n_labeled",
        "fold",
        "seed",
        "method",
        "f1_pos",
        "f1_neg",
    ]
    assert len(table) == len(records)
