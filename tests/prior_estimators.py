"""Estimators of the prior that are quick enough for many fits."""

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from pulps import LPSClassifier, LPSPrior, priors
from pulps.priors import make_prior_estimator
from pulps.tables.table_matrix import TableMatrix

SCENARIOS = ["single-training-set", "case-control"]
METHODS = [*priors.METHODS, "lps"]
QUICK = {
    "bbe": {"classifier": LogisticRegression()},
    "dedpul": {"classifier": LogisticRegression(), "n_resamples": 10},
    "elkan-noto": {"classifier": LogisticRegression()},
    "km1": {"n_parts": 2, "n_components": 80},
    "km2": {"n_parts": 2, "n_components": 80},
    "three-way": {"classifier": LogisticRegression(), "n_resamples": 5},
    "tice": {"n_parts": 2},
    "lps": {"classifier": LPSClassifier(n_members=4, max_epochs=20)},
}
LINE_FOR_ANY_TABLE = make_pipeline(TableMatrix(), LogisticRegression())
ANY_TABLE = {
    name: {"classifier": LINE_FOR_ANY_TABLE, "cv": 2}
    for name in ("bbe", "dedpul", "elkan-noto", "three-way")
}


def make(name, **parameters):
    """Return an estimator that is quick enough for many fits."""
    settings = {"random_state": 0, **QUICK[name], **parameters}
    return LPSPrior(**settings) if name == "lps" else make_prior_estimator(name, **settings)


def error(model, X, y, truth):
    return model.fit(X, y).prior_of_unlabeled_ - truth
