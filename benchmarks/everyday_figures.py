"""Draw the pictures of the guide's pages on curves, comparing, checking and explaining.

    python benchmarks/everyday_figures.py

The pages show the code; here all methods are compared, which takes some minutes.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from pulps import LPSClassifier, PUClassifier, check_drift, compare, hide_labels
from pulps.displays import (
    BeeswarmDisplay,
    DriftDisplay,
    PriorSensitivityDisplay,
    PUPrecisionRecallDisplay,
    PURocDisplay,
    WaterfallDisplay,
)

FIGURES = Path(__file__).parents[1] / "docs" / "figures"


def save(figure, name: str) -> None:
    figure.savefig(FIGURES / f"everyday-{name}.svg", metadata={"Date": None})
    plt.close(figure)


def draw_explanations(table, y) -> None:
    table = table.filter(like="mean ").iloc[:, :8]
    model = LPSClassifier(n_members=2, random_state=0).fit(table, y)
    found = model.explain(table.iloc[:80])
    figure, axes = plt.subplots(1, 2, figsize=(13, 4.2), layout="constrained")
    WaterfallDisplay(found, row=0).plot(ax=axes[0])
    BeeswarmDisplay(found).plot(ax=axes[1])
    save(figure, "explain")


def main() -> None:
    table, benign = load_breast_cancer(return_X_y=True, as_frame=True)
    y = hide_labels(benign, label_frequency=0.3, random_state=0)
    model = PUClassifier(views=["kernel", "bagging"], random_state=0).fit(table, y)
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    PURocDisplay.from_estimator(model, ax=axes[0])
    PUPrecisionRecallDisplay.from_estimator(model, ax=axes[1])
    PriorSensitivityDisplay.from_estimator(model, ax=axes[2])
    save(figure, "curves")

    y = hide_labels(benign, label_frequency=0.4, random_state=0)
    may = table.sample(300, random_state=0).index
    model = PUClassifier(views=["kernel"], random_state=0).fit(table.loc[may], y[may])
    draw_explanations(table, y)
    june = table.drop(index=may)
    june["mean area"] *= 1.5
    figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
    DriftDisplay(check_drift(model, june)).plot(ax=ax)
    save(figure, "drift")

    y = hide_labels(benign, label_frequency=0.3, random_state=0)
    figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
    found = compare(table, y, random_state=0)
    print(found)
    found.plot(ax=ax)
    save(figure, "compare")


if __name__ == "__main__":
    with mpl.rc_context({"svg.hashsalt": "pulps"}):
        main()
