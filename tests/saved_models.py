"""Model files of every format, one of every kind, and rows that they take.

``python tests/saved_models.py`` writes the files of this format that are not there yet. Those that
are there stay as they are: they stand for what users have.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import pulps
from pulps import LPSImageClassifier, LPSSemiSupervisedClassifier, LPSSemiSupervisedImageClassifier
from pulps.estimators.images.density import ImageLikelihoodRecipe
from pulps.estimators.recipes.recipe import ImageRecipe, Recipe
from pulps.io.model_file import FORMAT
from pulps.training.loss import LossWeights
from pulps.views import bagging, boosting, kernel, risk_network, risk_trees
from pulps.views.classes import fitting

READERS = {
    "image": LPSImageClassifier.load,
    "image classes": LPSSemiSupervisedImageClassifier.load,
}
SAVED = Path(__file__).parent / "estimators" / "saved"
KINDS = ("table", "consensus", "image", "classes", "views", "open", "image classes")


def file_of(kind: str, number: int = FORMAT) -> Path:
    return SAVED / f"{kind.replace(' ', '-')}-format-{number}.pulps"


def load(kind: str, path: Path):
    return READERS.get(kind, pulps.load_model)(path)


@cache
def odd_rows_for(kind: str):
    """Many rows beside those of the fit: far from them, with holes, with words never seen."""
    rng = np.random.default_rng(0)
    if kind.startswith("image"):
        return np.concatenate([rng.uniform(-5, 25, (9, 8, 8)), np.full((1, 8, 8), np.nan)])
    known, n_rows = rows_for(kind), 300
    table = pd.DataFrame(
        {
            "size": rng.normal(2, 5, n_rows),
            "kind": pd.Categorical(rng.choice(["a", "b", "c", "never"], n_rows)),
            "band": known["band"].iloc[rng.integers(0, 40, n_rows)].to_numpy(),
            "day": known["day"].iloc[0] + pd.to_timedelta(rng.integers(-500, 500, n_rows), "D"),
        }
    )
    for name in table.columns:
        table.loc[rng.random(n_rows) < 0.2, name] = None
    return table


@cache
def rows_for(kind: str):
    if kind.startswith("image"):
        return load_digits(n_class=2).images[:20]
    i = np.arange(40)
    table = pd.DataFrame(
        {
            "size": (i * 7 % 13) / 3.0,
            "kind": pd.Categorical([("a", "b", "c")[k % 3] for k in i]),
            "band": pd.cut(i % 7, 3),
            "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(i % 11, unit="D"),
        }
    )
    table.loc[3, "size"], table.loc[5, "kind"] = np.nan, None
    return table


def fit(kind: str):
    """Fit a model of one of the last three kinds, as small as can be."""
    rows, quick = rows_for(kind), {"n_members": 1, "random_state": 0}
    if kind == "image classes":
        density = ImageLikelihoodRecipe(feature_dim=4, bond_dim=2, max_epochs=1, patch_size=2)
        small = {"size": None, "patch_size": 2, "feature_dim": 3, "bond_dim": 2, "n_steps": 3}
        model = LPSSemiSupervisedImageClassifier(
            **quick, **small, density=density, recipe=ImageRecipe()
        )
        return model.fit(rows, np.where(np.arange(20) % 2, -1, load_digits().target[:20]))
    labels = np.arange(40) % 3
    if kind == "open":
        model = LPSSemiSupervisedClassifier(
            **quick,
            bond_dim=2,
            max_epochs=1,
            unlabeled_class=True,
            recipe=Recipe(loss_weights=LossWeights()),
        )
        return model.fit(rows, np.where((np.arange(40) % 2 == 0) & (labels < 2), labels, -1))
    views = ["bagging", "boosting", "risk-trees", "risk-network", ("line", LogisticRegression())]
    named = rows.assign(customer_id=[f"{7 * number:05d}" for number in range(40)])
    return pulps.PUClassifier(views=views, random_state=0).fit(named, labels == 0)


def write_missing() -> None:
    """Write the files of today's format that are not there, and the scores that they give."""
    known = SAVED / f"expected-format-{FORMAT}.json"
    expected = json.loads(known.read_text()) if known.exists() else {}
    few = {"N_TREES": 3, "N_ROUNDS": 3, "N_HIDDEN": 4, "N_CENTERS": 5, "N_HELD_OUT_TREES": 3}
    for module in (bagging, boosting, risk_trees, risk_network, kernel, fitting):
        for name in set(few) & set(vars(module)):
            setattr(module, name, few[name])
    for kind in KINDS:
        if not file_of(kind).exists():
            fit(kind).save(file_of(kind))
            scores = load(kind, file_of(kind)).decision_function(rows_for(kind))
            expected[kind] = scores.tolist()
    known.write_text(json.dumps(expected) + "\n")


if __name__ == "__main__":
    write_missing()
