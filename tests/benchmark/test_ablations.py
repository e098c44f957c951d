"""Variants of the default: each changes one thing, and is compared task by task."""

import re
import warnings
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from pulps import LossWeights, LPSClassifier
from pulps.benchmark.ablations import ABLATIONS, BASELINE, CLASSES, VARIANTS, ablation_table
from pulps.benchmark.methods import find_methods
from pulps.benchmark.protocol import Task
from pulps.benchmark.store import Store
from pulps.benchmark.variant_rules import agreement_weights
from pulps.cli import benchmark as cli
from pulps.decision import AgreementWarning
from pulps.decision.selection import kappa_matrix
from pulps.io._sklearn import check_parameters

TASK = Task("vote", label_frequency=0.3)
LETTERS = {
    "labeled_own": "λ1",
    "labeled_other": "λ2",
    "positive_own": "λ3",
    "positive_other": "λ4",
    "negative_other": "λ5",
    "negative_own": "λ6",
    "norm": "λ7",
    "balance": "λ8",
}


def changes(name):
    """Parameters and weights of the loss in which a variant differs from the states alone."""
    model = ABLATIONS[f"lps-{name}"].make(TASK)
    check_parameters(model)
    assert model.random_state == TASK.model_seed
    default = LPSClassifier(first_guess=None, random_state=TASK.model_seed).get_params()
    found = {
        key.removeprefix("recipe__"): value
        for key, value in model.get_params().items()
        if key != "recipe" and value != default[key]
    }
    if "loss_weights" in found:
        weights, plain = asdict(found.pop("loss_weights")), asdict(LossWeights())
        found |= {key: value for key, value in weights.items() if value != plain[key]}
    return found


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_changes_something_and_tells_what(name):
    group, text, _ = VARIANTS[name]
    found = changes(name)
    assert found
    if group == "loss":
        assert set(found) <= {*asdict(LossWeights()), "margin", "log_of"}
    for letter in re.findall("λ[0-9]", text):
        (field,) = [key for key, value in LETTERS.items() if value == letter]
        assert found.pop(field) == 0
    if "λ" in text:
        assert not found


@pytest.mark.parametrize("name", [name for name in VARIANTS if re.search("-[0-9]+$", name)])
def test_a_number_in_the_name_of_a_variant_is_its_value(name):
    number = int(name.rpartition("-")[2])
    assert list(changes(name).values()) == [number]


@pytest.mark.parametrize(
    ("name", "expected"),
    {
        "half-prior": {"prior": None},
        "all-labels": {"label_parts": None},
        "cut-balance": {"threshold": "balance"},
        "cut-prior": {"threshold": "prior"},
        "cut-pu-f1": {"threshold": "pu-f1"},
        "cut-lee-liu": {"threshold": "lee-liu"},
        "rank-scale": {"numeric_scale": "rank"},
        "min-max-scale": {"numeric_scale": "min-max"},
        "one-member": {"n_members": 1},
        "four-members": {"n_members": 4},
        "pair": {"n_selected": 2},
        "short": {"max_epochs": 100},
        "long": {"max_epochs": 400},
        "strong-balance": {"balance": 4 * LossWeights().balance},
        "together": {"start": "random", "spacing": 1, "output_dim": 4},
    }.items(),
)
def test_variants_named_by_a_word_change_just_that(name, expected):
    assert changes(name) == expected


@pytest.fixture(scope="module")
def table():
    """Numbers, categories and missing cells; the outer two columns depend on each other."""
    rng = np.random.RandomState(0)
    truth = np.arange(120) < 45
    word = np.where(rng.rand(120) < 0.3, "yes", np.array(["no", "yes"])[truth * 1])
    X = pd.DataFrame(
        {
            "size": np.where(rng.rand(120) < 0.1, np.nan, truth + rng.normal(0, 0.8, 120)),
            "word": word,
            "same": np.where(rng.rand(120) < 0.1, "no", word),
        }
    )
    return X[["word", "size", "same"]], (truth & (rng.rand(120) < 0.7)).astype(int)


def fit(model, table):
    """Fit a small model for a moment; what a variant changes stays as it is."""
    quick = {"max_epochs": 10, "bond_dim": 3}
    default = LPSClassifier()
    model = clone(model).set_params(
        **{k: v for k, v in quick.items() if getattr(model, k) == getattr(default, k)}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)  # so few rows and epochs prove nothing
        return model.fit(*table)


@pytest.fixture(scope="module")
def default(table):
    return fit(LPSClassifier(first_guess=None, random_state=TASK.model_seed), table)


SAME_HERE = {
    "half-prior": "ten epochs give no reason to leave one half",
    "cut-balance": "so few labels leave the cut at equal norms",
    "repeats-2": "the default repeats the columns of so few rows twice",
}


@pytest.mark.parametrize("name", [*CLASSES, *VARIANTS])
def test_a_variant_fits_a_table_and_is_another_model(name, table, default):
    model = ABLATIONS[f"lps-{name}"].make(TASK)
    if name in CLASSES:
        plain = LPSClassifier(first_guess=None, random_state=model.random_state)
        assert model.get_params() == plain.get_params()
    model = fit(model, table)
    assert set(model.predict(table[0])) <= {0, 1}
    decision = model.decision_function(table[0])
    assert np.isfinite(decision).all()
    same = np.array_equal(decision, default.decision_function(table[0]))
    assert same == (name in SAME_HERE), SAME_HERE.get(name)


def test_weighted_members_differ_from_the_default_in_their_mean_only(table, default):
    X, _ = table
    model = ABLATIONS["lps-agreement-weighted"].make(TASK)
    model = fit(model, table)
    decisions = default.member_decisions(X)
    np.testing.assert_array_equal(model.member_decisions(X), decisions)
    weights = agreement_weights(kappa_matrix(decisions > 0))
    assert np.ptp(weights) > 0.01
    np.testing.assert_allclose(model.decision_function(X), weights @ decisions)


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


def test_variants_of_a_part_stand_together():
    frame = records()
    others = [
        frame[frame["method"] == "lps-no-norm"].assign(method=f"lps-{name}")
        for name in ("random-start", "soft-sides", "together")
    ]
    table = ablation_table(pd.concat([frame, *others]))
    assert [row[0].text for row in table.rows] == ["loss", "loss", "training", "together"]
    assert table.rows[1][1].text == CLASSES["soft-sides"][1]


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
