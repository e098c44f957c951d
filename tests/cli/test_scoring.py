"""``pulps predict``: files, pipes, models of arrays."""

import io
import json
import os
import sys

import numpy as np
import pandas as pd
import pytest
from commands import failure, fit, run, write

from pulps import LPSClassifier
from pulps.cli import main

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


@pytest.mark.parametrize("kind", [".csv", ".csv.gz", ".tsv", ".parquet"])
def test_fit_then_predict_scores_every_row(table, kind, tmp_path):
    assert fit(table) == 0
    out = tmp_path / f"scored{kind}"
    assert main(["predict", str(tmp_path / "model"), str(table), "--out", str(out)]) == 0
    if kind == ".parquet":
        scored = pd.read_parquet(out)
    else:
        scored = pd.read_csv(out, sep="\t" if kind == ".tsv" else ",")
    assert list(scored.columns) == [
        "size", "color", "bought", "positive", "probability", "decision",
    ]  # fmt: skip
    assert len(scored) == 60
    assert ((scored.probability > 0.5) == (scored.positive == 1)).all()


def test_predict_refuses_what_does_not_fit(table, tmp_path, capsys):
    fit(table)
    capsys.readouterr()
    model, out = str(tmp_path / "model"), str(tmp_path / "out.csv")
    assert main(["predict", str(tmp_path / "no"), str(table), "--out", out]) == 2
    assert "There is no model file" in failure(capsys)
    assert main(["predict", str(table), str(table), "--out", out]) == 2
    assert "is not a saved pulps model" in failure(capsys)
    other = write(tmp_path / "other.csv", "size\n1\n2\n")
    assert main(["predict", model, str(other), "--out", out]) == 2
    assert "lacks 1 of the 2 columns" in failure(capsys)
    taken = write(tmp_path / "taken.csv", "size,color,positive\n1,red,1\n")
    assert main(["predict", model, str(taken), "--out", out]) == 2
    assert "already has a column named positive" in failure(capsys)
    assert main(["predict", model, str(table), "--out", str(tmp_path / "out.xls")]) == 2
    assert "is not a kind of table known here" in failure(capsys)
    assert not (tmp_path / "out.csv").exists()


def test_predict_reads_and_writes_pipes(folder, monkeypatch, capfdbinary):
    content = (folder / "table.csv").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert run(folder, "predict", "model", "-") == 0
    piped = pd.read_csv(io.BytesIO(capfdbinary.readouterr().out))
    run(folder, "predict", "model", "table.csv", "--format", "parquet")
    direct = pd.read_parquet(io.BytesIO(capfdbinary.readouterr().out))
    np.testing.assert_allclose(piped["probability"], direct["probability"])
    model = LPSClassifier.load(folder / "model")
    np.testing.assert_allclose(piped["decision"], model.decision_function(piped[["size", "a=b", "color"]]))  # fmt: skip  # noqa: E501


def test_a_reader_that_leaves_gets_no_traceback(folder, monkeypatch, capsys):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        assert run(folder, "predict", "model", "table.csv") == 1
    assert capsys.readouterr().err == ""


def test_counts_for_machines(folder, tmp_path, capsys):
    out = ["--out", str(tmp_path / "s.csv")]
    assert run(folder, "predict", "model", "table.csv", *out, "--json") == 0
    counts = json.loads(capsys.readouterr().out)
    assert counts["n_positive"] == pd.read_csv(tmp_path / "s.csv")["positive"].sum()
    assert run(folder, "predict", "model", "table.csv", "--json") == 2
    assert "both go to standard output" in failure(capsys)


def test_a_model_of_an_array_finds_its_columns_by_number(array_folder, tmp_path, capsys):
    out = tmp_path / "scored.csv"
    assert run(array_folder, "predict", "model", "table.csv", "--out", str(out)) == 0
    assert "table.csv: 80 rows, 4 columns, separator ,, decimal ." in capsys.readouterr().err
    scored = pd.read_csv(out)
    model = LPSClassifier.load(array_folder / "model")
    expected = model.decision_function(scored[["x0", "x1", "x2"]].to_numpy())
    np.testing.assert_allclose(scored["decision"], expected)
    other = write(tmp_path / "other.csv", "a,b,c\n1,2,3\n")
    assert main(["predict", str(array_folder / "model"), str(other)]) == 2
    assert "name the columns of the table x0 to x2" in failure(capsys)
