"""Small fitted models of every kind, and tables of every kind to score with them."""

import datetime

import numpy as np
import pandas as pd

from pulps import LPSClassifier, LPSSemiSupervisedClassifier, PUClassifier
from pulps.estimators.recipes.recipe import Recipe

N_ROWS = 120


def mixed_table(seed=0, n_rows=N_ROWS):
    """Numbers, words, truth values, dates as such and as text, lengths of time, and holes."""
    rng = np.random.default_rng(seed)
    numbers = rng.normal(size=n_rows)
    words = rng.choice(["red", "green", "01", "blue"], n_rows)
    when = pd.Timestamp("2023-11-28 05:00") + pd.to_timedelta(rng.integers(0, 4000, n_rows), "h")
    frame = pd.DataFrame(
        {
            "size": numbers,
            "count": rng.integers(0, 50, n_rows),
            "word": words,
            "kind": pd.Categorical(rng.choice(["a", "b", "c"], n_rows)),
            "truth": rng.random(n_rows) < 0.5,
            "when": when,
            "written": [f"{day:%d.%m.%Y}" for day in when],
            "price": [f"{value:.2f} €" for value in rng.gamma(3, 20, n_rows)],
        }
    )
    frame.loc[rng.random(n_rows) < 0.2, "size"] = np.nan
    frame.loc[rng.random(n_rows) < 0.2, "word"] = None
    labels = ((numbers + (words == "red") > 0.3) & (rng.random(n_rows) < 0.6)).astype(int)
    return frame, labels


def small_network(**options):
    settings = {"n_members": 2, "max_epochs": 4, "bond_dim": 4, "random_state": 0}
    return LPSClassifier(
        **(settings | {"first_guess": None, "recipe": Recipe(max_restarts=0)} | options)
    )


def small_classes(**options):
    settings = {"n_members": 2, "max_epochs": 4, "bond_dim": 4, "random_state": 0}
    return LPSSemiSupervisedClassifier(**(settings | {"recipe": Recipe(max_restarts=0)} | options))


def models():
    """Models by name, each with what it was fitted on."""
    frame, labels = mixed_table()
    arrays = frame[["size", "count"]].to_numpy(float)
    known = labels.copy()
    known[np.flatnonzero(labels == 0)[:12]] = -1
    shown = np.arange(N_ROWS) % 2 == 0
    third = np.digitize(frame["count"], [16, 33])
    kinds = np.where(shown, np.array(["low", "middle", "high"], dtype=object)[third], None)
    known_high = np.where(shown & (third > 0), "high", None)
    numbers, one = np.where(shown, third, -1), np.where(shown & (third == 2), 7, -1)
    every = ("bagging", "relevant-kernel", "boosting", "risk-trees", "risk-network")
    return {
        "consensus": (PUClassifier(views=every, random_state=0), frame, labels),
        "consensus of an array": (
            PUClassifier(views=["narrow-kernel"], random_state=0),
            arrays,
            labels,
        ),
        "known negatives": (PUClassifier(views=["kernel"], random_state=0), frame, known),
        "words for classes": (
            PUClassifier(views=["boosting"], pos_label="yes", random_state=0),
            frame,
            np.where(labels == 1, "yes", "unknown"),
        ),
        "a network among the views": (
            PUClassifier(views=["lps", "bagging"], network=small_network(), random_state=0),
            frame,
            labels,
        ),
        "network": (small_network(), frame, labels),
        "network of an array": (small_network(), arrays, labels),
        "codes as numbers": (
            small_network(
                recipe=Recipe(max_restarts=0, category_basis="fourier"),
                n_repeats=2,
            ),
            frame,
            labels,
        ),
        "classes": (small_classes(), frame, kinds),
        "classes of an array": (small_classes(blend=0.5), arrays, numbers),
        "two classes": (small_classes(), frame, np.where(kinds == "low", kinds, known_high)),
        "none of these": (small_classes(unlabeled_class="other"), frame, kinds),
        "one class and none of these": (small_classes(unlabeled_class=True), arrays, one),
        "classes by views alone": (small_classes(blend=0.0), frame, kinds),
        "classes by the network alone": (small_classes(first_guess=None), frame, kinds),
    }


def later(frame):
    """Rows that the fit did not see: beyond its range, with new words, with more holes."""
    new, _ = mixed_table(seed=1, n_rows=60)
    new.loc[3, "size"] = 1e9
    new.loc[4, "word"] = "purple"
    new.loc[5, ["word", "price", "written"]] = None
    new.loc[6, "written"] = datetime.date(2024, 2, 29).isoformat()
    return new if isinstance(frame, pd.DataFrame) else new[["size", "count"]].to_numpy(float)
