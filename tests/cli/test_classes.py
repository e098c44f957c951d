"""``pulps fit --model classes``, and what other commands say to such a model."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from pulps.cli.class_fitting import make_class_model, read_class_column
from pulps.cli.fitting import fit
from pulps.cli.models import open_model
from pulps.cli.scoring import predict


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classes")
    frame = load_iris(as_frame=True).frame
    names = frame.pop("target").map({0: "setosa", 1: "versicolor", 2: "virginica"})
    frame.assign(kind=names.where(np.arange(150) % 6 == 0)).to_csv(folder / "t.csv", index=False)
    fit(
        folder / "t.csv",
        label="kind",
        out=folder / "m.pulps",
        model="classes",
        epochs=2,
        members=1,
        seed=0,
    )
    return folder, names


def test_a_column_of_words_and_blanks_is_learned_and_predicted(files):
    folder, names = files
    predict(folder / "m.pulps", folder / "t.csv", out=folder / "named.csv")
    named = pd.read_csv(folder / "named.csv")
    assert (named["class"] == names).mean() > 0.9
    assert named["probability"].between(1 / 3, 1).all()


def test_commands_for_two_classes_say_so(files):
    with pytest.raises(ValueError, match="model of 3 classes, and this command is for two"):
        open_model(files[0] / "m.pulps")


def test_a_summary_for_machines_names_the_shares(files, capsys):
    folder, _ = files
    fit(
        folder / "t.csv",
        label="kind",
        out=folder / "again.pulps",
        model="classes",
        epochs=1,
        members=1,
        seed=0,
        json=True,
    )
    told = json.loads(capsys.readouterr().out)
    assert told["classes"] == ["setosa", "versicolor", "virginica"]
    assert told["n_labeled"] == 25
    assert sum(row["share"] for row in told["class_shares"]) == pytest.approx(1)


def test_a_wrong_setting_is_named():
    with pytest.raises(ValueError, match="no parameter 'priors'"):
        make_class_model({"priors": 1}, generative=False)
    frame = pd.DataFrame({"kind": ["a", "", None, "NA", "b"]})
    assert read_class_column(frame, "kind", "t").tolist() == ["a", None, None, None, "b"]
