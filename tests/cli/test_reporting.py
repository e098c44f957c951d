"""``pulps report``."""

import json

import pandas as pd
import pytest
from commands import failure, run

from pulps import LPSClassifier
from pulps.cli import main

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


def test_report_writes_a_page_and_data(folder, tmp_path, capsys):
    out = tmp_path / "report.html"
    words = ["--label", "bought", "--rows", "7", "--out", str(out), "--json"]
    assert run(folder, "report", "model", "table.csv", *words) == 0
    data = json.loads(capsys.readouterr().out)
    assert len(data["candidates"]["rows"]) == 7
    assert "Report on table.csv" in out.read_text()
    table = pd.read_csv(folder / "table.csv")
    assert data["learned"]["n_labeled"] == table["bought"].sum()
    assert run(folder, "report", "model", "table.csv") == 2
    assert "--out report.html" in failure(capsys)


def test_report_draws_curves_of_the_rows_of_the_fit(folder, tmp_path, capsys):
    page, picture = tmp_path / "report.html", tmp_path / "curves.svg"
    words = ["--label", "bought", "--out", str(page), "--out", str(picture)]
    assert run(folder, "report", "model", "table.csv", *words) == 0
    told = capsys.readouterr().err
    assert "a report on" in told
    assert "curves with bands" in told
    assert "<svg" in picture.read_text()
    assert picture.read_text().count('id="axes_') == 3
    assert run(folder, "report", "model", "table.csv", *words) == 2
    assert "report.html" in failure(capsys)


def test_a_picture_alone_needs_no_report(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(LPSClassifier, "report", None)
    picture = tmp_path / "curves.png"
    assert run(folder, "report", "model", "table.csv", "--out", str(picture)) == 0
    assert failure(capsys).startswith(f"Wrote {picture}: curves")
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["top.csv", "curves.jpg", "report.txt", "-"])
def test_a_page_that_is_named_like_something_else_is_refused(name, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    before = sorted(folder.iterdir())
    assert main(["report", "model", "table.csv", "--out", name]) == 2
    line = failure(capsys)
    assert ("standard output" if name == "-" else "End it with .html") in line
    assert sorted(folder.iterdir()) == before


def test_a_model_of_an_array_is_reported_on(array_folder, tmp_path, capsys):
    words = ["--label", "bought", "--json"]
    assert run(array_folder, "report", "model", "table.csv", *words) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["candidates"]["columns"] == ["x0", "x1", "x2"]
    table = pd.read_csv(array_folder / "table.csv")
    assert data["learned"]["n_labeled"] == table["bought"].sum()
    model = LPSClassifier.load(array_folder / "model")
    decision = model.decision_function(table[["x0", "x1", "x2"]].to_numpy())
    best = data["candidates"]["rows"][0]
    assert best["decision"] == pytest.approx(decision[best["row"] - 1])


def test_a_column_names_the_rows_and_one_line_says_what_was_written(folder, tmp_path, capsys):
    table = pd.read_csv(folder / "table.csv")
    table.assign(customer=[f"C{i}" for i in range(len(table))]).to_csv(
        tmp_path / "named.csv", index=False
    )
    model, named, out = (
        str(p) for p in (folder / "model", tmp_path / "named.csv", tmp_path / "r")
    )
    words = ["report", model, named, "--label", "bought", "--id", "customer"]
    words += ["--overwrite", "--out", out]
    assert main(words) == 0
    line = failure(capsys)
    assert line.startswith(f"Wrote {out}: a report on {len(table)} rows. ")
    assert "unlabeled rows" in line
    assert main([*words, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["candidates"]
    assert listed["id"] == "customer"
    assert all(item["id"] == f"C{item['row'] - 1}" for item in listed["rows"])
    assert "customer" not in listed["columns"]
    assert main(["nothing" if word == "customer" else word for word in words]) == 2
    assert "nothing" in failure(capsys)
