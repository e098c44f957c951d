"""Tables and models for commands."""

import warnings

import numpy as np
import pandas as pd
import pytest
from commands import run
from fitters import classifier, points
from reported import DENSITY

from pulps.decision import AgreementWarning


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


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with a table and a model of it."""
    folder = tmp_path_factory.mktemp("cli")
    rng = np.random.RandomState(0)
    truth = np.repeat([1, 0], 40)
    frame = pd.DataFrame(
        {
            "size": truth + rng.normal(0, 0.3, 80),
            "a=b": rng.rand(80).round(3),
            "color": np.where(truth, "red", "blue"),
            "bought": np.where(rng.rand(80) < 0.5, truth, 0),
        }
    )
    frame.loc[3, "size"] = np.nan
    frame.loc[4, "color"] = None
    frame.to_csv(folder / "table.csv", index=False)
    words = ["--label", "bought", "--out", str(folder / "model"), "--seed", "0"]
    words += ["--model", "lps", "--generative"]
    settings = ["--set", "n_members=2", "--set", "max_epochs=4", "--set", "n_repeats=1"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        assert run(folder, "fit", "table.csv", *words, *settings) == 0
    return folder


@pytest.fixture(scope="session")
def array_folder(tmp_path_factory):
    """A folder with a model of an array without column names, and a table for it."""
    folder = tmp_path_factory.mktemp("array")
    X, y = points()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        model = classifier(max_epochs=8, n_repeats=1, density=DENSITY).fit(X, y)
    model.save(folder / "model")
    X[0, 1] = np.nan
    table = pd.DataFrame(X, columns=["x0", "x1", "x2"]).assign(bought=y)
    table[["bought", "x2", "x0", "x1"]].to_csv(folder / "table.csv", index=False)
    return folder
