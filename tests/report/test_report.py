"""The report says what the model says, and nothing in a table can break out of it."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pulps import LPSClassifier
from pulps.estimators.density import new_generator
from pulps.network import sampling
from pulps.report import make_report
from pulps.report.candidates import as_table
from pulps.report.charts import curve_chart, score_chart
from pulps.report.warnings import LITTLE_AGREEMENT, _biased_labels, find_warnings

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
QUICK = {"n_members": 2, "max_epochs": 20, "random_state": 0, "n_repeats": 1}
HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><style>*{display:none}</style>",
    "{{ 7 * 7 }}{% raw %}",
    "=cmd|' /C calc'!A0",
    "<!--",
]


def make_table(n_rows=160):
    rng = np.random.default_rng(0)
    truth = rng.random(n_rows) < 0.5
    table = pd.DataFrame(
        {
            "size": rng.normal(size=n_rows) + 2 * truth,
            "noise": rng.normal(size=n_rows),
            "color": np.where(rng.random(n_rows) < 0.2 + 0.6 * truth, "red", "blue"),
            "same": "x",
        }
    )
    table.loc[::11, "size"] = np.nan
    return table, truth, (truth & (rng.random(n_rows) < 0.4)).astype(int)


@pytest.fixture(scope="module")
def fitted():
    table, truth, y = make_table()
    return LPSClassifier(**QUICK).fit(table, y), table, y, truth


@pytest.fixture(scope="module")
def report(fitted):
    model, table, y, _ = fitted
    return model.report(table, y, title="Mine", n_rows=30)


def test_the_data_is_plain_json(report):
    assert json.loads(json.dumps(report.data, allow_nan=False)) == report.data


def test_listed_are_the_unlabeled_rows_with_the_highest_decision(fitted, report):
    model, table, y, _ = fitted
    decision = model.decision_function(table)
    rows = [item["row"] - 1 for item in report.data["candidates"]["rows"]]
    hidden = np.flatnonzero(y == 0)
    assert rows == hidden[np.argsort(-decision[hidden], kind="stable")][:30].tolist()
    for item in report.data["candidates"]["rows"]:
        row = item["row"] - 1
        assert item["decision"] == pytest.approx(decision[row])
        assert item["probability"] == pytest.approx(model.predict_proba(table)[row, 1])
        assert item["cells"][2:] == [table["color"][row], "x"]


def test_an_effect_is_the_decision_less_the_decision_with_the_cell_missing(fitted, report):
    model, table, _, _ = fitted
    decision = model.decision_function(table)
    found = as_table(report.data["candidates"])
    rows = found["row"] - 1
    sizes = {}
    for name in ("size", "noise", "color"):
        change = decision - model.decision_function(table.assign(**{name: None}))
        np.testing.assert_allclose(found[f"effect of {name}"], change[rows], atol=1e-12)
        sizes[name] = np.abs(change).mean()
    told = {i["name"]: i["size"] for i in report.data["importance"]["attributes"]}
    assert told == pytest.approx(sizes)
    assert list(told) == sorted(sizes, key=sizes.get, reverse=True)


def test_votes_are_the_share_of_members_that_call_a_row_positive():
    """Members trained for a moment dispute many rows, so that every share occurs."""
    table, _, y = make_table()
    model = LPSClassifier(**QUICK | {"n_members": 4, "max_epochs": 3}).fit(table, y)
    listed = model.report(table, y, n_rows=len(table)).data["candidates"]["rows"]
    assert len(listed) == (y == 0).sum()
    rows = [item["row"] - 1 for item in listed]
    expected = (model.member_decisions(table) > 0).mean(axis=0)[rows]
    assert [item["votes"] for item in listed] == expected.tolist()
    assert {0.0, 0.5, 1.0} <= set(expected)


def test_every_row_is_counted_once_in_the_histogram_and_on_its_side(fitted, report):
    model, table, y, _ = fitted
    scores = report.data["scores"]
    assert sum(scores["labeled"]) == y.sum()
    assert sum(scores["unlabeled"]) == (y == 0).sum()
    edges = np.array(scores["edges"])
    assert np.abs(edges).min() < 1e-12
    above = edges[:-1] > -1e-12
    called = np.array(scores["unlabeled"])[above].sum()
    assert called == report.data["learned"]["n_called_positive"]
    assert called == (model.decision_function(table)[y == 0] > 0).sum()


def test_shares_sum_to_one_and_marginals_are_the_models(fitted, report):
    model, table, y, _ = fitted
    for item in report.data["attributes"]:
        for side in ("labeled", "unlabeled", "positive", "negative"):
            assert sum(item[side]) == pytest.approx(1)
    color = next(i for i in report.data["attributes"] if i["name"] == "color")
    assert color["categories"] == ["blue", "red"]
    np.testing.assert_allclose(color["negative"], model.marginal("color", 0))
    assert color["labeled"][1] == pytest.approx((table["color"][y == 1] == "red").mean())


def test_mutual_information_of_some_columns_is_a_part_of_all(fitted, report):
    model, *_ = fitted
    whole = model.mutual_information(0)
    some = model.mutual_information(0, columns=["color", "size"])
    pd.testing.assert_frame_equal(some, whole.loc[["color", "size"], ["color", "size"]])
    names = report.data["dependence"]["names"]
    told = np.array(report.data["dependence"]["negative"], dtype=float)
    np.testing.assert_allclose(told, whole.loc[names, names])


class Skeleton(HTMLParser):
    """Tags with the names of their attributes, and the text between."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs)))

    def handle_comment(self, data):
        self.tags.append(("comment", data))

    def handle_data(self, data):
        self.text.append(data)


