"""``pulps suggest``: rows to look at next, as a table."""

import io
import json

import pandas as pd
import pytest
from commands import fit, run

from pulps import load_model


@pytest.fixture(scope="module")
def made(folder, tmp_path_factory):
    made = tmp_path_factory.mktemp("suggest")
    (made / "table.csv").write_bytes((folder / "table.csv").read_bytes())
    assert fit(made / "table.csv", "--set", 'views=["kernel"]') == 0
    return made


def test_rows_are_those_of_the_model_and_not_labeled(made, capsys):
    capsys.readouterr()
    words = ["--n", "5", "--how", "likely", "--label", "bought"]
    assert run(made, "suggest", "model", "table.csv", *words) == 0
    told = pd.read_csv(io.StringIO(capsys.readouterr().out))
    table = pd.read_csv(made / "table.csv")
    model = load_model(made / "model")
    expected = model.suggest(table.drop(columns="bought"), 5, how="likely", y=table["bought"] == 1)
    assert told["row"].tolist() == (expected + 1).tolist()
    assert (told["bought"] == 0).all()
    assert told["probability"].is_monotonic_decreasing
    assert run(made, "suggest", "model", "table.csv", *words, "--json") == 0
    assert [one["row"] for one in json.loads(capsys.readouterr().out)] == told["row"].tolist()


def test_who_names_no_label_is_told_that_known_rows_may_be_named(made, capsys):
    capsys.readouterr()
    assert run(made, "suggest", "model", "table.csv", "--n", "2") == 0
    assert "with --label or --answered" in capsys.readouterr().err
    assert run(made, "suggest", "model", "table.csv", "--n", "2", "--label", "bought") == 0
    assert capsys.readouterr().err == ""


def test_rows_that_were_looked_at_are_not_named_again(made, capsys, tmp_path):
    table = pd.read_csv(made / "table.csv")
    table["looked at"] = None
    table.loc[:74, "looked at"] = "no"
    table.to_csv(tmp_path / "table.csv", index=False)
    out = tmp_path / "next.csv"
    words = ["suggest", str(made / "model"), "table.csv", "--n", "9", "--answered", "looked at"]
    assert run(tmp_path, *words, "--out", str(out)) == 0
    assert "5 rows to look at next" in capsys.readouterr().err
    assert sorted(pd.read_csv(out)["row"]) == [76, 77, 78, 79, 80]
