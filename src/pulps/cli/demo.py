"""The demonstration: train where the truth is known, score it, draw it."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pulps.io.optional import needs
from pulps.io.outputs import write_whole

ATTRIBUTES = ("mean radius", "worst concave points")


@dataclass(frozen=True)
class DemoResult:
    """What the demonstration found and where the pictures are."""

    n_rows: int
    n_labeled: int
    scores: dict[str, dict[str, float]]
    expected: dict[str, float]
    picture: Path
    page: Path


def run_demo(folder: Path, *, random_state: int = 0) -> DemoResult:
    """Hide most labels of scikit-learn's breast cancer table, fit, and compare.

    Parameters
    ----------
    folder
        Where the picture and the page go; created if need be.
    random_state
        Seed of the split, the hidden labels and the model.

    Returns
    -------
    DemoResult
        Scores, and where the files are.
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
    from sklearn.model_selection import train_test_split

    from pulps.estimators.tables.consensus import PUClassifier
    from pulps.labels import hide_labels

    X, y_true = load_breast_cancer(return_X_y=True, as_frame=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y_true, stratify=y_true, random_state=random_state
    )
    y = hide_labels(y_train, label_frequency=0.3, random_state=random_state)
    model = PUClassifier(random_state=random_state).fit(X_train, y)

    def score(rows: Any, truth: Any) -> dict[str, float]:
        prediction = model.predict(rows)
        return {
            "accuracy": accuracy_score(truth, prediction),
            "F1": f1_score(truth, prediction),
            "AUC": roc_auc_score(truth, model.decision_function(rows)),
        }

    hidden = y == 0
    scores = {
        "hidden rows of the training table": score(X_train[hidden], y_train[hidden]),
        "new rows": score(X_test, y_test),
        "calling every new row positive": {
            "accuracy": float(y_test.mean()),
            "F1": f1_score(y_test, np.ones(len(y_test), dtype=int)),
            "AUC": 0.5,
        },
    }
    folder.mkdir(parents=True, exist_ok=True)
    picture, page = folder / "demo.png", folder / "demo.html"
    png = _draw(model, X_train, y)
    report = model.threshold_report_
    expected = {"accuracy": report.accuracy, "F1": report.f1_pos}
    write_whole(picture, png)
    result = DemoResult(
        len(X_train), int(y.sum()), scores, expected, picture.resolve(), page.resolve()
    )
    write_whole(page, _render(result, model, png))
    return result


def _draw(model: Any, X: Any, y: Any) -> bytes:
    with needs("plot", "Drawing"):
        import matplotlib as mpl
        from matplotlib.figure import Figure

    from pulps.displays import DecisionMapDisplay, ViewsDisplay

    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(10, 4.2), layout="constrained", dpi=150)
        left, right = figure.subplots(1, 2)
        DecisionMapDisplay.from_estimator(model, X, ATTRIBUTES, labeled=y == 1, ax=left)
        ViewsDisplay.from_estimator(model, ax=right)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png")
    return buffer.getvalue()


def _render(result: DemoResult, model: Any, png: bytes) -> str:
    from jinja2 import Environment, PackageLoader

    environment = Environment(loader=PackageLoader("pulps.cli", "page"), autoescape=True)
    return environment.get_template("demo.html").render(
        result=result,
        views=len(model.views_),
        columns=model.n_features_in_,
        picture=base64.b64encode(png).decode(),
    )