def skeleton(page):
    parser = Skeleton()
    parser.feed(page)
    parser.close()
    return parser


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_and_values_change_no_tag(fitted, text):
    _, table, y, _ = fitted
    pages = []
    for word in ("harmless", text):
        renamed = table.rename(columns={"color": word})
        renamed[word] = np.where(table["color"] == "red", word + "1", word + "2")
        model = LPSClassifier(n_members=1, max_epochs=2, random_state=0, n_repeats=1)
        pages.append(model.fit(renamed, y).report(renamed, y, title=word, n_rows=5).html())
    calm, wild = map(skeleton, pages)
    assert wild.tags == calm.tags
    assert text in "".join(wild.text)


def test_the_page_loads_nothing_and_names_its_only_script(report):
    page = report.html()
    assert not re.search(r"https?:|//[a-z]|@import|url\(|\bsrc=", page)
    assert page.count("<script") == 1
    script = re.search(r"<script>(.*?)</script>", page, re.S).group(1)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert "default-src 'none'" in page


def test_the_download_holds_all_columns_and_no_formula(fitted):
    _, table, y, _ = fitted
    bad = table.rename(columns={"color": "=name"})
    bad["=name"] = "=" + bad["=name"]
    model = LPSClassifier(n_members=1, max_epochs=2, random_state=0, n_repeats=1).fit(bad, y)
    page = model.report(bad, y, n_rows=7).html()
    (encoded,) = re.findall(r"base64,([A-Za-z0-9+/=]+)\"", page)
    text = base64.b64decode(encoded).decode("utf-8-sig")
    lines = text.splitlines()
    assert len(lines) == 8
    assert "'=name" in lines[0].split(",")
    for line in lines:
        assert not any(part.startswith(("=", "@", "+")) for part in line.split(","))
    assert all("'=" in line for line in lines[1:])


def topics(model, table, y):
    return {item["topic"]: item["text"] for item in make_report(model, table, y).data["warnings"]}


class Agreeing:
    """What the warnings read of a model whose members agree so much."""

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
    assert first["text"].startswith("Members agree on only 79% of the training rows")
    assert second["topic"] == "agreement is not accuracy"


NAMES = {"one and two": ([1, 2], None), "positive is 0": ([1, 0], 0), "words": (["a", "b"], "b")}


@pytest.mark.parametrize("n_repeats", [1, 2])
@pytest.mark.parametrize("names", NAMES)
def test_a_report_does_not_depend_on_the_names_of_the_classes(names, n_repeats):
    table, _, y = make_table()
    (values, pos_label), settings = NAMES[names], QUICK | {"n_repeats": n_repeats}
    plain = LPSClassifier(**settings).fit(table, y).report(table, y)
    labels = np.array(values)[y]
    other = LPSClassifier(**settings, pos_label=pos_label).fit(table, labels)
    assert other.report(table, labels).data == plain.data
    assert plain.data["examples"]["positive"] != plain.data["examples"]["negative"]
    for item in plain.data["attributes"]:
        assert item["positive"] != item["negative"]


