"""Variants of the default: each changes one thing, and is compared task by task."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from pulps import LossWeights, LPSClassifier
from pulps.benchmark.ablations import ABLATIONS, BASELINE, CLASSES, VARIANTS, ablation_table
from pulps.benchmark.methods import find_methods
from pulps.benchmark.protocol import Task
from pulps.benchmark.store import Store
from pulps.cli import benchmark as cli
from pulps.decision.selection import AgreementWarning, agreement_weights, kappa_matrix


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


@pytest.fixture(scope="module")
def table():
    """Numbers, categories and holes, repeated along the chain."""
    rng = np.random.RandomState(0)
    truth = np.arange(60) < 30
    X = pd.DataFrame(
        {
            "size": np.where(rng.rand(60) < 0.1, np.nan, truth + rng.normal(0, 0.8, 60)),
            "word": np.where(rng.rand(60) < 0.3, "yes", np.array(["no", "yes"])[truth * 1]),
        }
    )
    return X, (truth & (rng.rand(60) < 0.5)).astype(int)


def fit(model, table):
    model = clone(model).set_params(max_epochs=10, bond_dim=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)  # so few rows and epochs prove nothing
        return model.fit(*table)


@pytest.fixture(scope="module")
def default(table):
    return fit(LPSClassifier(random_state=Task("vote", label_frequency=0.3).model_seed), table)


@pytest.mark.parametrize("name", [*CLASSES, "cluster", "together"])
def test_a_variant_fits_a_table_and_is_another_model(name, table, default):
    model = ABLATIONS[f"lps-{name}"].make(Task("vote", label_frequency=0.3))
    if name in CLASSES:
        assert model.get_params() == LPSClassifier(random_state=model.random_state).get_params()
    model = fit(model, table)
    assert set(model.predict(table[0])) <= {0, 1}
    decision = model.decision_function(table[0])
    assert np.isfinite(decision).all()
    assert not np.array_equal(decision, default.decision_function(table[0]))


def test_weighted_members_differ_from_the_default_in_their_mean_only(table, default):
    X, _ = table
    model = ABLATIONS["lps-agreement-weighted"].make(Task("vote", label_frequency=0.3))
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
