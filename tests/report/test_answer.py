"""The answer comes first, in plain words, and every number on the page is the model's own."""

import json
import re
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from reported import QUICK, make_table

from pulps import LPSClassifier, PUClassifier
from pulps.report import make_report
from pulps.report.candidates import reasons
from pulps.report.charts import Frame, short

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
JARGON = ("nats", "κ", "kappa", "log-ratio", "norm", "bond", "epoch", "best bin", "macro-F1")


@pytest.fixture(scope="module")
def made():
    table, _, y = make_table()
    model = PUClassifier(views=["kernel", "bagging"], random_state=0).fit(table, y)
    ids = pd.Series([f"C{number}" for number in range(len(table))], name="customer")
    return model, table, y, model.report(table, y, ids=ids, n_rows=40)


def text_of(html):
    return re.sub(r"<[^>]+>", " ", html)


def test_the_answer_is_first_and_the_training_last(made, report):
    page = made[-1].html()
    order = re.findall(r'<section id="([\w-]+)"', page)
    assert order[0] == "answer"
    assert order[-1] == "details"
    assert order.index("cut") < order.index("candidates-section") < order.index("importance")
    network = report.html()
    assert network.rindex('<details id="training"') > network.rindex("<section")
    assert "<details" not in network[network.index('<details id="training"') + 9 :]


def test_the_answer_says_how_many_how_sure_which_rows_and_what_next(made):
    model, _, y, report = made
    told, own = report.data["answer"], model.threshold_report_
    n = int((y == 0).sum())
    assert (
        f"About {round(own.prior_of_unlabeled * n)} of the {n} unlabeled rows" in told["how_many"]
    )
    called = report.data["learned"]["n_called_positive"]
    assert told["how_sure"].startswith(f"{called} rows are called positive.")
    assert f"{100 * own.precision:.0f} %" in told["how_sure"]
    first = report.data["candidates"]["rows"][0]["id"]
    assert f"customer {first}," in told["which_rows"]
    assert len(told["next"]) >= 2
    assert "logistic regression" in told["compared"]


def test_no_jargon_before_the_details(made, report):
    for page in (made[-1].html(), report.html()):
        main = text_of(page[page.index("<body>") : page.index('<section id="details"')])
        assert [word for word in JARGON if word in main] == []


def test_every_cut_says_what_the_model_with_that_cut_says(made):
    model, table, y, report = made
    cuts, decision = report.data["cuts"], model.decision_function(table)[y == 0]
    counts = [step["rows"] for step in cuts["steps"]]
    assert counts == sorted(set(counts))
    assert counts[-1] == len(decision)
    for step in cuts["steps"]:
        assert step["rows"] == (decision > step["decision"]).sum()
        moved = model.with_threshold(value=model.threshold_report_.threshold + step["decision"])
        assert step["precision"] == pytest.approx(moved.threshold_report_.precision)
        assert step["recall"] == pytest.approx(moved.threshold_report_.recall)
    own = cuts["steps"][cuts["own"]]
    assert own["rows"] == report.data["learned"]["n_called_positive"]
    assert own["precision"] == model.threshold_report_.precision
    assert {10, 20, 50} <= {cuts["steps"][place]["rows"] for place in cuts["top"]}


def test_a_network_has_cuts_by_its_first_guess_or_by_its_probabilities(fitted, report):
    model, table, y, _ = fitted
    cuts = report.data["cuts"]
    assert cuts["honest"]
    assert cuts["steps"][cuts["own"]]["recall"] == model.threshold_report_.recall
    last = cuts["steps"][-1]
    moved = model.with_threshold(value=model.threshold_report_.threshold + last["decision"])
    assert last["precision"] == pytest.approx(moved.threshold_report_.precision)
    alone = LPSClassifier.from_parameters(**QUICK, first_guess=None).fit(table, y)
    told = alone.report(table, y)
    probability = np.sort(alone.predict_proba(table)[y == 0, 1])[::-1]
    assert not told.data["cuts"]["honest"]
    for step in told.data["cuts"]["steps"][1:]:
        assert step["precision"] == pytest.approx(probability[: step["rows"]].mean())
    assert "From the probabilities" in told.html()


def test_reasons_for_a_row_come_first_and_strongest_first(made, report):
    for data in (made[-1].data, report.data):
        for item in data["candidates"]["rows"]:
            changes = [reason["change"] for reason in item["reasons"]]
            assert changes == sorted(changes, reverse=True)
            assert len([change for change in changes if change > 0]) <= 3
    assert reasons(np.array([-3.0, 0.5, 0.0])) == [1, 0]


def test_a_row_without_a_reason_for_it_is_told_so(made):
    data = json.loads(json.dumps(made[-1].data))
    for reason in data["candidates"]["rows"][0]["reasons"]:
        reason["change"] = -abs(reason["change"])
    assert "no column alone speaks for it, several together do" in type(made[-1])(data).html()


def test_rows_have_the_names_that_people_gave_them(made):
    model, table, y, report = made
    for item in report.data["candidates"]["rows"]:
        assert item["id"] == f"C{item['row'] - 1}"
    named = table.set_index(pd.Index([f"R{i}" for i in range(len(table))], name="record"))
    listed = model.report(named, y, n_rows=5).data["candidates"]
    assert listed["id"] == "record"
    assert listed["rows"][0]["id"] == f"R{listed['rows'][0]['row'] - 1}"
    assert model.report(table, y, n_rows=5).data["candidates"]["id"] is None
    with pytest.raises(ValueError, match="one per row"):
        model.report(table, y, ids=["a"])


def test_a_plain_method_is_compared_on_the_rows_of_the_fit_only(made):
    model, table, y, report = made
    compared = report.data["compared"]
    assert compared["recall"] == model.threshold_report_.recall
    assert 0 <= compared["plain_recall"] <= 1
    other = model.report(table[:100], y[:100])
    assert other.data["compared"] is None
    assert other.data["answer"]["compared"] is None


def test_whoever_waits_is_told_how_far_it_is(made):
    model, table, y, _ = made
    told = []
    make_report(model, table, y, n_rows=5, tell=lambda share, doing: told.append((share, doing)))
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(set(shares)) > 5
    assert all(doing for _, doing in told)


def test_a_report_is_told_in_a_few_lines(made):
    text = repr(made[-1])
    assert len(text.splitlines()) <= 5
    assert "unlabeled rows should be positive" in text


@pytest.mark.parametrize("high", [0.37, 1.9, 9, 34_000, 2.2e6, 8e9])
def test_axes_have_four_ticks_or_more_in_plain_numbers_that_do_not_touch(high):
    for size in ((1040, 300), (380, 260)):
        frame = Frame(size, (0.0, high), (0.0, high))
        assert len(frame.y_ticks()) >= 4
        ticks = frame.x_ticks()
        assert len(ticks) >= 3 + (size[0] > 1000)
        for tick in ticks + frame.y_ticks():
            assert "e" not in tick["text"]
        for one, two in pairwise(ticks):
            assert two["x"] - one["x"] > 6 * max(len(one["text"]), len(two["text"]))
    assert short(2_200_000) == "2.2M"


def test_one_color_per_meaning_on_the_page_and_in_pictures():
    from importlib.resources import files

    from pulps.displays import axes

    style = (files("pulps.report") / "page" / "report.css").read_text()
    for name in ("positive", "negative", "labeled", "unlabeled"):
        assert f"--{name}: {getattr(axes, name.upper())};" in style
