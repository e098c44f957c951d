"""``pulps compare``: a table and advice on the terminal, files where they are wanted."""

import json

import pandas as pd
from commands import failure

from pulps.cli import main

TWO = ["--method", "naive forest", "--method", "spies", "--folds", "2"]


def test_methods_are_told_and_written(table, tmp_path, capsys):
    csv, png = tmp_path / "methods.csv", tmp_path / "methods.png"
    words = [
        "compare",
        str(table),
        "--label",
        "bought",
        *TWO,
        "--out",
        str(csv),
        "--out",
        str(png),
    ]
    assert main(words) == 0
    out, err = capsys.readouterr()
    assert "naive forest" in out
    assert "area" in out
    assert "fitting spies" in err
    assert set(pd.read_csv(csv)["method"]) == {"naive forest", "spies"}
    assert png.read_bytes().startswith(b"\x89PNG")
    assert main(words) == 2  # nothing is overwritten unasked
    assert "is there already" in capsys.readouterr().err


def test_machines_get_the_same(table, capsys):
    assert main(["compare", str(table), "--label", "bought", *TWO, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["best"] in ("naive forest", "spies")
    assert {one["method"] for one in told["methods"]} == {"naive forest", "spies"}
    assert told["best"] in told["advice"]


def test_columns_may_be_left_out(table, capsys):
    words = ["compare", str(table), "--label", "bought", *TWO, "--drop", "color", "--json"]
    assert main(words) == 0
    capsys.readouterr()
    assert main(["compare", str(table), "--label", "bought", "--method", "svm"]) == 2
    assert "expected one of" in failure(capsys)
