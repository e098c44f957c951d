"""The command line, as a user would type it."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from pulps import LPSClassifier
from pulps.cli import main


@pytest.fixture
def table(tmp_path):
    rng = np.random.RandomState(0)
    truth = np.repeat([1, 0], 30)
    frame = pd.DataFrame(
        {
            "size": truth + rng.normal(0, 0.3, 60),
            "color": np.where(truth, "red", "blue"),
            "bought": np.where(rng.rand(60) < 0.4, truth, 0),
        }
    )
    frame.loc[3, "size"] = np.nan
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


def fit(path, *extra, out="model"):
    return main([
        "fit", str(path), "--label", "bought", "--out", str(path.parent / out),
        "--seed", "0", "--members", "2", "--epochs", "3", *extra,
    ])  # fmt: skip


def failure(capsys):
    """The one line on standard error."""
    (line,) = capsys.readouterr().err.splitlines()
    return line


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
        "size", "color", "bought", "positive", "probability", "log_ratio",
    ]  # fmt: skip
    assert len(scored) == 60
    assert ((scored.probability > 0.5) == (scored.positive == 1)).all()


def test_fit_tells_the_share_of_positives_and_where_it_cuts(table, capsys):
    fit(table)
    said = capsys.readouterr().err
    assert "positives among unlabeled rows:" in said
    assert "threshold" in said


def test_the_seed_makes_the_model_file_repeatable(table, tmp_path):
    for name in ("a", "b"):
        fit(table, out=name)
        main(["predict", str(tmp_path / name), str(table), "--out", str(tmp_path / f"{name}.csv")])
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def write(path, text):
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    return path


HEADER = "size,color,bought\n"
BAD_TABLES = {
    "empty": ("", "is empty"),
    "header only": (HEADER, "has a header but no rows"),
    "no positives": (HEADER + "1,red,0\n2,blue,0\n", "marks no row as positive"),
    "all labeled": (HEADER + "1,red,1\n2,blue,1\n", "marks all 2 rows as positive"),
    "no column": ("size,color\n1,red\n2,blue\n", "has no column 'bought'"),
    "near column": ("size,bougth\n1,1\n2,0\n", "Did you mean 'bougth'?"),
    "words": (HEADER + "1,red,y\n2,blue,n\n", "--positive y"),
    "many values": (HEADER + "1,red,1\n2,blue,2\n3,blue,3\n", "holds 3 values"),
    "infinite": (HEADER + "inf,red,1\n2,blue,0\n", "'size' holds infinity in 1 rows"),
    "duplicate columns": ("size,size,bought\n1,2,1\n2,3,0\n", "more than one column named 'size'"),
    "unreadable bytes": (b"size,bought\n\xff\xfe\x00,1\n", "is not text in UTF-8"),
    "ragged": ("size,bought\n1,1\n1,2,3,4\n", "cannot be read as a csv table"),
    "names": (
        HEADER + "".join(f"1,id{i},{i % 2}\n" for i in range(1000)),
        "'color' has 1000 categories in 1000 rows",
    ),
    "only labels": ("bought\n1\n0\n", "0 columns"),
    "nothing varies": ("size,bought\n1,1\n1,0\n", "None of the 1 columns varies"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_a_bad_table_gets_one_clear_line_and_leaves_nothing(case, tmp_path, capsys):
    text, message = BAD_TABLES[case]
    path = write(tmp_path / "table.csv", text)
    assert fit(path) == 2
    line = failure(capsys)
    assert line.startswith("pulps: ")
    assert message in line
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_a_million_categories_are_refused(tmp_path, capsys):
    pd.DataFrame(
        {"id": [f"c{i}" for i in range(1_000_000)], "bought": np.arange(1_000_000) % 2}
    ).to_parquet(tmp_path / "big.parquet")
    assert fit(tmp_path / "big.parquet") == 2
    assert "'id' has 1000000 categories" in failure(capsys)


def test_files_that_are_not_there_or_not_tables(table, tmp_path, capsys):
    assert fit(tmp_path / "nope.csv") == 2
    assert "There is no file" in failure(capsys)
    assert fit(tmp_path) == 2
    assert "is a directory" in failure(capsys)
    assert fit(write(tmp_path / "table.xls", "x")) == 2
    assert "is no table this command knows" in failure(capsys)
    assert fit(write(tmp_path / "bad.parquet", "x")) == 2
    assert "cannot be read as a parquet table" in failure(capsys)
    assert fit(write(tmp_path / "bad.csv.gz", "x")) == 2
    assert "cannot be read as a csv table" in failure(capsys)
    assert fit(table, out="nowhere/model") == 2
    assert "There is no folder" in failure(capsys)
    assert fit(table, out="") == 2
    assert "is a directory" in failure(capsys)


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
    assert "is no table this command knows" in failure(capsys)
    assert not (tmp_path / "out.csv").exists()


def test_wrong_words_exit_with_two(capsys):
    assert main(["fit"]) == 2
    assert main(["dance"]) == 2
    assert main(["fit", "x.csv", "--labell", "y"]) == 2
    assert all(line.startswith("pulps: ") for line in capsys.readouterr().err.splitlines())


def test_an_old_model_survives_a_failed_fit(table, tmp_path, capsys):
    fit(table)
    before = (tmp_path / "model").read_bytes()
    broken = write(tmp_path / "broken.csv", HEADER + "inf,red,1\n2,blue,0\n")
    assert fit(broken) == 2
    assert (tmp_path / "model").read_bytes() == before


def test_info_names_the_engine_and_why(capsys):
    assert main(["info"]) == 0
    out = capsys.readouterr().out
    for word in ("pulps", "torch", "device", "engine"):
        assert word in out


def test_info_tells_what_a_model_file_holds(table, tmp_path, capsys):
    fit(table)
    capsys.readouterr()
    assert main(["info", str(tmp_path / "model"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    model = LPSClassifier.load(tmp_path / "model")
    assert told["columns"] == ", ".join(model.feature_names_in_)
    assert told["members"].startswith(f"{len(model.members_)}, ")
    assert main(["info", str(tmp_path / "nothing")]) == 2
    assert "no model file" in capsys.readouterr().err


def test_help_lists_the_commands(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    commands = "fit predict sample impute report data bench demo info completion"
    for command in commands.split():
        assert command in out


def test_the_installed_command_returns_its_exit_code(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "pulps", "fit", "no.csv", "--label", "x", "--out", "m"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.startswith("pulps: There is no file")
