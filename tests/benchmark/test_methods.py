"""The rivals by name: the task's seed and scenario reach them, and they run in the benchmark."""

from dataclasses import replace

import pytest
from populations import mixed_table

from pulps.benchmark.methods import find_method
from pulps.benchmark.protocol import Task, run_task

TOLD_THE_SCENARIO = """apnb aptan dist-pu elkan-noto elkan-noto-weighted genpu nnpu pnb ptan
pu-bagging pu-extra-trees ted-n upu vpu""".split()
WITHOUT_A_SCENARIO = "cgenpu cgenpu-ac d-gan gpu one-class-lps pgan spies".split()


@pytest.mark.parametrize("scenario", ["single-training-set", "case-control"])
@pytest.mark.parametrize("method", TOLD_THE_SCENARIO)
def test_rivals_are_told_the_scenario_of_their_task(method, scenario):
    task = Task("vote", label_frequency=0.3, scenario=scenario)
    assert find_method(method).make(task).scenario == scenario


@pytest.mark.parametrize("method", WITHOUT_A_SCENARIO)
def test_rivals_that_know_no_scenario_are_not_told(method):
    task = Task("vote", label_frequency=0.3, scenario="case-control")
    assert "scenario" not in find_method(method).make(task).get_params()


@pytest.mark.parametrize("method", TOLD_THE_SCENARIO + WITHOUT_A_SCENARIO)
def test_rivals_have_the_seed_of_their_task(method):
    task = Task("vote", label_frequency=0.3)
    again = replace(task, repeat=1)
    assert task.model_seed != again.model_seed
    for one in (task, again):
        assert find_method(method).make(one).random_state == one.model_seed


@pytest.mark.parametrize(
    ("method", "least"),
    [
        ("one-class-lps", 0.95),
        ("vpu", 0.95),
        *((name, 0.8) for name in "pnb apnb ptan aptan pulce".split()),
    ],
)
def test_the_rivals_run_in_the_benchmark(method, least):
    record = run_task(Task("blobs", label_frequency=0.3), find_method(method))
    assert record["error"] is None
    assert record["auc"] > least


def test_luhc_is_tuned_without_negatives():
    X, truth, y = mixed_table()
    search = find_method("luhc").make(Task("moons", label_frequency=0.3))
    search.fit(X, (y == "yes").astype(int))
    assert search.best_score_ == search.cv_results_["mean_test_score"].max() > 1  # all-positive: 1
    assert (search.predict(X) == truth).mean() > 0.7
