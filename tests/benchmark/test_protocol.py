"""The protocol is what it says: folds, labels, scores, one record."""

import numpy as np
import pytest
import sklearn
from datafolder import DATA, needs_data
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score
from sklearn.model_selection import StratifiedKFold

from pulps.benchmark import provenance
from pulps.benchmark.methods import METHODS, find_method
from pulps.benchmark.protocol import Method, Task, make_fold, record_key, run_task
from pulps.benchmark.scores import scores_against_truth
from pulps.benchmark.suites import suite_tasks
from pulps.datasets import make_toy, table_info

NAIVE = Method("naive", lambda task: HistGradientBoostingClassifier(random_state=task.model_seed))


def test_folds_and_labels_are_those_of_the_anchors():
    task = Task("moons", label_frequency=0.3, fold=4)
    X, _, y_true = make_toy("moons", random_state=0)
    train, test = list(StratifiedKFold(10, shuffle=True, random_state=0).split(X, y_true))[4]
    fold = make_fold(task)
    np.testing.assert_array_equal(fold.X.index, train)
    np.testing.assert_array_equal(fold.y_test, y_true[test])
    positives = np.flatnonzero(y_true[train] == 1)
    chosen = np.random.RandomState(4).choice(positives, 135, replace=False)
    np.testing.assert_array_equal(np.flatnonzero(fold.y), np.sort(chosen))


def test_another_seed_draws_others_and_a_repeat_does_not():
    first = make_fold(Task("moons", n_labeled=20, fold=1))
    repeat = make_fold(Task("moons", n_labeled=20, fold=1, repeat=1))
    np.testing.assert_array_equal(first.y, repeat.y)
    seeds = {
        Task("moons", n_labeled=20, fold=f, seed=s, repeat=r).model_seed
        for f in range(3)
        for s in range(3)
        for r in range(3)
    }
    assert len(seeds) == 27
    other = make_fold(Task("moons", n_labeled=20, fold=1, seed=1))
    assert (other.y != first.y).any()


def test_case_control_keeps_the_unlabeled_rows_a_sample_of_the_population():
    single = make_fold(Task("moons", n_labeled=20))
    both = make_fold(Task("moons", n_labeled=20, scenario="case-control"))
    assert len(both.y) == len(single.y) + 20
    assert both.y.sum() == 20
    assert both.y_true[both.y == 1].all()
    assert both.y_true[both.y == 0].mean() == single.y_true.mean()


@needs_data
def test_published_folds_can_be_run(monkeypatch):
    monkeypatch.setenv("PULPS_DATA", str(DATA))
    task = Task("vote", label_frequency=0.3, fold=2, fold_scheme="published")
    record = run_task(task, find_method("all-positive"))
    assert record["n_labeled"] == 72
    assert record["error"] is None


@needs_data
@pytest.mark.parametrize("name", ["iris", "vote", "hepatitis"])
def test_constant_answers_have_the_known_scores(monkeypatch, name):
    monkeypatch.setenv("PULPS_DATA", str(DATA))
    here = table_info(name).here
    tasks = suite_tasks("categorical", datasets=[name], label_frequencies=[0.4])
    records = [run_task(task, find_method("all-positive")) for task in tasks]
    assert sum(r["tp"] for r in records) == here.positive
    assert sum(r["fp"] for r in records) == here.negative
    mean = np.mean([r["f1_pos"] for r in records])
    assert mean == pytest.approx(2 * here.positive / (2 * here.positive + here.negative), abs=0.01)


BOOSTING_OF_THE_ANCHORS = pytest.mark.skipif(
    Version(sklearn.__version__) < Version("1.9"), reason="scikit-learn grew other trees"
)


@needs_data
@pytest.mark.parametrize(
    ("name", "macro_f1", "auc"),
    [
        ("iris", 0.417, 0.996),
        pytest.param("pima", 0.371, 0.704, marks=BOOSTING_OF_THE_ANCHORS),
    ],
)
def test_the_anchor_scores_are_reproduced(monkeypatch, name, macro_f1, auc):
    """Folds, labels and scores equal those of an independent run of the same protocol.

    The anchors' "naive PvsU HGB" on tables whose encoding does not matter to trees.
    """
    monkeypatch.setenv("PULPS_DATA", str(DATA))
    tasks = suite_tasks("categorical", datasets=[name], label_frequencies=[0.3])
    records = [run_task(task, NAIVE) for task in tasks]
    assert np.mean([r["macro_f1"] for r in records]) == pytest.approx(macro_f1, abs=0.0006)
    assert np.mean([r["auc"] for r in records]) == pytest.approx(auc, abs=0.0006)


