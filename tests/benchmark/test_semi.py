"""Benchmark with several classes: what is labeled, who is compared, what is counted."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from pulps.benchmark.semi import problems
from pulps.benchmark.semi.few_tables import open_tables
from pulps.benchmark.semi.page import (
    comparable,
    left_out,
    semi_tables,
    summary_table,
    write_semi,
)
from pulps.benchmark.semi.problems import SemiTask, make_semi_fold, semi_tasks
from pulps.benchmark.semi.rivals import METHODS, CoForest, TriTraining
from pulps.benchmark.semi.running import run_semi
from pulps.benchmark.semi.suites import find_semi_methods
from pulps.benchmark.store import Store


@pytest.fixture
def iris_everywhere(monkeypatch):
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = y.map({0: "a", 1: "b", 2: "c"}).to_numpy(dtype=str)
    monkeypatch.setattr(problems, "load_classes", lambda name: (X, names))


@pytest.mark.usefixtures("iris_everywhere")
def test_labels_are_a_share_of_every_class_and_folds_are_disjoint():
    tests = []
    for fold in range(10):
        found = make_semi_fold(SemiTask("iris", 0.2, fold))
        tests.append(found.X_test.index)
        labeled = found.y >= 0
        np.testing.assert_array_equal(found.y[labeled], found.y_true[labeled])
        assert np.bincount(found.y[labeled]).tolist() == [9, 9, 9]
        assert not set(found.X.index) & set(found.X_test.index)
    assert sorted(np.concatenate(tests)) == [*range(150)]
    assert make_semi_fold(SemiTask("iris", 0.2)).y.tolist() == (
        make_semi_fold(SemiTask("iris", 0.2)).y.tolist()
    )


@pytest.mark.parametrize("rival", [TriTraining(random_state=0), CoForest(20, random_state=0)])
def test_rivals_learn_from_few_labels(rival):
    X, y = load_iris(return_X_y=True)
    labels = np.where(np.arange(150) % 10 == 0, y, -1)
    assert (rival.fit(X, labels).predict(X) == y).mean() > 0.85


@pytest.mark.usefixtures("iris_everywhere")
def test_a_run_goes_on_where_it_was_and_makes_a_page(tmp_path):
    names = ["labels-alone", "label-spreading", "self-training-logistic", "all-labels"]
    tasks = semi_tasks(["iris", "wine", "tae"], [0.1], [0, 1])
    methods = find_semi_methods(names)
    with Store(tmp_path / "semi.jsonl") as store:
        assert len(list(run_semi(tasks[:3], methods, store))) == 12
        assert len(list(run_semi(tasks, methods, store))) == 12
        assert list(run_semi(tasks, methods, store)) == []
        records = store.frame()
    assert records["error"].isna().all()
    assert records["inductive_accuracy"].between(0.5, 1).all()
    records = pd.concat(
        [
            records,
            records[records.method == "label-spreading"].assign(
                method="lps-semi", inductive_accuracy=1.0
            ),
        ]
    )
    page = write_semi(records, tmp_path).read_text(encoding="utf-8")
    assert "0 of 3" in page
    assert METHODS["lps-semi"].title in page
    assert len(semi_tables(records)) == 6


def test_methods_are_compared_on_tasks_that_all_have():
    rows = [
        {
            "task": f"t{i}",
            "method": name,
            "error": None,
            "dataset": f"d{i % 2}",
            "label_frequency": 0.1 if i < 3 else 0.3,
        }
        for name, n in (("lps-semi", 4), ("labels-alone", 5), ("co-forest", 1))
        for i in range(n)
    ]
    kept = comparable(pd.DataFrame(rows))
    assert set(kept["method"]) == {"lps-semi", "labels-alone"}
    assert sorted(kept["task"].unique()) == ["t0", "t1", "t2"]  # few tables ran with 30 %
    assert "of the tasks only (so many): co-forest (1)." in left_out(pd.DataFrame(rows))
    assert left_out(kept) == ""


def test_the_best_mean_and_rank_are_marked_at_every_share():
    rng = np.random.default_rng(0)
    rows = [
        {
            "task": f"{table} {share} {fold}",
            "dataset": table,
            "fold": fold,
            "method": method,
            "error": None,
            "label_frequency": share,
            "inductive_accuracy": round(above + rng.random() / 10, 3),
        }
        for share in (0.1, 0.2)
        for table in "abcdefghijk"
        for fold in (0, 1, 2)
        for method, above in (
            ("lps-semi", 0.7),
            ("labels-alone", 0.3),
            ("co-forest", 0.1),
            ("all-labels", 0.9),
        )
    ]
    table = summary_table(pd.DataFrame(rows), "inductive_accuracy")
    bold = {
        (row[0].text, name)
        for row in table.rows
        for name, cell in zip(table.header, row, strict=True)
        if cell.bold
    }
    title = METHODS["lps-semi"].title
    assert bold == {(title, "10%: mean"), (title, "20%: mean"), (title, "rank")}
    assert "11 tables, 3 folds each" in table.notes[0]


def test_means_over_draws_are_of_the_draws_that_all_methods_have():
    rows = [
        {
            "task": f"mnist {fold}",
            "dataset": "mnist",
            "label_frequency": 3,
            "method": method,
            "error": None,
            "inductive_macro_f1": value,
            "transductive_macro_f1": value,
        }
        for method, values in (("lps-open", (0.5, 0.6, 0.1)), ("pu-one-vs-rest", (0.4, 0.7)))
        for fold, value in enumerate(values)
    ]
    for table in open_tables(pd.DataFrame(rows)):
        assert [row[1].text for row in table.rows] == ["0.550", "0.550"]  # not 0.400
        assert table.notes == ["Draws of labels, the same for all methods: 2."]


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match="no method nobody"):
        find_semi_methods(["nobody"])
    with pytest.raises(ValueError, match="not in the suite 'semi'"):
        semi_tasks(["pima"])
