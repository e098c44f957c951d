"""``pulps tune``."""

from functools import partial

import pandas as pd
from commands import failure, write
from fitters import points

from pulps import LPSClassifier
from pulps.cli import main


def test_tuning_from_the_command_line(tmp_path, monkeypatch, capsys):
    small = partial(LPSClassifier.from_parameters, n_members=2, label_parts=None)
    monkeypatch.setattr("pulps.LPSClassifier", small)
    X, y = points(80)
    frame = pd.DataFrame(X, columns=list("abc")).assign(bought=y, leak=y + 1)
    frame.to_csv(tmp_path / "table.csv", index=False)
    arguments = [
        *("tune", str(tmp_path / "table.csv"), "--label", "bought", "--trials", "1"),
        *("--out", str(tmp_path / "model"), "--study", str(tmp_path / "study"), "--folds", "2"),
        *("--seed", "3", "--drop", "leak"),
    ]
    assert main(arguments) == 0
    said = capsys.readouterr().err
    assert "fit 1 of 3" in said
    assert "1 settings tried" in said
    assert f"Wrote {tmp_path / 'model'}: " in said
    assert LPSClassifier.load(tmp_path / "model").predict(frame[list("abc")]).shape == (80,)
    arguments[3] = "sold"
    arguments.append("--overwrite")
    assert main(arguments) == 2
    assert "has no column 'sold'" in capsys.readouterr().err


def never(*_, **__):
    raise AssertionError("the table was read")


def test_a_study_is_refused_before_the_table_is_read(tmp_path, monkeypatch, capsys):
    table = write(tmp_path / "table.csv", "a,bought\n1,1\n2,0\n")
    foreign = write(tmp_path / "foreign", "not a study\n")
    damaged = write(tmp_path / "damaged", b'{"op_code": 0}\n00000000 {"op_code": 1}\n')
    monkeypatch.setattr("pulps.io.files.read_table", never)
    before = sorted(tmp_path.iterdir())
    for study, said in {
        table: "would be read and written",
        tmp_path / "no" / "study": "There is no folder",
        tmp_path: "is a directory",
        foreign: "is not a study",
        damaged: "Line 2 of damaged is damaged",
    }.items():
        words = ["tune", str(table), "--label", "bought", "--out", str(tmp_path / "model")]
        assert main([*words, "--study", str(study)]) == 2
        assert said in failure(capsys)
        assert sorted(tmp_path.iterdir()) == before
    assert damaged.read_bytes() == b'{"op_code": 0}\n00000000 {"op_code": 1}\n'