def test_a_record_has_every_field():
    record = run_task(Task("blobs", label_frequency=0.5, fold=9), NAIVE)
    for field in (
        "dataset label_frequency n_labeled scenario fold_scheme n_folds fold repeat seed method "
        "tp fp fn tn f1_pos f1_neg macro_f1 accuracy balanced_accuracy auc average_precision "
        "lee_liu pu_f1 pu_auc fit_seconds predict_seconds peak_memory_mb version commit engine "
        "machine date prior"
    ).split():
        assert record[field] is not None, field
    assert record["agreement"] is None
    assert record["engine"] == "sklearn"
    assert record["auc"] > 0.95
    assert record_key(record) == (record["task"], "naive", provenance.version())


def test_a_task_is_pure():
    task = Task("circles", n_labeled=50)
    volatile = {"fit_seconds", "predict_seconds", "peak_memory_mb", "date"}
    first, second = (
        {k: v for k, v in run_task(task, NAIVE).items() if k not in volatile} for _ in range(2)
    )
    assert first == second


class Agreeing:
    """A model with decision values only, and with an agreement."""

    def __init__(self, agreement):
        self.agreement_ = agreement

    def fit(self, X, y):
        return self

    def predict(self, X):
        return (X["x1"] > 0).to_numpy().astype(int)

    def decision_function(self, X):
        return X["x1"].to_numpy()


@pytest.mark.parametrize(
    ("agreement", "kept"),
    [(0.9, 0.9), (np.array([[1.0, 0.8], [0.8, 1.0]]), 0.8), (None, None), (np.nan, None)],
)
def test_agreement_is_kept(agreement, kept):
    method = Method("agreeing", lambda task: Agreeing(agreement))
    assert run_task(Task("blobs", n_labeled=9), method)["agreement"] == kept


@settings(max_examples=25)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_scores_are_those_of_scikit_learn(rows):
    true, predicted = np.array(rows).T
    got = scores_against_truth(true.astype(int), predicted, predicted.astype(float))
    for name, label in (("f1_pos", True), ("f1_neg", False)):
        expected = f1_score(true, predicted, pos_label=label, zero_division=0)
        assert got[name] == pytest.approx(expected)
    assert got["macro_f1"] == pytest.approx((got["f1_pos"] + got["f1_neg"]) / 2)
    assert got["accuracy"] == pytest.approx(accuracy_score(true, predicted))
    if len(set(true)) == 2:
        expected = balanced_accuracy_score(true, predicted)
        assert got["balanced_accuracy"] == pytest.approx(expected)
        assert got["auc"] == pytest.approx(expected)
    else:
        assert got["auc"] is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "exactly one"),
        ({"label_frequency": 0.3, "n_labeled": 3}, "exactly one"),
        ({"label_frequency": 1.5}, "lies in"),
        ({"n_labeled": 3, "fold": 10}, "10 folds"),
        ({"n_labeled": 3, "fold_scheme": "published"}, "Published folds"),
    ],
)
def test_tasks_that_make_no_sense_are_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        Task("iris", **fields)


def test_too_many_labels_are_refused():
    with pytest.raises(ValueError, match="450 positives"):
        make_fold(Task("moons", n_labeled=451))


def test_suites_and_methods_by_name():
    assert {"lps-default", "lps-paper", "all-positive", "all-negative"} <= set(METHODS)
    assert all(name == method.name for name, method in METHODS.items())
    tasks = suite_tasks("categorical")
    assert len(tasks) == len({task.id for task in tasks}) == 450
    assert tasks[0].dataset == "iris"
    with pytest.raises(ValueError, match="module:attribute"):
        find_method("lps")
    with pytest.raises(ValueError, match="not a Method"):
        find_method("runners:TASKS")
    with pytest.raises(ValueError, match="no suite"):
        suite_tasks("videos")
    with pytest.raises(ValueError, match="not in the suite"):
        suite_tasks("toy", datasets=["iris"])


def test_the_commit_is_a_commit_or_the_version():
    assert provenance.commit() == provenance.version() or len(provenance.commit()) >= 40
