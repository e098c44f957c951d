"""Models of tables in MLflow: logged as a file, loaded as themselves or as a ``pyfunc``.

A logged model is the file that ``save`` writes, so nothing is pickled. As a ``pyfunc`` it takes
data frames and gives ``positive``, ``probability`` and ``decision``; that needs NumPy alone where
the model allows it (:mod:`pulps.score`).
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulps import __version__
from pulps.io.optional import needs
from pulps.score import Scorer, load
from pulps.score.columns import add_scores
from pulps.score.saved import OtherModelError

if TYPE_CHECKING:
    import pandas as pd

FILE = "model.pulps"
REQUIREMENTS = [f"pulps=={__version__}"]


def log_model(model: Any, name: str = "model", **options: Any) -> Any:
    """Log a fitted model to the active run of MLflow.

    Parameters
    ----------
    model : PUClassifier, LPSClassifier or LPSSemiSupervisedClassifier
        A fitted model.
    name : str
        What the model is called in the run.
    **options
        Of ``mlflow.pyfunc.log_model``, such as ``registered_model_name``, ``input_example`` and
        ``pip_requirements``, which are this version of pulps by default.

    Returns
    -------
    mlflow.models.model.ModelInfo
        With ``model_uri``, for :func:`load_model` and ``mlflow.pyfunc.load_model``.
    """
    with needs("mlflow", "Logging a model"):
        import mlflow

    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / FILE)
        return mlflow.pyfunc.log_model(name=name, **_flavor(Path(folder) / FILE, options))


def save_model(model: Any, path: str | Path, **options: Any) -> None:
    """Write a fitted model to a folder as MLflow keeps models.

    Parameters
    ----------
    model
        A fitted model.
    path : path
        The folder; there must be none yet.
    **options
        Of ``mlflow.pyfunc.save_model``.
    """
    with needs("mlflow", "Logging a model"):
        import mlflow

    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / FILE)
        mlflow.pyfunc.save_model(str(path), **_flavor(Path(folder) / FILE, options))


def load_model(model_uri: str) -> Any:
    """Read a logged model as what it was; nothing in it is executed.

    Parameters
    ----------
    model_uri : str
        Such as ``runs:/<run>/model``, ``models:/<name>/<version>`` or a folder.

    Returns
    -------
    PUClassifier, LPSClassifier or LPSSemiSupervisedClassifier
        The fitted model.
    """
    with needs("mlflow", "Loading a model from MLflow"):
        from mlflow.artifacts import download_artifacts
        from mlflow.models import Model

    folder = Path(download_artifacts(artifact_uri=model_uri))
    flavor = Model.load(str(folder)).flavors.get("python_function", {})
    if flavor.get("loader_module") != __name__:
        raise ValueError(
            f"{model_uri} holds no model of pulps. Pass what pulps.mlflow.log_model returned."
        )
    from pulps.estimators import load_model as read

    return read(folder / flavor["data"])


class ScoredFrames:
    """What MLflow calls a model: data frames in, scores out.

    Parameters
    ----------
    model
        A fitted model, or one that scores with NumPy alone.
    """

    def __init__(self, model: Any) -> None:
        self.model = model

    def predict(self, model_input: pd.DataFrame, params: dict[str, Any] | None = None) -> Any:
        """Score rows.

        Parameters
        ----------
        model_input
            The columns of the fit, among others.
        params
            Not used.

        Returns
        -------
        DataFrame
            The columns ``positive``, ``probability`` and ``decision``, or ``class`` and
            ``probability``, with the index of the rows.
        """
        if isinstance(self.model, Scorer):
            scored = add_scores(self.model, model_input)
        else:
            from pulps.scale.scoring import score_rows

            scored = score_rows(self.model, model_input)
        return scored[[name for name in scored.columns if name not in model_input.columns]]


def _flavor(file: Path, options: dict[str, Any]) -> dict[str, Any]:
    named = {"loader_module": __name__, "data_path": str(file), "pip_requirements": REQUIREMENTS}
    return named | options


def _load_pyfunc(path: str) -> ScoredFrames:
    """Do as MLflow asks of a loader: with NumPy alone where the model allows it."""
    try:
        return ScoredFrames(load(path))
    except OtherModelError:
        from pulps.estimators import load_model as read

        return ScoredFrames(read(path))
