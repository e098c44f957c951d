"""Reasons to look twice, each under its own topic."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from reported import QUICK

from pulps import LPSClassifier
from pulps.report import make_report
from pulps.report.warnings import LITTLE_AGREEMENT, _biased_labels, find_warnings

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


def topics(model, table, y):
    return {item["topic"]: item["text"] for item in make_report(model, table, y).data["warnings"]}


class Agreeing:
    """What the warnings read of a model whose members agree so much."""

    first_guess = None

    class encoder_:  # noqa: N801
        columns_, constant_features_ = (), ()

    def __init__(self, agreement, kappa, **report):
        self.agreement_, self.kappa_ = agreement, kappa
        held_out = {"n_labeled": 50, "recall": 0.9, "share": 0.3, "accuracy": 0.9} | report
        self.threshold_report_ = SimpleNamespace(**held_out)

    def warnings(self):
        decision = np.array([-1.0, 1.0])
        nothing = np.zeros((2, 0))
        labeled = np.array([True, False])
        return find_warnings(self, nothing, labeled, decision, decision, {})


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (Agreeing(0.99, 0.1), "Members agree on 99% of the rows, but hardly more"),
        (Agreeing(0.99, 0.9, accuracy=0.6), "Members agree on 99% of the rows, but held-out"),
        (Agreeing(0.95, 0.9, recall=0.3), "Of the labeled rows that were held out 30%"),
    ],
    ids=["one class", "wrong split", "no difference"],
)
def test_members_that_agree_are_never_said_to_disagree(model, sentence):
    (warning,) = model.warnings()
    assert warning["text"].startswith(sentence)
    assert warning["topic"] == "agreement is not accuracy"


def test_members_that_disagree_are_said_to_whatever_else_is_wrong():
    assert Agreeing(LITTLE_AGREEMENT, 0.6).warnings() == []
    first, second = Agreeing(LITTLE_AGREEMENT - 0.01, 0.5, accuracy=0.5).warnings()
    assert first["topic"] == "members disagree"
    assert first["text"].startswith("Members agree on only 79 % of what they were trained on")
    assert second["topic"] == "agreement is not accuracy"


@pytest.mark.filterwarnings("ignore:Only 4 rows:pulps.tables.notices.TableWarning")
def test_too_few_labels_and_unused_columns_are_told(fitted):
    _, table, _, truth = fitted
    y = truth.copy()
    y[np.flatnonzero(truth)[4:]] = False
    found = topics(LPSClassifier.from_parameters(**QUICK).fit(table, y), table, y)
    assert "too few labels" in found
    assert "same" in found["unused columns"]


def test_biased_labels_are_told_where_labels_depend_on_a_number():
    rng = np.random.default_rng(1)
    truth = np.repeat([True, False], 150)
    table = pd.DataFrame(
        {"a": rng.normal(size=300) + 4 * truth, "b": rng.random(300), "c": rng.random(300)}
    )
    chance = truth & (rng.random(300) < 0.4)
    choice = truth & (table["b"] > 0.6).to_numpy()
    model = LPSClassifier(n_members=1, max_epochs=1, random_state=0, n_repeats=1)
    model.fit(table, chance)
    values = model.encoder_.transform(table)
    assert _biased_labels(model, values, chance, 0.9 * truth) == []
    ((topic, text),) = _biased_labels(model, values, choice, 0.9 * truth)
    assert topic == "biased labels"
    assert "positive in b (distance" in text


def test_labels_biased_by_a_category_are_told():
    truth = np.repeat([True, False], 100)
    table = pd.DataFrame({"a": np.arange(200.0), "k": np.tile(["u", "v"], 100)})
    chance, choice = truth & (np.arange(200) % 4 < 2), truth & (table["k"] == "u").to_numpy()
    model = LPSClassifier(n_members=1, max_epochs=1, random_state=0, n_repeats=1)
    model.fit(table, chance)
    values = model.encoder_.transform(table)
    assert _biased_labels(model, values, chance, 0.9 * truth) == []
    ((_, text),) = _biased_labels(model, values, choice, 0.9 * truth)
    assert "positive in k (distance" in text


def test_values_the_model_never_saw_are_told(fitted):
    model, table, y, _ = fitted
    assert "new values" not in topics(model, table, y)
    strange = table.assign(color="green", size=99.0)
    text = topics(model, strange, y)["new values"]
    assert "color (100 %)" in text
    assert "size (100 %)" in text
