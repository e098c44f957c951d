"""MLflow logs a model, loads it and scores with it."""

import numpy as np
import pandas as pd
import pytest

mlflow = pytest.importorskip("mlflow", reason="needs MLflow (extra mlflow)")

from scored_models import mixed_table, small_network  # noqa: E402

import pulps.mlflow  # noqa: E402
from pulps import PUClassifier  # noqa: E402
from pulps.score import Scorer  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of MLflow and of its libraries


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with mlflow.start_run() as active:
        yield active
    mlflow.set_tracking_uri(None)


@pytest.mark.parametrize("kind", ["consensus", "network"])
def test_a_logged_model_scores_through_mlflow(run, kind):
    frame, labels = mixed_table()
    fresh = PUClassifier(views=["boosting"]) if kind == "consensus" else small_network()
    model = fresh.set_params(random_state=0).fit(frame, labels)
    logged = pulps.mlflow.log_model(model, "scores")
    loaded = mlflow.pyfunc.load_model(logged.model_uri)
    scores = loaded.predict(frame.assign(more="x"))
    assert list(scores.columns) == ["positive", "probability", "decision"]
    wanted = model.decision_function(frame)
    np.testing.assert_allclose(scores["decision"], wanted, rtol=0, atol=1e-6)
    np.testing.assert_array_equal(scores["positive"], model.predict(frame))
    assert isinstance(loaded._model_impl.model, Scorer)
    again = pulps.mlflow.load_model(logged.model_uri)
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.decision_function(frame), wanted)


def test_a_folder_of_mlflow_holds_the_file_and_other_models_are_refused(tmp_path):
    frame, labels = mixed_table()
    model = PUClassifier(views=["boosting"], random_state=0).fit(frame, labels)
    pulps.mlflow.save_model(model, tmp_path / "kept")
    assert (tmp_path / "kept" / "data" / "model.pulps").is_file()
    again = pulps.mlflow.load_model(str(tmp_path / "kept"))
    pd.testing.assert_frame_equal(again.views_, model.views_)
    other = tmp_path / "other"
    mlflow.pyfunc.save_model(str(other), loader_module="json", data_path=str(tmp_path / "kept"))
    with pytest.raises(ValueError, match="holds no model of pulps"):
        pulps.mlflow.load_model(str(other))
