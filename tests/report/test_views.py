"""The report on a consensus: what each view weighed, thought and disputed."""

import json

import numpy as np
import pytest
from reported import DENSITY, QUICK, make_table

from pulps import LPSClassifier, PUClassifier
from pulps.report.candidates import as_table

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
NETWORK_ONLY = ("dependence", "examples", "training")


@pytest.fixture(scope="module")
def consensus():
    table, _, y = make_table()
    model = PUClassifier(views=["kernel", "bagging", "boosting"], random_state=0).fit(table, y)
    return model, table, y, model.report(table, y, title="Mine", n_rows=30)


@pytest.fixture(scope="module")
def generative():
    table, _, y = make_table()
    model = PUClassifier(
        views=["kernel", "bagging"],
        network=LPSClassifier.from_parameters(**QUICK, density=DENSITY),
        generative=True,
        random_state=0,
    )
    return model.fit(table, y).report(table, y)


def keys(data):
    return {name: set(part) if isinstance(part, dict) else None for name, part in data.items()}


def test_the_data_is_plain_json(consensus, generative):
    for report in (consensus[-1], generative):
        assert json.loads(json.dumps(report.data, allow_nan=False)) == report.data


def test_both_kinds_of_model_have_the_same_keys(consensus, generative, report):
    bare, whole, alone = consensus[-1].data, generative.data, report.data
    assert list(bare) == list(whole) == list(alone)
    for name in ("learned", "scores", "candidates", "importance"):
        assert keys(bare)[name] == keys(whole)[name] == keys(alone)[name]
    assert (bare["kind"], whole["kind"], alone["kind"]) == ("consensus", "consensus", "lps")
    assert alone["views"] is None
    for name in NETWORK_ONLY:
        assert bare[name] is None
        assert keys(whole)[name] == keys(alone)[name]
    for item in bare["attributes"]:
        assert item["positive"] is None
        assert sum(item["unlabeled"]) == pytest.approx(1)


def test_weights_and_areas_are_those_of_the_views(consensus):
    model, _, _, report = consensus
    told = {item["name"]: item for item in report.data["views"]["opinions"]}
    assert {name: item["weight"] for name, item in told.items()} == dict(model.views_["weight"])
    assert {name: item["area"] for name, item in told.items()} == dict(model.views_["area"])
    weights = [item["weight"] for item in told.values()]
    assert weights == sorted(weights, reverse=True)
    assert all(item["sentence"] for item in told.values())


def test_held_out_scores_are_told_beside_those_of_the_rows(consensus, report):
    model, _, y, made = consensus
    held_out = made.data["scores"]["held_out"]
    assert sum(held_out["labeled"]) == y.sum()
    above = np.array(held_out["edges"][:-1]) > -1e-12
    recall = np.array(held_out["labeled"])[above].sum() / y.sum()
    assert recall == pytest.approx(model.threshold_report_.recall)
    assert report.data["scores"]["held_out"] is None


def test_opinions_are_those_of_the_model(consensus):
    model, table, y, report = consensus
    views = report.data["views"]
    names = [item["name"] for item in views["opinions"]]
    opinions = model.opinions(table)[names]
    listed = [item["row"] for item in report.data["candidates"]["rows"]]
    assert [item["row"] for item in views["candidates"]] == listed[: len(views["candidates"])]
    for item in views["candidates"] + views["disputed"]:
        assert y[item["row"] - 1] == 0
        np.testing.assert_allclose(item["scores"], opinions.iloc[item["row"] - 1])


def test_disputed_rows_are_called_positive_by_some_views_and_not_by_others(consensus):
    *_, y, report = consensus
    votes = {item["row"]: item["votes"] for item in report.data["candidates"]["rows"]}
    disputed = report.data["views"]["disputed"]
    assert 0 < len(disputed) <= report.data["views"]["n_split"] <= (y == 0).sum()
    for item in disputed:
        assert 0 < item["votes"] < 1
        assert votes.get(item["row"], item["votes"]) == item["votes"]


def test_an_effect_is_the_decision_less_the_decision_with_the_cell_missing(consensus):
    model, table, _, report = consensus
    found = as_table(report.data["candidates"])
    rows = table.iloc[found["row"] - 1]
    change = model.decision_function(rows) - model.decision_function(rows.assign(size=None))
    np.testing.assert_allclose(found["effect of size"], change, atol=1e-9)
    assert report.data["importance"]["attributes"][0]["name"] in ("size", "color")


def test_the_page_has_what_the_model_has_and_says_what_it_has_not(consensus, generative, report):
    bare, whole, alone = consensus[-1].html(), generative.html(), report.html()
    for name in NETWORK_ONLY:
        assert f'id="{name}"' not in bare
        assert f'href="#{name}"' not in bare
        assert f'id="{name}"' in whole
        assert f'id="{name}"' in alone
    assert "This model does not generate" in bare
    assert "This model does not generate" not in whole + alone
    assert 'id="views"' in bare
    assert 'id="views"' in whole
    assert 'id="views"' not in alone


def test_an_upper_bound_is_told_as_one():
    rng = np.random.RandomState(0)
    X = rng.rand(400, 2)
    y = np.repeat([1, 0], [80, 320])
    model = PUClassifier(views=["kernel"], random_state=0).fit(X, y)
    model.threshold_report_ = type(model.threshold_report_)(
        **vars(model.threshold_report_) | {"prior_interval": (0.1, 0.9)}
    )
    report = model.report(X, y)
    assert report.data["learned"]["upper_bound_only"]
    assert "at most 90\N{NO-BREAK SPACE}%" in report.html()
    topics = {item["topic"] for item in report.data["warnings"]}
    assert {"share of positives", "weak views"} <= topics


def test_views_of_others_and_a_network_among_them_are_named():
    from sklearn.linear_model import LogisticRegression

    table, _, y = make_table()
    network = LPSClassifier(n_members=1, max_epochs=2, n_repeats=1)
    views = ["kernel", "lps", ("mine", LogisticRegression())]
    model = PUClassifier(views=views, network=network, random_state=0).fit(table, y)
    told = {
        item["name"]: item["sentence"] for item in model.report(table, y).data["views"]["opinions"]
    }
    assert told["lps"].startswith("LPSClassifier")
    assert told["mine"].startswith("LogisticRegression")
