"""Variants of the default: each changes one thing, and is compared task by task."""

import pandas as pd
import pytest

from pulps import LossWeights, LPSClassifier
from pulps.benchmark import cli
from pulps.benchmark.ablations import ABLATIONS, BASELINE, VARIANTS, ablation_table
from pulps.benchmark.methods import find_methods
from pulps.benchmark.protocol import Task
from pulps.benchmark.store import Store


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_differs_from_the_default_where_it_says(name):
    model = ABLATIONS[f"lps-{name}"].make(Task("vote", label_frequency=0.3))
    model._validate_params()
    changed = {
        key: value
        for key, value in model.get_params().items()
        if key != "random_state" and value != LPSClassifier().get_params()[key]
    }
    if "loss_weights" in changed:
        weights, default = changed.pop("loss_weights"), LossWeights()
        changed |= {
            field: getattr(weights, field)
            for field in LossWeights.__dataclass_fields__
            if getattr(weights, field) != getattr(default, field)
        }
    assert changed == VARIANTS[name][2]


def test_all_variants_can_be_asked_for_at_once():
    found = [method.name for method in find_methods(["ablations", "all-positive"])]
    assert found == [BASELINE, *ABLATIONS, "all-positive"]


def records():
    rows = [
        (f"task {fold}", "vote", fold, method, score + 0.01 * fold, score, 0.9)
        for fold in range(4)
        for method, score in ((BASELINE, 0.8), ("lps-no-norm", 0.7))
    ]
    columns = ["task", "dataset", "fold", "method", "f1_pos", "macro_f1", "auc"]
    frame = pd.DataFrame(rows, columns=columns)
    return frame[:-1]  # the last task of the variant is not done yet


def test_variants_are_compared_on_the_tasks_both_have_done():
    table = ablation_table(records())
    (row,) = table.rows
    texts = [cell.text for cell in row]
    assert texts == [
        "loss",
        "no norm term (λ7 = 0)",
        "-0.100 ± 0.000",
        "-0.100 ± 0.000",
        "+0.000 ± 0.000",
        "3",
    ]
    assert "Tables: vote; 30 %" in table.notes[1]
    assert "folds 0, 1, 2, 3 of seed 1" in table.notes[1]


def test_the_page_is_written_from_the_store(tmp_path):
    origin = {
        "version": "1",
        "commit": "c",
        "machine": "m",
        "date": "2020-01-01",
        "error": None,
    }
    with Store(tmp_path / "ablations.jsonl") as store:
        for record in records().to_dict("records"):
            store.append(origin | record)
    cli.tables("ablations", results=tmp_path, docs=tmp_path)
    page = (tmp_path / "ablations.md").read_text(encoding="utf-8")
    assert "no norm term (λ7 = 0) | -0.100" in page
    assert "default and variants: 7 records" in page


def test_an_empty_store_says_what_to_run(tmp_path):
    with pytest.raises(ValueError, match="pulps bench run ablations"):
        cli.tables("ablations", results=tmp_path, docs=tmp_path)


def test_the_methods_are_listed(capsys):
    cli.methods()
    listed = capsys.readouterr().out
    assert "lps-paper                LPS (paper)" in listed
    assert "lps-no-norm" in listed
