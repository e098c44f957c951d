"""``pulps explain``: what the model says, as lines, a table, a picture or JSON."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import fit, run

from pulps import load_model


@pytest.fixture(scope="module")
def made(folder, tmp_path_factory):
    made = tmp_path_factory.mktemp("explain")
    (made / "table.csv").write_bytes((folder / "table.csv").read_bytes())
    assert fit(made / "table.csv", "--set", 'views=["kernel"]') == 0
    return made


@pytest.fixture(scope="module")
def found(made):
    table = pd.read_csv(made / "table.csv").drop(columns="bought")
    return load_model(made / "model").explain(table)


def test_a_table_has_what_the_model_says(made, found, tmp_path, capsys):
    out, picture = tmp_path / "why.csv", tmp_path / "why.svg"
    words = ["explain", "model", "table.csv", "--out", str(out), "--out", str(picture)]
    assert run(made, *words) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert f"what {len(found.names)} attributes add on 80 rows" in told.err
    written = pd.read_csv(out)
    assert written["row"].tolist() == list(range(1, 81))
    adds = written[[f"{name} adds" for name in found.names]].to_numpy()
    np.testing.assert_allclose(adds, found.values, atol=1e-9)
    np.testing.assert_allclose(written["base"] + adds.sum(axis=1), written["decision"])
    assert picture.read_text(encoding="utf-8").startswith("<?xml")


def test_rows_that_are_named_are_told_in_lines_and_as_json(made, found, capsys):
    capsys.readouterr()
    assert run(made, "explain", "model", "table.csv", "--row", "17", "--row", "3") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"row 17: decision {found.decision[16]:+.3f}, from")
    assert any(line.startswith("row 3:") for line in lines)
    assert run(made, "explain", "model", "table.csv", "--row", "17", "--exact", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    (row,) = told["rows"]
    assert told["orders"] == "all"
    assert told["base"] + sum(row["adds"].values()) == pytest.approx(row["decision"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--row", "81"], "--row 81: table.csv has rows 1 to 80"),
        (["--row", "0"], "has rows 1 to 80"),
        (["--exact", "--orders", "4"], "Name one of the two"),
        (["--orders", "3"], "an even number"),
    ],
)
def test_what_cannot_be_explained_is_one_line(made, capsys, words, message):
    capsys.readouterr()
    assert run(made, "explain", "model", "table.csv", *words) == 2
    assert message in capsys.readouterr().err
