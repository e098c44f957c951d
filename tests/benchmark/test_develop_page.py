"""The page of the development suite says what the records say."""

import pandas as pd
import pytest
from record_sets import make_record

from pulps.benchmark.averages import latest
from pulps.benchmark.develop_page import (
    develop_columns,
    develop_tables,
    score_table,
    shared_means,
    write_develop,
)

TABLES = ("a:common", "b:common", "a:rare", "b:rare", "parity:rule")
METHODS = ("lps-default", "lps-paper", "all-positive")


def record(name, method, frequency=0.3, fold=0, **fields):
    counts = {"tp": 8, "fp": 8, "fn": 2, "tn": 2}
    rows = {
        "n_train": 90,
        "n_test": 20,
        "n_attributes": 3,
        "prior": 0.4,
        "prior_of_unlabeled": 0.3,
    }
    return {
        **make_record(name, method, frequency, fold),
        "average_precision": 0.5,
        **counts,
        **rows,
        **fields,
    }


@pytest.fixture
def suite():
    return pd.DataFrame([record(t, m, f) for t in TABLES for m in METHODS for f in (0.1, 0.3)])


def texts(table):
    return {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}


def test_columns_are_the_quarters_the_rules_and_the_paper(suite, records):
    names = [column.name for column in develop_columns(suite, records)]
    assert names == [
        "common positives, 10 %",
        "common positives, 30 %",
        "rare positives, 10 %",
        "rare positives, 30 %",
        "rule tables, 10 %",
        "rule tables, 30 %",
        "the paper's tables, 30 %",
    ]
    assert len(develop_columns(suite, pd.DataFrame())) == 6
    paper = develop_columns(suite, records)[-1].records
    assert set(paper["method"]) == set(METHODS)  # not those that the suite does not have
    assert set(paper["label_frequency"]) == {0.3}


def test_other_seeds_of_the_papers_tables_are_not_reported(suite, records):
    records = records.assign(seed=1)
    assert len(develop_columns(suite, records)) == 6


def test_means_and_ranks_are_those_of_the_records(suite):
    suite.loc[(suite["dataset"] == "a:rare") & (suite["method"] == "lps-paper"), "auc"] = 0.991
    table = score_table(develop_columns(suite, pd.DataFrame()), "auc")
    cells = texts(table)
    assert cells["LPS (default)"][0] == "0.901 (1.0)"
    assert cells["LPS (paper)"][2] == "0.896 (1.5)"
    assert cells["all positive"][2] == "0.701 (3.0)"
    assert cells["tables, tasks"] == ["2, 2"] * 4 + ["1, 1"] * 2
    bold = [row[0].text for row in table.rows if len(row) > 3 and row[3].bold]
    assert bold == ["LPS (default)"]


def test_methods_are_compared_on_folds_that_all_have(suite):
    more = pd.DataFrame([record(t, "lps-default", 0.3, 1) for t in TABLES])
    column = develop_columns(pd.concat([suite, more]), pd.DataFrame())[1]
    means, n_tasks = shared_means(column.records, "auc")
    assert n_tasks == 2
    assert means.loc[("a:common", 0.3), "lps-default"] == pytest.approx(0.903)


def test_a_method_with_few_tables_neither_counts_nor_costs_the_others_their_tables(suite):
    few = suite[(suite["method"] != "lps-paper") | (suite["dataset"] == "a:common")]
    table = score_table(develop_columns(few, pd.DataFrame()), "auc")
    cells = texts(table)
    assert cells["LPS (paper)"][0] == "–"
    assert cells["tables, tasks"][0] == "2, 2"
    assert cells["all positive"][0].endswith("(2.0)")


def test_methods_with_more_folds_are_compared_again(suite):
    assert not [n for n in develop_tables(suite, pd.DataFrame()) if n.startswith("full")]
    more = [record(t, m, f, 1) for t in TABLES for m in METHODS[:2] for f in (0.1, 0.3)]
    both = pd.concat([suite, pd.DataFrame(more)])
    full = texts(develop_tables(both, pd.DataFrame())["full-auc"])
    assert set(full) == {"LPS (default)", "LPS (paper)", "tables, tasks"}
    assert full["tables, tasks"][0] == "2, 4"


def test_what_methods_say_of_themselves(suite):
    says = suite["method"] == "lps-default"
    suite["prior_covered"] = None
    suite.loc[says, "prior_of_unlabeled_estimate"] = 0.5
    suite.loc[says, "prior_covered"] = [True, False] * 5
    suite.loc[says, "prior_width"] = 0.25
    tables = develop_tables(suite, pd.DataFrame())
    assert texts(tables["prior-error"]) == {"LPS (default)": ["0.200"] * 6}
    assert texts(tables["prior-interval"])["LPS (default)"][0] == "100% (width 0.25)"
    assert texts(tables["share-ratio"])["all positive"][0] == "1.60"
    assert "calibration" not in tables


def test_failures_leave_a_gap_and_no_nan(suite):
    failed = (suite["method"] == "lps-paper") & (suite["dataset"] == "a:rare")
    scores = ["auc", "macro_f1", "f1_pos", "average_precision", "tp", "fp", "fn", "tn"]
    suite.loc[failed, scores] = None
    suite.loc[failed, "error"] = "ValueError: no"
    for name, table in develop_tables(latest(suite), pd.DataFrame()).items():
        assert not any("nan" in cell.text for row in table.rows for cell in row), name


def test_the_page_is_written_from_records(suite, records, tmp_path):
    page = write_develop(suite, records, tmp_path).read_text(encoding="utf-8")
    for part in (
        "# The development suite",
        "pulps bench page develop",
        "**AUC**",
        "**Average precision**",
        "tables, tasks",
        "parity (rule)",
        "`0123456789ab+changes`",
    ):
        assert part in page
    with pytest.raises(ValueError, match="no records"):
        write_develop(pd.DataFrame(), records, tmp_path)
