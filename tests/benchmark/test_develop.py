"""The development suite: tables both ways round, few rows, records that tell the prior."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from datafolder import DEVELOP, needs_develop
from hypothesis import given, settings
from hypothesis import strategies as st
from runners import constant
from table_folders import write_tables

from pulps.baselines import ElkanNotoClassifier
from pulps.benchmark.methods import find_method
from pulps.benchmark.protocol import Method, Task, make_fold, run_task
from pulps.benchmark.run import Job, Pace, missing, run
from pulps.benchmark.store import Store
from pulps.benchmark.suites import suite_tasks
from pulps.benchmark.table_problems import GROUPS, RULES, load_problem, subsample
from pulps.benchmark.told import ToldPrior, prior_scores, share_scores, told_prior
from pulps.datasets import CorruptedDataError, DataUnavailableError, make_rules
from pulps.labels import hide_labels

ANSWER = Method("constant", constant)


@pytest.fixture
def folder(tmp_path):
    return write_tables(tmp_path / "tables")


def test_every_table_runs_both_ways_round_and_rules_once(folder):
    tasks = suite_tasks("develop", data_home=folder)
    assert len({task.id for task in tasks}) == len(tasks) == 2 * (2 * 2 + len(RULES))
    assert {task.label_frequency for task in tasks} == {0.1, 0.3}
    assert {task.fold for task in tasks} == {0}
    assert {task.max_train for task in tasks} == {1000}
    names = {task.dataset for task in tasks}
    assert {"blobs:common", "blobs:rare", "parity:rule"} <= names
    assert {name.rpartition(":")[2] for name in names} == set(GROUPS)


def test_rare_positives_are_the_other_class_of_the_same_rows(folder):
    common = load_problem("blobs:common", 0, str(folder))
    rare = load_problem("blobs:rare", 0, str(folder))
    assert common.X.equals(rare.X)
    np.testing.assert_array_equal(common.y, 1 - rare.y)
    assert common.y.mean() > 0.5
    text = (folder / "blobs.csv").read_text().splitlines()
    assert common.y.sum() == sum(line.endswith(",c0") for line in text)
    assert rare.y.sum() == sum(line.endswith(",c1") for line in text)


def test_training_rows_are_at_most_a_thousand_in_the_shares_of_the_fold(folder):
    task = Task("big:rare", label_frequency=0.3, max_train=1000, data_home=str(folder), fold=3)
    fold = make_fold(task)
    whole = make_fold(Task("big:rare", label_frequency=0.3, data_home=str(folder), fold=3))
    assert (len(fold.y), len(whole.y)) == (1000, 1350)
    assert fold.y_true.sum() == round(1000 * whole.y_true.mean())
    assert fold.y.sum() == round(0.3 * fold.y_true.sum())
    assert set(fold.X.index) < set(whole.X.index)
    assert not set(fold.X.index) & set(fold.X_test.index)
    assert fold.X_test.equals(whole.X_test)
    assert fold.X.equals(make_fold(task).X)
    other = make_fold(
        Task(
            "big:rare", label_frequency=0.3, max_train=1000, data_home=str(folder), fold=3, seed=1
        )
    )
    assert set(other.X.index) != set(fold.X.index)
    chosen = subsample(whole.y_true, 1000, 3)  # 1000 * seed + fold, as for the labels
    np.testing.assert_array_equal(fold.X.index, whole.X.index[chosen])


def test_small_tables_are_not_cut(folder):
    cut = make_fold(Task("blobs:rare", n_labeled=5, max_train=1000, data_home=str(folder)))
    whole = make_fold(Task("blobs:rare", n_labeled=5, data_home=str(folder)))
    assert cut.X.equals(whole.X)


@settings(max_examples=50)
@given(st.integers(1, 30), st.integers(1, 300), st.integers(0, 2**20), st.data())
def test_a_subsample_keeps_shares_and_both_classes(n_positive, n_negative, seed, data):
    y_true = np.r_[np.ones(n_positive, dtype=int), np.zeros(n_negative, dtype=int)]
    n_rows = data.draw(st.integers(2, len(y_true)))
    chosen = subsample(y_true, n_rows, seed)
    assert len(set(chosen.tolist())) == len(chosen) == n_rows
    assert (np.diff(chosen) > 0).all()
    n_chosen = y_true[chosen].sum()
    assert 1 <= n_chosen < n_rows
    assert abs(n_chosen - n_rows * y_true.mean()) <= 1


def test_a_rule_table_is_drawn_by_the_seed():
    first = load_problem("dnf:rule", 0, None)
    made = make_rules("dnf", n_rows=2000, random_state=0)
    assert first.X.equals(made.X)
    np.testing.assert_array_equal(first.y, made.y_true)
    assert not first.X.equals(load_problem("dnf:rule", 1, None).X)


def test_rule_tables_need_no_folder_and_all_others_do(monkeypatch, tmp_path, folder):
    monkeypatch.delenv("PULPS_DATA", raising=False)
    tasks = suite_tasks("develop", datasets=["dnf", "parity:rule"])
    assert {task.dataset for task in tasks} == {"dnf:rule", "parity:rule"}
    with pytest.raises(DataUnavailableError, match="--data"):
        suite_tasks("develop")
    with pytest.raises(DataUnavailableError, match=r"nowhere.*--data"):
        suite_tasks("develop", data_home=tmp_path / "nowhere")
    with pytest.raises(ValueError, match="nor a rule table"):
        suite_tasks("develop", datasets=["wine"], data_home=folder)
    with pytest.raises(ValueError, match="suite 'toy' has its own tables"):
        suite_tasks("toy", data_home=folder)


def test_tables_are_chosen_by_name_or_by_problem(folder):
    both = suite_tasks("develop", datasets=["blobs"], data_home=folder)
    one = suite_tasks("develop", datasets=["blobs:rare"], data_home=folder)
    assert {task.dataset for task in both} == {"blobs:common", "blobs:rare"}
    assert {task.dataset for task in one} == {"blobs:rare"}


def test_ids_and_seeds_of_older_suites_are_as_before():
    task = Task("vote", label_frequency=0.3, fold=2)
    assert task.id == "vote c=0.3 single-training-set stratified-10 seed=0 fold=2 repeat=0"
    assert Task("a:rare", n_labeled=3, max_train=9).id.endswith("repeat=0 train=9")
    with pytest.raises(ValueError, match="max_train is 1"):
        Task("a:rare", n_labeled=3, max_train=1)


def test_a_record_names_the_table_and_not_its_place(folder):
    task = suite_tasks("develop", datasets=["blobs:rare"], data_home=folder)[0]
    record = run_task(task, ANSWER)
    assert str(folder) not in json.dumps(record)
    assert "data_home" not in record
    assert len(record["data_sha256"]) == 64
    assert record["max_train"] == 1000
    rule = run_task(suite_tasks("develop", datasets=["parity"])[0], ANSWER)
    assert rule["data_sha256"] is None


def test_a_run_goes_on_and_a_changed_table_is_refused(folder, tmp_path):
    tasks = suite_tasks("develop", data_home=folder, datasets=["blobs", "parity"])
    with Store(tmp_path / "develop.jsonl") as store:
        assert len(list(run(tasks[:2], [ANSWER], store))) == 2
        assert len(list(run(tasks, [ANSWER], store))) == len(tasks) - 2
        moved = write_tables(tmp_path / "elsewhere")
        same = suite_tasks("develop", data_home=moved, datasets=["blobs", "parity"])
        assert missing(same, [ANSWER], store) == []
        assert list(run(same, [ANSWER], store)) == []
        write_tables(folder, seed=1)
        with pytest.raises(CorruptedDataError, match=r"blobs:common, blobs:rare.*--results"):
            list(run(tasks, [ANSWER], store))
        rules = [task for task in tasks if task.dataset == "parity:rule"]
        assert list(run(rules, [ANSWER], store)) == []


def test_the_time_left_needs_no_folder_of_stored_records(folder):
    record = {"method": "m", "dataset": "gone:rare", "n_train": 100, "n_attributes": 2}
    pace = Pace([{**record, "fit_seconds": 10.0}])
    task = suite_tasks("develop", datasets=["blobs:rare"], data_home=folder)[0]
    cells = 2 * len(load_problem("blobs:rare", 0, str(folder)).X)
    seconds = pace.seconds([Job((task,), Method("m", constant))])
    assert seconds == pytest.approx(10 * cells / 200)


def fitted(**attributes):
    return SimpleNamespace(**attributes)


LABELED = np.arange(100) < 20


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (fitted(), None),
        (fitted(prior_of_unlabeled_=0.4), ToldPrior(0.4)),
        (fitted(prior_of_unlabeled_=0.4, prior_interval_=(0.3, 0.5)), ToldPrior(0.4, (0.3, 0.5))),
        (fitted(prior_=0.5), ToldPrior(0.375)),
        (fitted(prior_=0.1), ToldPrior(0.0)),
        (fitted(label_frequency_=0.4), ToldPrior(0.375)),
        (fitted(label_frequency_=0.1), ToldPrior(1.0)),
        (fitted(prior_of_unlabeled_=np.nan), None),
        (
            fitted(
                threshold_report_=fitted(
                    n_labeled=5, prior_of_unlabeled=0.2, prior_interval=(0.1, 0.6)
                )
            ),
            ToldPrior(0.2, (0.1, 0.6)),
        ),
        (fitted(threshold_report_=fitted(n_labeled=0, prior_of_unlabeled=0.5)), None),
    ],
)
def test_the_prior_is_found_where_models_keep_it(model, told):
    found = told_prior(model, LABELED, "single-training-set")
    assert (found is None) == (told is None)
    if told is not None:
        assert found.estimate == pytest.approx(told.estimate)
        assert found.interval == told.interval


def test_case_control_counts_no_labels():
    assert told_prior(fitted(label_frequency_=0.4), LABELED, "case-control") is None
    assert told_prior(fitted(prior_=0.5), LABELED, "case-control") == ToldPrior(0.5)


def test_a_prior_is_right_or_wrong_and_silence_stays_empty():
    scores = prior_scores(ToldPrior(0.5, (0.4, 0.7)), 0.3)
    assert scores["prior_error"] == pytest.approx(0.2)
    assert scores["prior_width"] == pytest.approx(0.3)
    assert scores["prior_covered"] is False
    assert prior_scores(ToldPrior(0.5, (0.3, 0.7)), 0.3)["prior_covered"] is True
    bare = prior_scores(ToldPrior(0.5), 0.3)
    assert bare["prior_error"] is not None
    assert bare["prior_covered"] is bare["prior_width"] is None
    assert set(prior_scores(None, 0.3).values()) == {None}
    assert share_scores(np.zeros(4), np.ones(4))["share_ratio"] is None


def test_records_have_the_prior_of_methods_that_tell_one():
    task = suite_tasks("develop", datasets=["parity"])[1]
    silent, telling = run_task(task, ANSWER), run_task(task, find_method("elkan-noto"))
    assert silent["prior_error"] is None
    assert silent["predicted_share"] == 1.0
    assert silent["share_ratio"] == pytest.approx(1 / np.mean(make_fold(task).y_test))
    fold = make_fold(task)
    model = ElkanNotoClassifier(random_state=task.model_seed).fit(fold.X, fold.y)
    n_positive = fold.y.sum() / model.label_frequency_
    share = (n_positive - fold.y.sum()) / (fold.y == 0).sum()
    truth = fold.y_true[fold.y == 0].mean()
    assert telling["prior_of_unlabeled_estimate"] == pytest.approx(share)
    assert telling["prior_error"] == pytest.approx(abs(share - truth))
    assert telling["average_precision"] > telling["prior"]


def test_an_interval_of_the_network_is_recorded():
    from pulps import LPSClassifier

    quick = Method(
        "quick",
        lambda task: LPSClassifier(n_members=2, max_epochs=5, random_state=task.model_seed),
    )
    record = run_task(Task("parity:rule", label_frequency=0.3, max_train=200), quick)
    assert record["error"] is None
    low, high, truth = (record[k] for k in ("prior_low", "prior_high", "prior_of_unlabeled"))
    assert record["prior_width"] == pytest.approx(high - low)
    assert record["prior_covered"] == (low <= truth <= high)


@needs_develop
def test_the_development_tables_make_tasks_of_both_kinds():
    tasks = suite_tasks("develop", data_home=DEVELOP)
    assert len(tasks) == 2 * (2 * 28 + len(RULES))
    small = [task for task in tasks if task.dataset in ("lending-club:rare", "libras:common")]
    for task in small:
        fold = make_fold(task)
        assert len(fold.y) <= 1000
        assert fold.y.sum() == max(1, round(task.label_frequency * fold.y_true.sum()))


def test_labels_are_hidden_after_the_cut(folder):
    """The share that is labeled is that of the rows a method sees."""
    task = Task("big:common", label_frequency=0.1, max_train=300, data_home=str(folder), fold=2)
    fold = make_fold(task)
    again = hide_labels(fold.y_true, label_frequency=0.1, random_state=2)
    np.testing.assert_array_equal(fold.y, again)
