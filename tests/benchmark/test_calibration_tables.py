"""How good a model's own estimates are."""

import pandas as pd
import pytest

from pulps.benchmark.calibration_tables import (
    calibration_errors,
    prior_and_calibration_tables,
    prior_errors,
)


def estimate_records():
    rows = [
        # dataset, fold, method, true prior, estimate, reliability
        ("vote", 0, "lps-default", 0.4, 0.5, [[10.0, 9.0, 8.0]] + [[0.0] * 3] * 9),
        ("vote", 1, "lps-default", 0.4, 0.2, [[10.0, 9.0, 10.0]] + [[0.0] * 3] * 9),
        ("iris", 0, "lps-default", 0.5, 0.5, [[10.0, 1.0, 4.0]] + [[0.0] * 3] * 9),
        ("iris", 0, "all-positive", 0.5, None, [[10.0, 10.0, 5.0]] + [[0.0] * 3] * 9),
    ]
    names = "dataset fold method prior_of_unlabeled prior_of_unlabeled_estimate reliability"
    return pd.DataFrame(rows, columns=names.split()).assign(label_frequency=0.3)


def test_errors_of_the_prior_are_averaged_over_folds():
    errors = prior_errors(estimate_records())
    assert errors["lps-default", 0.3, "vote"] == pytest.approx(0.15)
    assert errors["lps-default", 0.3, "iris"] == 0


def test_calibration_is_that_of_all_test_rows_together():
    errors = calibration_errors(estimate_records())
    assert errors["lps-default", 0.3, "vote"] == 0  # the folds' errors cancel
    assert errors["lps-default", 0.3, "iris"] == pytest.approx(0.3)
    assert "all-positive" not in errors.index


def test_calibration_tables_sort_by_label_frequency_and_by_the_papers_tables():
    later = estimate_records().assign(label_frequency=0.5)
    table = prior_and_calibration_tables(
        pd.concat([later, estimate_records()], ignore_index=True)
    )["priors"]
    assert [r[0].text for r in table.rows] == ["LPS (default), 30 %", "LPS (default), 50 %"]
    assert table.header == ["", "iris", "vote", "average"]


def test_calibration_tables_average_over_data_sets():
    tables = prior_and_calibration_tables(estimate_records())
    assert tables["priors"].rows[0][-1].text == "0.075"
    assert tables["calibration"].rows[0][-1].text == "0.150"
    assert prior_and_calibration_tables(estimate_records().drop(columns="reliability")).keys() == {
        "priors"
    }
