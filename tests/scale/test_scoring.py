"""Rows with their scores; clusters are in ``tests/io/test_clusters.py``."""

import numpy as np
import pandas as pd
import pytest

from pulps.scale import score_dask, score_rows
from pulps.scale.scoring import check_scorable


def test_scores_are_those_of_the_model(fitted, table):
    rows = table[["size", "code", "word"]]
    scored = score_rows(fitted, table)
    pd.testing.assert_frame_equal(scored[table.columns], table)
    assert list(scored.columns[len(table.columns) :]) == ["positive", "probability", "decision"]
    np.testing.assert_array_equal(scored["decision"], fitted.decision_function(rows))
    np.testing.assert_array_equal(scored["probability"], fitted.predict_proba(rows)[:, 1])
    np.testing.assert_array_equal(scored["positive"], fitted.predict(rows))
    assert set(scored["positive"]) == {0, 1}
    assert score_rows(fitted, table[:0]).shape == (0, 8)


def test_a_model_of_an_array_scores_named_columns(array_model):
    X = np.random.default_rng(1).normal(size=(9, 2))
    scored = score_rows(array_model, pd.DataFrame(X[:, ::-1], columns=["x1", "x0"]))
    np.testing.assert_array_equal(scored["decision"], array_model.decision_function(X))


def test_a_dask_frame_is_scored_by_a_model_of_an_array(array_model):
    dask = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(9, 2)), columns=["x0", "x1"])
    found = score_dask(array_model, dask.from_pandas(frame, npartitions=2))
    pd.testing.assert_frame_equal(
        found.compute(scheduler="synchronous"), score_rows(array_model, frame)
    )


def test_scores_never_replace_a_column(fitted):
    with pytest.raises(ValueError, match="Mine already has a column named decision, positive"):
        check_scorable(fitted, ["size", "code", "word", "positive", "decision"], "Mine")
