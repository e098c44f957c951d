"""``pulps check``: an alarm for pipelines, by its exit code."""

import json

import pandas as pd
import pytest
from commands import failure, fit, run

from pulps.cli.checking import DRIFT


@pytest.fixture(scope="module")
def made(folder, tmp_path_factory):
    made = tmp_path_factory.mktemp("check")
    (made / "table.csv").write_bytes((folder / "table.csv").read_bytes())
    assert fit(made / "table.csv", "--set", 'views=["kernel"]') == 0
    return made


def test_the_rows_of_the_fit_have_not_drifted(made, capsys):
    capsys.readouterr()
    assert run(made, "check", "model", "table.csv") == 0
    assert capsys.readouterr().out.startswith("No drift in 80 rows")


def test_other_rows_raise_an_alarm_and_tell_why(made, capsys, tmp_path):
    table = pd.read_csv(made / "table.csv")
    table["size"] += 5
    table.to_csv(tmp_path / "new.csv", index=False)
    words = ["check", str(made / "model"), str(tmp_path / "new.csv")]
    out = tmp_path / "distances.csv"
    assert run(tmp_path, *words, "--out", str(out)) == DRIFT
    assert "size: distance" in capsys.readouterr().out
    assert pd.read_csv(out).set_index("column").loc["size", "drifted"]
    both = tmp_path / "both.png", tmp_path / "both.csv"
    assert (
        run(tmp_path, *words, *(word for path in both for word in ("--out", str(path)))) == DRIFT
    )
    assert both[0].read_bytes().startswith(b"\x89PNG")
    assert both[1].read_text() == out.read_text()
    capsys.readouterr()
    assert run(tmp_path, *words, "--json") == DRIFT
    told = json.loads(capsys.readouterr().out)
    assert told["alarm"]
    assert "size" in told["drifted"]
    assert run(tmp_path, *words, "--limit", "0.999") == 0


def test_what_cannot_be_checked_exits_with_two(made, capsys, tmp_path):
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    assert run(made, "check", "model", str(tmp_path / "other.csv")) == 2
    assert "lacks" in failure(capsys)
