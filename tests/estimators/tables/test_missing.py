"""Cells are removed alike for every method; rivals fill them as they say."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from pulps.benchmark.missing import ElkanNotoTrees, FilledClassifier, average_table, missing_table
from pulps.benchmark.protocol import Task, make_fold
from pulps.benchmark.render import to_markdown
from pulps.benchmark.suites import suite_tasks


def test_a_task_removes_the_stated_share_of_cells_and_names_it():
    task = Task("moons", label_frequency=0.3, missing=0.3)
    assert task.id.endswith("missing=0.3")
    assert "missing" not in Task("moons", label_frequency=0.3).id
    fold, again, whole = make_fold(task), make_fold(task), make_fold(Task("moons", 0.3))
    for cells in (fold.X, fold.X_test):
        assert cells.isna().to_numpy().mean() == pytest.approx(0.3, abs=0.06)
    pd.testing.assert_frame_equal(fold.X, again.X)
    kept = fold.X.notna()
    pd.testing.assert_frame_equal(fold.X.where(kept), whole.X.where(kept))


def test_the_suite_runs_every_share_once():
    tasks = suite_tasks("missing", datasets=["iris"], label_frequencies=[0.3], folds=[0, 1])
    assert [(task.missing, task.fold) for task in tasks] == [
        (share, fold) for share in (0.0, 0.1, 0.3, 0.5) for fold in (0, 1)
    ]


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "x": [0.0, 0.0, 1.0, 10.0, 10.0, 9.0, np.nan, np.nan],
            "z": [0.0, 0.1, 0.0, 1.0, 0.9, 1.0, 0.05, 0.95],
            "c": ["a", "a", "a", "b", "b", "b", "a", None],
        }
    )


def test_means_and_modes_are_filled_in(table):
    model = FilledClassifier(DummyClassifier()).fit(table, [0, 1] * 4)
    filled = model._filled(table)
    assert filled["x"].iloc[6:].tolist() == pytest.approx([0.5, 0.5])
    assert filled["c"].tolist() == ["a", "a", "a", "b", "b", "b", "a", "a"]
    assert filled["z"].tolist() == pytest.approx(table["z"].tolist())


def test_neighbors_fill_from_rows_alike(table):
    model = FilledClassifier(DummyClassifier(), "knn").fit(pd.concat([table] * 2), [0, 1] * 8)
    filled = model._filled(table)
    assert filled["x"][6] < 0.2
    assert filled["x"][7] > 0.8
    assert filled["c"][7] == "b"


def test_elkan_noto_divides_by_the_share_that_is_labeled():
    rng = np.random.default_rng(0)
    positive = rng.random(2000) < 0.5
    X = pd.DataFrame({"x": rng.normal(size=2000) + 6 * positive, "noise": rng.random(2000)})
    X = X.mask(rng.random(X.shape) < 0.1)
    y = (positive & (rng.random(2000) < 0.4)).astype(int)
    model = ElkanNotoTrees(random_state=0).fit(X, y)
    assert model.label_frequency_ == pytest.approx(0.4, abs=0.06)
    seen = X["x"].notna()
    assert (model.predict(X) == positive)[seen].mean() > 0.85


def test_the_table_has_a_row_a_method_and_share():
    records = pd.DataFrame(
        [
            {"task": f"{d} {m} {f}", "method": "lps", "dataset": d, "missing": m, "auc": a}
            for d, m, f, a in [("u", 0.1, 0, 0.5), ("u", 0.1, 1, 0.7), ("v", 0.1, 0, 0.8)]
        ]
    )
    assert "| lps | 10% | 0.600 | 0.800 | 0.700 |" in to_markdown(missing_table(records))


def test_averages_are_over_tables_and_only_of_what_every_method_has_done():
    done = [
        *[("u", 0, "lps", 0.0, 0.9), ("u", 0, "lps", 0.3, 0.8)],
        *[("u", 0, "trees", 0.0, 0.7), ("u", 0, "trees", 0.3, 0.6)],
        *[("u", 1, "lps", 0.0, 0.7), ("u", 1, "lps", 0.3, 0.4)],
        *[("u", 1, "trees", 0.0, 0.7), ("u", 1, "trees", 0.3, 0.6)],
        *[("v", 0, "lps", 0.0, 0.5), ("v", 0, "lps", 0.3, 0.5)],
        *[("v", 0, "trees", 0.0, 0.4), ("v", 0, "trees", 0.3, 0.9)],
        ("w", 0, "lps", 0.0, 0.1),
    ]
    names = ["dataset", "fold", "method", "missing", "auc"]
    text = to_markdown(average_table(pd.DataFrame(done, columns=names)))
    assert "| lps | **0.650** | 0.550 |" in text
    assert "| trees | 0.550 | **0.750** |" in text
    assert "30% missing (2 tables, 3 folds)" in text
