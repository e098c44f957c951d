"""``pulps info``, ``pulps completion`` and ``pulps demo``."""

import json
from functools import partial

import pytest
from commands import fit

from pulps import LPSClassifier, PUClassifier
from pulps.cli import main


def test_info_names_the_engine_and_why(capsys):
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for word in ("pulps", "torch", "device", "engine"):
        assert word in out


def test_info_tells_what_a_model_file_holds(table, tmp_path, capsys):
    fit(table, kind="lps")
    capsys.readouterr()
    assert main(["info", str(tmp_path / "model"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    model = LPSClassifier.load(tmp_path / "model")
    assert told["columns"] == list(model.feature_names_in_)
    assert told["n_members"] == len(model.members_)
    report = model.threshold_report_
    assert told["threshold"] == report.threshold
    assert told["prior_interval"] == list(report.prior_interval)
    assert told["share"] == report.share
    assert main(["info", str(tmp_path / "model")]) == 0
    assert f"{report.threshold:+.3f}" in capsys.readouterr().out
    assert main(["info", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["threads"] >= 1
    assert main(["info", str(tmp_path / "nothing")]) == 2
    assert "no model file" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_commands(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("predict", "impute", "report", "pulps"):
        assert word in script


def test_the_demo_prints_scores_and_writes_a_picture_and_a_page(tmp_path, monkeypatch, capsys):
    small = partial(PUClassifier, views=["kernel", "bagging"])
    monkeypatch.setattr("pulps.estimators.tables.consensus.PUClassifier", small)
    assert main(["demo", "--out", str(tmp_path / "demo")]) == 0
    out = capsys.readouterr().out
    assert "accuracy" in out
    assert "demo.html" in out
    assert (tmp_path / "demo" / "demo.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "demo" / "demo.html").read_text()
    assert "agreement" not in page  # which is no estimate of accuracy
    assert "data:image/png;base64," in page
    assert "http:" not in page  # the colon, since a picture in base64 may hold any letters
    assert "https:" not in page
    assert sorted(p.name for p in (tmp_path / "demo").iterdir()) == ["demo.html", "demo.png"]
    assert main(["demo", "--out", str(tmp_path / "demo")]) == 2
    assert "--overwrite" in capsys.readouterr().err
