"""Tools that keep and explain models: the guide's lines run where the tool is installed."""

import re
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import skops.io as sio

from pulps import PUClassifier, trusted_types

mpl.use("agg")
PAGE = Path(__file__).parents[2] / "docs" / "guide" / "tools.md"
LINES = re.findall(r"^```py\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
pytestmark = pytest.mark.filterwarnings("ignore")  # of the tools


@pytest.fixture(scope="module")
def known():
    """What the page has made before these lines: a table with words, and a model of it."""
    rng = np.random.default_rng(0)
    truth = rng.random(80) < 0.5
    table = pd.DataFrame({"size": rng.normal(size=80) + 3 * truth, "width": rng.normal(size=80)})
    table["color"] = np.where(rng.random(80) < 0.2 + 0.6 * truth, "red", "blue")
    y = (truth & (rng.random(80) < 0.6)).astype(int)
    model = PUClassifier(views=["kernel"], random_state=0).fit(table, y)
    return {"model": model, "table": table, "y": y, "trusted_types": trusted_types}


def run(known, *tools):
    """Run the lines of the page that name these tools, in order."""
    names = dict(known)
    for lines in LINES:
        if any(f"{tool}." in lines for tool in tools):
            exec(lines, names)
    return names


def test_every_line_belongs_to_a_tool():
    assert [next(t for t in ("mlflow", "shap") if f"{t}." in lines) for lines in LINES] == [
        *("mlflow", "shap", "shap")
    ]


def test_skops_reads_a_model_that_trusts_our_types(known, tmp_path):
    model, table = known["model"], known["table"]
    sio.dump(model, tmp_path / "model.skops")
    back = sio.load(tmp_path / "model.skops", trusted=trusted_types())
    np.testing.assert_array_equal(back.decision_function(table), model.decision_function(table))
    with pytest.raises(sio.exceptions.UntrustedTypesFoundException):
        sio.load(tmp_path / "model.skops", trusted=[])


def test_mlflow_keeps_a_model(known, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", minversion="3.9")  # the first that trusts types
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    names = run(known, "mlflow")
    np.testing.assert_array_equal(
        names["again"].decision_function(known["table"]),
        known["model"].decision_function(known["table"]),
    )


def test_shap_explains_a_table_with_words_and_draws_our_values(known):
    pytest.importorskip("shap")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names = run(known, "shap")
    theirs, decision = names["theirs"], known["model"].decision_function(known["table"].iloc[:5])
    np.testing.assert_allclose(theirs.values.sum(axis=1) + theirs.base_values, decision, atol=1e-6)
    ours = names["ours"]
    np.testing.assert_allclose(ours.values.sum(axis=1) + ours.base_values, decision, atol=1e-9)
