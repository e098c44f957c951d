"""``pulps data``."""

import json

import pandas as pd
from commands import failure
from datafolder import DATA, needs_data

from pulps.cli import main


def test_the_list_is_for_machines_too(capsys):
    assert main(["data", "list", "--json"]) == 0
    assert {"vote", "iris"} <= {row["name"] for row in json.loads(capsys.readouterr().out)}


def test_toys_are_written(tmp_path):
    out = tmp_path / "moons.tsv"
    words = ["--rows", "60", "--labeled", "9", "--truth", "--out", str(out)]
    assert main(["data", "toy", "moons", *words]) == 0
    table = pd.read_csv(out, sep="\t")
    assert list(table.columns) == ["x1", "x2", "labeled", "truth"]
    assert len(table) == 60
    assert table["labeled"].sum() == 9
    assert (table["labeled"] <= table["truth"]).all()


def test_a_table_is_described(capsys):
    assert main(["data", "show", "vote"]) == 0
    assert "124 democrat, 108 republican" in capsys.readouterr().out
    assert main(["data", "show", "titanic"]) == 2
    assert "no table named 'titanic'" in failure(capsys)


@needs_data
def test_a_table_of_the_paper_becomes_a_pu_problem(tmp_path, monkeypatch):
    monkeypatch.setenv("PULPS_DATA", str(DATA))
    assert main(["data", "get", "vote", "--truth", "--out", str(tmp_path / "vote.csv")]) == 0
    table = pd.read_csv(tmp_path / "vote.csv")
    assert table["truth"].sum() == 124
    assert table["labeled"].sum() == round(0.3 * 124)
    assert main(["data", "get", "vote", "--out", str(tmp_path / "vote.xls")]) == 2
