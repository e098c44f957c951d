"""``pulps fit --model classes``, and what other commands say to such a model."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from pulps.cli.about import info
from pulps.cli.fitting import fit
from pulps.cli.making import impute, sample
from pulps.cli.models import open_model, read_class_labels
from pulps.cli.reporting import report
from pulps.cli.scoring import predict
from pulps.estimators.settings import make_model


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
    with pytest.raises(ValueError, match="model of 3 classes, and this command is for models"):
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
        make_model({"priors": 1}, kind="classes")
    frame = pd.DataFrame({"kind": ["a", "", None, "NA", "b"]})
    assert read_class_labels(frame, "kind", "t").tolist() == ["a", None, None, None, "b"]


def test_a_report_lists_rows_of_every_class(files, capsys):
    folder, _ = files
    report(folder / "m.pulps", folder / "t.csv", label="kind", out=[folder / "r.html"], rows=2)
    page = (folder / "r.html").read_text()
    assert all(name in page for name in ("setosa", "versicolor", "virginica"))
    report(folder / "m.pulps", folder / "t.csv", label="kind", json=True, rows=2)
    told = json.loads(capsys.readouterr().out)
    assert len(told["candidates"]["rows"]) == 6


def test_rows_are_drawn_and_filled_by_the_name_of_a_class(files):
    folder, _ = files
    out = folder / "g.pulps"
    fit(
        folder / "t.csv",
        label="kind",
        out=out,
        model="classes",
        epochs=1,
        members=1,
        set=["density={bond_dim=2, n_members=1, max_epochs=2}"],
        seed=0,
    )
    with pytest.raises(ValueError, match="Name one with --class: setosa, versicolor"):
        sample(out, out=folder / "drawn.csv")
    with pytest.raises(ValueError, match="no class 'rose'"):
        sample(out, class_name="rose", out=folder / "drawn.csv")
    sample(out, rows=3, class_name="virginica", seed=0, out=folder / "drawn.csv")
    assert len(pd.read_csv(folder / "drawn.csv")) == 3
    holes = pd.read_csv(folder / "t.csv")
    holes.loc[::7, "petal width (cm)"] = np.nan
    holes.to_csv(folder / "holes.csv", index=False)
    impute(out, folder / "holes.csv", how="mean", out=folder / "full.csv")
    assert pd.read_csv(folder / "full.csv")["petal width (cm)"].notna().all()


def test_a_model_tells_what_it_holds(files, capsys):
    folder, _ = files
    info(folder / "m.pulps")
    told = capsys.readouterr().out
    assert "3 classes" in told
    assert "of 25 found" in told
    info(folder / "m.pulps", json=True)
    about = json.loads(capsys.readouterr().out)
    assert about["kind"] == "classes"
    assert np.sum(about["held_out"]) == 25
