"""Everything the report tells, collected into one plain dict."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from pulps.io.plain import cell, plain
from pulps.report.attributes import MOST_DEPENDENT, dependence, distributions
from pulps.report.candidates import candidates
from pulps.report.importance import effects, importance, rows_for_importance
from pulps.report.warnings import doubts
from pulps.tables.decoding import to_table
from pulps.tables.encoding import (
    CategoricalColumn,
    categories_of,
    numbers_of,
    read_columns,
    to_pandas,
)
from pulps.training.loss import LossTerms

N_DRAWS, N_EXAMPLES = 200, 8
MOST_ATTRIBUTES = 24
SCORE_BINS = 40


def collect(model, X, y=None, *, title: str, n_rows: int, random_state=0) -> dict:
    """Collect what a fitted model says of a table; see ``LPSClassifier.report``."""
    if n_rows < 1:
        raise ValueError(f"n_rows is {n_rows}; at least one row must be listed.")
    rng = check_random_state(random_state)
    names, _ = read_columns(X)
    checked = model.check_columns(X)
    values = model.encoder_.transform(checked)
    labeled = _labeled(model, y, len(values))
    rule, ratios = model.decision_rule, model.states.log_ratios(values)
    decision = rule.decision(ratios)
    probability = rule.probability(decision)
    votes = (rule.member_decisions(ratios) > 0).mean(axis=0)
    frame = to_pandas(X, names)
    used = [str(column.name) for column in model.encoder_.columns_]

    some = rows_for_importance(len(values), values.shape[1], rng)
    matters = importance(used, effects(model, values[some]), decision[some] > 0)
    order = [item["attribute"] for item in matters]
    unlabeled = np.flatnonzero(~labeled)
    best = unlabeled[np.argsort(-decision[unlabeled], kind="stable")][:n_rows]
    drawn, exact = _draw(model, rng)
    reading = None if exact else drawn
    return plain(
        {
            "title": title,
            "learned": _learned(model, labeled, decision),
            "warnings": doubts(
                model, values, labeled, decision, probability, _unseen(model, checked, values)
            ),
            "scores": _histogram(decision, labeled),
            "candidates": candidates(
                frame,
                used,
                best,
                probability=probability,
                decision=decision,
                votes=votes,
                changes=effects(model, values[best]),
            ),
            "importance": {"n_rows": len(some), "attributes": matters},
            "attributes": distributions(model, values, labeled, order[:MOST_ATTRIBUTES], reading),
            "dependence": dependence(model, order[:MOST_DEPENDENT], reading),
            "examples": _examples(model, names, drawn, exact),
            "training": _curves(model),
        }
    )


def _labeled(model, y, n_rows: int) -> np.ndarray:
    if y is None:
        return np.zeros(n_rows, dtype=bool)
    y = np.asarray(y)
    if y.shape != (n_rows,):
        raise ValueError(f"y has shape {y.shape}, X has {n_rows} rows; pass one label a row.")
    unknown = set(np.unique(y).tolist()) - set(model.classes_.tolist())
    if unknown:
        raise ValueError(
            f"y holds {sorted(unknown, key=str)[:5]}, but the model was fitted with "
            f"{model.classes_.tolist()}. Pass labels as at fit."
        )
    return y == model.classes_[1]


def _learned(model, labeled, decision) -> dict:
    report = model.threshold_report_
    unlabeled = decision[~labeled]
    return {
        "n_rows": len(labeled),
        "n_labeled": labeled.sum(),
        "n_unlabeled": len(unlabeled),
        "n_called_positive": (unlabeled > 0).sum(),
        "n_columns": model.n_features_in_,
        "n_members": len(model.members_),
        "n_trained": model.history_["labeled_recall"].shape[1],
        "n_epochs": model.n_iter_,
        "prior_of_unlabeled": report.prior_of_unlabeled,
        "prior_interval": report.prior_interval,
        "prior": model.prior_,
        "rule": report.rule,
        "threshold": report.threshold,
        "reason": report.reason,
        "recall": report.recall,
        "precision": report.precision,
        "f1_pos": report.f1_pos,
        "f1_neg": report.f1_neg,
        "accuracy": report.accuracy,
        "n_held_out": report.n_labeled,
        "agreement": model.agreement_,
        "kappa": model.kappa_,
        "agreement_matrix": model.agreement_matrix_,
        "scenario": model.scenario,
        "engine": model.engine_,
        "generative": model.density is not None,
    }


def _histogram(decision: np.ndarray, labeled: np.ndarray) -> dict:
    """Count scores in cells of which one begins at the threshold."""
    low, high = np.quantile(decision, [0.005, 0.995])
    low, high = min(low, 0.0), max(high, 0.0)
    step = (high - low) / SCORE_BINS or 1.0
    edges = step * np.arange(np.floor(low / step), np.ceil(high / step) + 1)
    inside = np.clip(decision, edges[0], edges[-1])
    return {
        "edges": edges,
        "labeled": np.histogram(inside[labeled], edges)[0],
        "unlabeled": np.histogram(inside[~labeled], edges)[0],
    }


def _draw(model, rng) -> tuple[dict[int, np.ndarray], bool]:
    """Draw encoded rows of both classes the quick way; say whether they are exact."""
    drawn, exact = {}, True
    for index in (1, 0):
        density = model.class_density(model.classes_[index])
        drawn[index], exact = density.quick_draws(N_DRAWS, rng)
    return drawn, exact


def _examples(model, names, drawn, exact) -> dict:
    sides = {}
    for side, y in (("positive", 1), ("negative", 0)):
        table = to_table(drawn[y][:N_EXAMPLES], model.encoder_, model.form_)
        sides[side] = [[cell(v) for v in row] for row in to_pandas(table, names).to_numpy(object)]
    return {"columns": names, **sides, "n_draws": N_DRAWS, "exact": exact}


def _unseen(model, X, values) -> dict[str, float]:
    """Share of cells that are there but unknown to the model, for each attribute."""
    _, series = read_columns(X)
    shares = {}
    for position, column in enumerate(model.encoder_.columns_):
        source = series[column.index]
        if isinstance(column, CategoricalColumn):
            raw = categories_of(source)
            there = np.array([not (v is None or v != v) for v in raw.tolist()])
            strange = there & np.isnan(values[:, position])
        else:
            numbers = numbers_of(column.name, source)
            strange = (numbers < column.knots[0]) | (numbers > column.knots[-1])
        shares[str(column.name)] = float(strange.mean())
    return shares


def _curves(model) -> dict:
    """Means over the members kept, after every epoch."""
    kept = {name: curve[:, model.members_] for name, curve in model.history_.items()}
    means = {}
    for name, curve in kept.items():
        there = ~np.isnan(curve)
        total = np.where(there, curve, 0).sum(axis=1)
        means[name] = np.where(there.any(axis=1), total / np.maximum(there.sum(axis=1), 1), np.nan)
    return {
        "terms": {name: means[name] for name in LossTerms._fields},
        "labeled_recall": means["labeled_recall"],
        "positive_share": means["positive_share"],
        "restarts": model.restarts_,
    }
