"""What the guide says about suggestions and about labels that look random is in the records."""

import json
import re
from pathlib import Path

import clients
import numpy as np
import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"


def records(name):
    lines = (RESULTS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("score", ["auc", "accuracy"])
def test_diverse_suggestions_need_at_most_60_percent_of_random_labels_on_three_of_five(score):
    rows = [
        (record["table"], record["method"], one["answers"], one[score])
        for record in records("suggest")
        for one in record["rounds"]
    ]
    frame = pd.DataFrame(rows, columns=["table", "how", "answers", "score"])
    means = frame.groupby(["table", "how", "answers"])["score"].mean().unstack("answers")
    enough = []
    for table in means.index.unique("table"):
        random, diverse = means.loc[(table, "random")], means.loc[(table, "diverse")]
        gained = random.iloc[-1] > random.iloc[0]
        within = np.interp(0.6 * random.index[-1], diverse.index, np.maximum.accumulate(diverse))
        enough.append(gained and within >= random.iloc[-1])
    assert len(enough) == 5
    assert sum(enough) >= 3


def test_checks_of_scikit_learn_that_fail_with_defaults_are_in_the_guide():
    found = json.loads((RESULTS / "contracts.json").read_text(encoding="utf-8"))
    failed = {(check, name) for name, one in found.items() for check in one["failed"]}
    guide = (ROOT / "docs" / "guide" / "tools.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(check_\w+)` \| ([^|]+) \|", guide, re.MULTILINE))
    weights = "check_sample_weight_equivalence_on_dense_data"
    assert {check for check, _ in failed} == set(told)
    named = {
        "Elkan–Noto": "ElkanNotoClassifier",
        "uPU": "UPUClassifier",
        "VPU": "VPUClassifier",
        "Dist-PU": "DistPUClassifier",
        "(TED)ⁿ": "TEDnClassifier",
        "one-class LPS": "OneClassLPS",
    }
    listed = {named[name] for name in told[weights].split(", ")}
    assert {name for check, name in failed if check == weights} == listed


def test_the_page_of_other_tools_has_the_last_results_and_none_fails():
    kept = json.loads((RESULTS / "clients.json").read_text(encoding="utf-8"))
    assert set(kept) == set(clients.CLIENTS)
    assert {name: one["failed"] for name, one in kept.items() if one["failed"]} == {}
    assert all(one["passed"] > 0 for one in kept.values())
    assert (ROOT / "docs" / "clients.md").read_text(encoding="utf-8") == clients.page()


def test_a_test_is_counted_for_its_client():
    found = {"a.py::test_x[lightgbm]": "passed", "a.py::test_x[xgboost]": "failed"}
    assert clients.of_client("xgboost", ["a.py::test_x", "xgboost"], found) == {
        "a.py::test_x[xgboost]": "failed"
    }


def test_random_labels_are_doubted_in_at_most_5_percent_and_the_guide_says_how_often():
    frame = pd.DataFrame(records("random_labels"))
    found = frame.groupby(["mechanism", "prior"])["doubted"].agg(["mean", "size"])
    assert (found.loc["scar", "size"] == 200).all()
    assert (found.loc["scar", "mean"] <= 0.05).all()
    guide = (ROOT / "docs" / "guide" / "check.md").read_text(encoding="utf-8")
    told = [float(share) for share in re.findall(r"\| ([\d.]+) %(?: \([^|]*\))? \| \d+ \|", guide)]
    order = [("scar", "learned"), ("scar", "given"), ("sar", "given"), ("sar", "learned")]
    assert told == [round(100 * found.loc[place, "mean"], 1) for place in order]
