"""Messy tables from the command line, without preparation."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import failure, fit, write
from crm_export import crm_export

from pulps import load_model
from pulps.cli import main
from pulps.scale.columns import model_rows


@pytest.fixture
def messy(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.random(80) < 0.5
    frame = pd.DataFrame(
        {
            "id": range(80),
            "size": [f"{v:.2f}".replace(".", ",") for v in rng.normal(size=80) + 2 * truth],
            "flag": rng.random(80) < 0.2 + 0.6 * truth,
            "kind": rng.integers(1, 4, 80),
            "area": rng.choice(["NA", "EU"], 80),
            "bought": np.where(truth & (rng.random(80) < 0.5), "yes", None),
        }
    )
    frame.to_csv(tmp_path / "messy.csv", sep=";", index=False)
    return tmp_path / "messy.csv"


def columns_of(path):
    encoder = load_model(path).encoder_
    return {column.name: type(column).__name__[:-6] for column in encoder.columns_}


@pytest.mark.filterwarnings("ignore:Left out. id:pulps.tables.notices.TableWarning")
def test_a_messy_table_is_read_as_it_is_meant(messy, capsys):
    assert fit(messy) == 0
    assert "messy.csv: 80 rows, 6 columns, separator ;, decimal ," in capsys.readouterr().err
    assert columns_of(messy.parent / "model") == {
        "size": "Numeric", "flag": "Categorical", "kind": "Numeric", "area": "Categorical",
    }  # fmt: skip


def test_columns_may_be_told_from_each_other(messy, capsys):
    words = ["--id", "id", "--drop", "flag,area", "--categorical", "kind", "--json"]
    assert fit(messy, *words) == 0
    assert json.loads(capsys.readouterr().out)["left_out"] == ["id", "flag", "area"]
    assert columns_of(messy.parent / "model") == {"size": "Numeric", "kind": "Categorical"}
    assert fit(messy, "--columns", "size,kind", "--overwrite") == 0
    assert columns_of(messy.parent / "model") == {"size": "Numeric", "kind": "Numeric"}
    capsys.readouterr()
    assert fit(messy, "--drop", "colour", "--overwrite") == 2
    assert "has no column 'colour'" in failure(capsys)


def test_only_columns_that_are_learned_from_are_counted(messy, capsys):
    assert fit(messy, "--id", "id", "--drop", "area") == 0
    assert "unlabeled rows, 3 of 5 columns" in capsys.readouterr().err
    assert fit(messy, "--id", "id", "--columns", "size,flag,kind,area", "--overwrite") == 0
    assert "unlabeled rows, 5 columns" not in capsys.readouterr().err


def test_words_for_missing_are_categories_unless_it_is_said(messy):
    assert fit(messy, "--id", "id", "--na", "NA", "--categorical", "kind") == 0
    assert "area" not in columns_of(messy.parent / "model")  # one category is left: constant


def test_a_wrong_separator_is_refused(messy, capsys):
    assert fit(messy, "--sep", ",") == 2
    assert failure(capsys)
    assert fit(messy, "--sep", "ab") == 2
    assert "must be one character" in failure(capsys)


def test_numbers_with_the_other_mark_are_refused_with_the_way_out(messy, tmp_path, capsys):
    assert fit(messy, "--id", "id") == 0
    point = write(tmp_path / "point.csv", "size,flag,kind,area\n1.25,true,1,EU\n")
    capsys.readouterr()
    out = ["--out", str(tmp_path / "out.csv")]
    assert main(["predict", str(tmp_path / "model"), str(point), *out]) == 2
    assert "decimal mark seems to be '.': say so (--decimal .)" in failure(capsys)
    assert main(["predict", str(tmp_path / "model"), str(point), *out, "--decimal", "."]) == 0
    model = load_model(tmp_path / "model")
    row = pd.DataFrame({"size": ["1,25"], "flag": [True], "kind": [1], "area": ["EU"]})
    expected = model.decision_function(model_rows(model, row))
    np.testing.assert_allclose(pd.read_csv(tmp_path / "out.csv")["decision"], expected)


@pytest.mark.slow
@pytest.mark.filterwarnings("default::pulps.tables.notices.TableWarning")
def test_an_export_of_customers_needs_no_preparation(tmp_path, capsys):
    text, truth, labeled = crm_export()
    table, model, out = (str(tmp_path / name) for name in ("kunden.csv", "model", "out.csv"))
    write(tmp_path / "kunden.csv", text.encode("cp1252"))
    assert main(["fit", table, "--label", "Gekauft", "--out", model, "--seed", "0"]) == 0
    said = capsys.readouterr().err
    for name in ("Kundennr (identifier", "Name (identifier", "E-Mail (identifier", "Notiz (text"):
        assert name in said
    assert "Ort: " in said  # villages are merged
    line = "kunden.csv: 600 rows, 13 columns, separator ;, decimal ,, cp1252"
    assert line in said
    assert main(["predict", model, table, "--out", out]) == 0
    scored = pd.read_csv(out, sep=";", decimal=",", encoding="cp1252", dtype={"PLZ": str})
    rank = scored["decision"].rank()[~labeled]
    hidden = truth[~labeled]
    area = (rank[hidden].mean() - (hidden.sum() + 1) / 2) / (~hidden).sum()
    assert area > 0.9
    low, high = load_model(model).threshold_report_.prior_interval
    assert low <= hidden.mean() <= high
    before = [line.split(";") for line in text.splitlines()]
    after = [line.split(";") for line in (tmp_path / "out.csv").read_text("cp1252").splitlines()]
    assert [cells[:9] for cells in after] == [cells[:9] for cells in before]
