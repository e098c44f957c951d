"""Every command takes a model of either kind; only the network draws and fills."""

import json

import numpy as np
import pandas as pd
import pytest
from commands import QUICK, failure, run

from pulps import LPSClassifier, PUClassifier, load_model

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)
FITS = {
    "consensus": (PUClassifier, QUICK["consensus"]),
    "consensus with a network": (
        PUClassifier,
        [*QUICK["consensus"], "--generative", "--members", "1", "--epochs", "2"],
    ),
    "lps": (LPSClassifier, [*QUICK["lps"], "--generative"]),
}


@pytest.fixture(scope="module", params=FITS)
def either(request, folder, tmp_path_factory):
    """A folder with a table and a model of one kind."""
    made = tmp_path_factory.mktemp("either")
    (made / "table.csv").write_bytes((folder / "table.csv").read_bytes())
    words = ["--label", "bought", "--out", str(made / "model"), "--seed", "0"]
    kind, settings = FITS[request.param]
    if "--generative" in settings:
        (made / "small.toml").write_text(
            "[model]\nbond_dim = 2\nn_repeats = 1\n"
            "[model.density]\nbond_dim = 2\nn_members = 1\nmax_epochs = 2\n"
        )
        settings = [*settings, "--config", str(made / "small.toml")]
    assert run(made, "fit", "table.csv", *words, *settings) == 0
    return made, kind, request.param == "consensus"


def test_the_file_says_which_kind_it_is(either):
    made, kind, _ = either
    model = load_model(made / "model")
    assert type(model) is kind
    other = LPSClassifier if kind is PUClassifier else PUClassifier
    said = f"holds a {kind.__name__}, not a {other.__name__}.*with {kind.__name__}.load"
    with pytest.raises(ValueError, match=said):
        other.load(made / "model")


def test_scores_of_the_command_are_those_of_the_model(either, tmp_path):
    made, _, _ = either
    out = tmp_path / "scored.csv"
    assert run(made, "predict", "model", "table.csv", "--out", str(out)) == 0
    scored, model = pd.read_csv(out), load_model(made / "model")
    rows = scored[list(model.feature_names_in_)]
    np.testing.assert_allclose(scored["decision"], model.decision_function(rows))
    np.testing.assert_allclose(scored["probability"], model.predict_proba(rows)[:, 1])


def test_info_tells_the_kind_and_whether_it_generates(either, capsys):
    made, kind, bare = either
    assert run(made, "info", "model", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["kind"] == ("consensus" if kind is PUClassifier else "lps")
    assert ("views" in told) == (kind is PUClassifier)
    assert ("n_members" in told) != bare
    assert told["generates"] != bare
    assert run(made, "info", "model") == 0
    words = capsys.readouterr().out
    assert ("consensus of 2 views" in words) == (kind is PUClassifier)
    assert ("no; fit with --generative" in words) == bare


def test_a_report_is_written(either, tmp_path, capsys):
    made, kind, bare = either
    words = ["--label", "bought", "--out", str(tmp_path / "report.html"), "--json"]
    assert run(made, "report", "model", "table.csv", *words) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["views"] is not None) == (kind is PUClassifier)
    assert (data["examples"] is None) == bare
    assert "Report on table.csv" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize("words", [["sample", "model"], ["impute", "model", "table.csv"]])
def test_only_a_network_draws_and_fills(either, words, tmp_path, capsys):
    made, _, bare = either
    code = run(made, *words, "--out", str(tmp_path / "rows.csv"))
    if not bare:
        assert code == 0
        assert len(pd.read_csv(tmp_path / "rows.csv")) >= 10
        return
    assert code == 2
    assert "saved without its network" in (line := failure(capsys))
    assert "--generative" in line
    assert list(tmp_path.iterdir()) == []
