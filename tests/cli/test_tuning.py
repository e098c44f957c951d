"""``pulps tune``."""

from functools import partial

import pandas as pd
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