def test_too_few_labels_and_unused_columns_are_told(fitted):
    _, table, _, truth = fitted
    y = truth.copy()
    y[np.flatnonzero(truth)[4:]] = False
    found = topics(LPSClassifier(**QUICK).fit(table, y), table, y)
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
    assert "positive in b." in text


def test_labels_biased_by_a_category_are_told():
    truth = np.repeat([True, False], 100)
    table = pd.DataFrame({"a": np.arange(200.0), "k": np.tile(["u", "v"], 100)})
    chance, choice = truth & (np.arange(200) % 4 < 2), truth & (table["k"] == "u").to_numpy()
    model = LPSClassifier(n_members=1, max_epochs=1, random_state=0, n_repeats=1)
    model.fit(table, chance)
    values = model.encoder_.transform(table)
    assert _biased_labels(model, values, chance, 0.9 * truth) == []
    ((_, text),) = _biased_labels(model, values, choice, 0.9 * truth)
    assert "positive in k." in text


def test_values_the_model_never_saw_are_told(fitted):
    model, table, y, _ = fitted
    assert "new values" not in topics(model, table, y)
    strange = table.assign(color="green", size=99.0)
    text = topics(model, strange, y)["new values"]
    assert "color (100%)" in text
    assert "size (100%)" in text


def test_polars_and_arrays_are_reported_alike(fitted):
    model, table, y, _ = fitted
    frame = pl.from_pandas(table)
    same = LPSClassifier(**QUICK).fit(frame, y).report(frame, y, n_rows=30)
    assert same.data["candidates"] == model.report(table, y, n_rows=30).data["candidates"]
    numbers = table[["noise"]].assign(size=table["size"].fillna(0)).to_numpy()
    page = LPSClassifier(**QUICK).fit(numbers, y).report(numbers, n_rows=3)
    assert page.data["candidates"]["columns"] == ["x0", "x1"]
    assert page.data["learned"]["n_labeled"] == 0
    assert "<!doctype html>" in page.html()


def test_with_repeats_densities_are_read_off_draws():
    rng = np.random.default_rng(0)
    X = rng.random((200, 2))
    y = (X.sum(1) > 1) & (rng.random(200) < 0.5)
    model = LPSClassifier(n_members=2, max_epochs=8, random_state=0, feature_dim=3, bond_dim=3)
    report = model.fit(X, y).report(X, y)
    assert not report.data["examples"]["exact"]
    assert "200 rows drawn" in report.html()
    chains = model._chains(True)
    nothing = model._condition(None)
    quick = sampling.draw(chains, nothing, 2000, new_generator(0), method="resample").values[:, 0]
    exact = sampling.draw(chains, nothing, 2000, new_generator(0)).values[:, 0]
    assert abs(float(quick.mean() - exact.mean())) < 0.05
    assert abs(float(quick.std() - exact.std())) < 0.05


def test_labels_that_do_not_fit_are_refused(fitted):
    model, table, y, _ = fitted
    with pytest.raises(ValueError, match="one label per row"):
        model.report(table, y[:-1])
    with pytest.raises(ValueError, match="fitted with"):
        model.report(table, y + 3)
    with pytest.raises(ValueError, match="at least one row"):
        model.report(table, y, n_rows=0)


def test_a_report_is_saved_whole(report, tmp_path):
    report.save(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == report.html()
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


def test_shapes_stay_inside_their_picture():
    chart = score_chart({"edges": [-1, 0, 1], "labeled": [0, 3], "unlabeled": [2, 1]})
    for bar in chart["bars"]:
        assert chart["left"] <= bar["x"] <= bar["x"] + bar["width"] <= chart["right"]
        assert chart["top"] <= bar["y"]
        assert bar["y"] + bar["height"] <= chart["bottom"] + 0.1
    highest = min(bar["y"] for bar in chart["bars"])
    assert highest == chart["top"]
    curve = curve_chart({"a": [1.0, 0.0, None, 100.0]}, ["term0"])
    ys = [float(point.split(",")[1]) for point in curve["lines"][0]["points"].split()]
    assert len(ys) == 3
    assert ys[2] < ys[0] <= ys[1]
