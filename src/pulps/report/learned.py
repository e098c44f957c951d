"""Everything the report says, collected into one plain dict."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from pulps.io.plain import cell, plain
from pulps.report.attributes import (
    CLASS_POSITIONS,
    MOST_DEPENDENT,
    Draws,
    dependence,
    distributions,
)
from pulps.report.candidates import candidates
from pulps.report.importance import effects, importance, rows_for_importance
from pulps.report.warnings import find_warnings
from pulps.tables.decoding import to_table
from pulps.tables.reading import read_columns, to_pandas
from pulps.training.loss import LossTerms

N_DRAWS, N_EXAMPLES = 200, 8
MOST_ATTRIBUTES = 24
SCORE_BINS = 40


def collect(model, X, y=None, *, title: str, n_rows: int, random_state=0) -> dict:
    """Collect what a fitted model says about a table.

    Parameters
    ----------
    model
        A fitted ``LPSClassifier``.
    X, y, title, n_rows, random_state
        As in ``LPSClassifier.report``.

    Returns
    -------
    dict
        Strings, numbers, lists, dicts and None only.
    """
    if n_rows < 1:
        raise ValueError(f"n_rows is {n_rows}. List at least one row.")
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
            "warnings": find_warnings(
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
        raise ValueError(
            f"y has shape {y.shape}, but X has {n_rows} rows. Pass one label per row."
        )
    unknown = set(np.unique(y).tolist()) - set(model.classes_.tolist())
    if unknown:
        raise ValueError(
            f"y holds {sorted(unknown, key=str)[:5]}, but the model was fitted with "
            f"{model.classes_.tolist()}. Pass labels as they were at fit."
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
    """Count decisions in bins, one of which begins at the threshold."""
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


def _draw(model, rng) -> tuple[Draws, bool]:
    """Draw encoded rows of both classes the quick way; say whether they are exact."""
    drawn, exact = {}, True
    for name, position in CLASS_POSITIONS.items():
        density = model.class_density(model.classes_[position])
        drawn[name], exact = density.quick_draws(N_DRAWS, rng)
    return drawn, exact


def _examples(model, columns, drawn: Draws, exact: bool) -> dict:
    rows = {}
    for name, values in drawn.items():
        table = to_table(values[:N_EXAMPLES], model.encoder_, model.form_)
        rows[name] = [[cell(v) for v in row] for row in to_pandas(table, columns).to_numpy(object)]
    return {"columns": columns, **rows, "n_draws": N_DRAWS, "exact": exact}


def _unseen(model, X, values) -> dict[str, float]:
    """Share of cells per attribute that hold a value the model does not know."""
    _, series = read_columns(X)
    shares = {}
    for position, column in enumerate(model.encoder_.columns_):
        unseen = column.unknown(series[column.index], values[:, position])
        shares[str(column.name)] = float(unseen.mean())
    return shares


def _curves(model) -> dict:
    """Average the training history over the members kept."""
    kept = {name: curve[:, model.members_] for name, curve in model.history_.items()}
    means = {}
    for name, curve in kept.items():
        known = ~np.isnan(curve)
        total = np.where(known, curve, 0).sum(axis=1)
        means[name] = np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), np.nan)
    return {
        "terms": {name: means[name] for name in LossTerms._fields if np.nansum(means[name]) > 0},
        "labeled_recall": means["labeled_recall"],
        "positive_share": means["positive_share"],
        "restarts": model.restarts_,
    }
