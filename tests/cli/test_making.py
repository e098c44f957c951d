"""``pulps sample`` and ``pulps impute``."""

import numpy as np
import pandas as pd
import pytest
from commands import failure, run
from reported import DENSITY

from pulps import LPSClassifier
from pulps.cli import main

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


def test_sample_keeps_what_is_given(folder, tmp_path):
    out = tmp_path / "rows.csv"
    given = ["--given", "a=b=0.25", "--given", "color=red"]
    words = ["--rows", "5", "--seed", "1", "--out", str(out)]
    assert run(folder, "sample", "model", *given, *words) == 0
    drawn = pd.read_csv(out)
    assert list(drawn.columns) == ["size", "a=b", "color"]
    assert (drawn["a=b"] == 0.25).all()
    assert (drawn["color"] == "red").all()
    expected = LPSClassifier.load(folder / "model").sample(
        5, given={"a=b": 0.25, "color": "red"}, random_state=1
    )
    np.testing.assert_allclose(drawn["size"], expected["size"])


def test_numbers_are_given_as_the_table_wrote_them(folder, tmp_path, capsys):
    table = pd.read_csv(folder / "table.csv")
    X, y = table.drop(columns="bought"), table["bought"]
    X["size"] = [f"{size:.2f}".replace(".", ",") for size in X["size"]]
    quick = LPSClassifier(n_members=1, max_epochs=4, density=DENSITY, random_state=0)
    quick.fit(X, y).save(tmp_path / "model")
    for given in ("size=0,25", "size=0.25"):
        assert run(tmp_path, "sample", "model", "--rows", "2", "--given", given) == 0
        told = capsys.readouterr().out.splitlines()
        assert [line.startswith('"0,25"') for line in told] == [False, True, True]
    assert run(tmp_path, "sample", "model", "--given", "size=0,2,5") == 2
    assert "Column 'size' holds numbers, but '0,2,5' was given" in failure(capsys)


@pytest.mark.parametrize("name", ["positive", "negative"])
@pytest.mark.parametrize("labels", [[0, 1], [1, 2], [1, 0]], ids=str)
def test_sample_draws_the_class_that_is_named_whatever_its_label(folder, labels, name, tmp_path):
    table = pd.read_csv(folder / "table.csv")
    X, y = table.drop(columns="bought"), np.array(labels)[table["bought"]]
    quick = LPSClassifier(n_members=1, max_epochs=4, density=DENSITY, random_state=0)
    model = quick.set_params(pos_label=labels[1]).fit(X, y)
    model.save(tmp_path / "model")
    words = ["--class", name, "--seed", "1", "--out", str(tmp_path / "rows.csv")]
    assert main(["sample", str(tmp_path / "model"), *words]) == 0
    drawn = pd.read_csv(tmp_path / "rows.csv")
    expected = model.sample(10, labels[name == "positive"], random_state=1)
    np.testing.assert_allclose(drawn["size"], expected["size"])
    other = model.sample(10, labels[name != "positive"], random_state=1)
    assert not np.allclose(drawn["size"], other["size"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nothing", "form name=value"),
        ("size=big", "holds numbers"),
        ("color=pink", "never held 'pink'"),
        ("shape=1", "no column 'shape'"),
    ],
)
def test_conditions_that_cannot_be_are_one_line(folder, given, message, capsys):
    assert run(folder, "sample", "model", "--given", given) == 2
    assert message in failure(capsys)


def test_impute_fills_the_holes_and_keeps_the_rest(folder, tmp_path):
    out = tmp_path / "filled.parquet"
    assert run(folder, "impute", "model", "table.csv", "--out", str(out)) == 0
    before, after = pd.read_csv(folder / "table.csv"), pd.read_parquet(out)
    assert list(after.columns) == list(before.columns)
    assert after.notna().all(axis=None)
    seen = before.notna()
    # pandas 2 reads some numbers one bit off
    pd.testing.assert_frame_equal(after.where(seen), before.where(seen), rtol=1e-15)


def test_impute_takes_the_class_that_is_named(folder, tmp_path):
    model, table = LPSClassifier.load(folder / "model"), pd.read_csv(folder / "table.csv")
    filled = {}
    for name in ("positive", "negative"):
        out = tmp_path / f"{name}.csv"
        words = ["--class", name, "--how", "mean", "--out", str(out)]
        assert run(folder, "impute", "model", "table.csv", *words) == 0
        filled[name] = pd.read_csv(out)["size"]
        y = model.classes_[int(name == "positive")]
        expected = model.impute(table.drop(columns="bought"), y, how="mean")
        np.testing.assert_allclose(filled[name], expected["size"])
    assert filled["positive"][3] != filled["negative"][3]


def test_a_model_of_an_array_draws_and_fills_named_columns(array_folder, tmp_path):
    out = tmp_path / "rows.csv"
    words = ["--given", "x1=0.5", "--rows", "4", "--seed", "0", "--out", str(out)]
    assert run(array_folder, "sample", "model", *words) == 0
    drawn = pd.read_csv(out)
    model = LPSClassifier.load(array_folder / "model")
    np.testing.assert_allclose(drawn, model.sample(4, given={1: 0.5}, random_state=0))
    words = ["--out", str(out), "--overwrite"]
    assert run(array_folder, "impute", "model", "table.csv", *words) == 0
    before, after = pd.read_csv(array_folder / "table.csv"), pd.read_csv(out)
    assert list(after.columns) == list(before.columns)
    assert before["x1"].isna().sum() == 1
    rows = before[["x0", "x1", "x2"]].to_numpy()
    np.testing.assert_allclose(after[["x0", "x1", "x2"]], model.impute(rows, how="mode"))


def test_states_that_are_no_densities_are_not_drawn_from(folder, tmp_path, capsys):
    words = ["--label", "bought", "--out", str(tmp_path / "plain"), "--seed", "0"]
    words += ["--model", "lps", "--members", "1", "--epochs", "2"]
    assert run(folder, "fit", "table.csv", *words) == 0
    capsys.readouterr()
    assert main(["sample", str(tmp_path / "plain")]) == 2
    line = failure(capsys)
    assert "no densities" in line
    assert "--generative" in line
