"""Everything the report says, collected into one plain dict."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from pulps.io.plain import plain
from pulps.labels import missing_labels, take_negatives
from pulps.report.answer import answer
from pulps.report.attributes import MOST_DEPENDENT, dependence, distributions
from pulps.report.candidates import candidates
from pulps.report.curves import curves_section
from pulps.report.cuts import cuts
from pulps.report.importance import effects, importance, rows_for_importance
from pulps.report.networks import curves, examples, facts, generates, network_of
from pulps.report.plain_method import compare
from pulps.report.progress import Tell, part, silent
from pulps.report.views import views_section, votes_of_views
from pulps.report.warnings import find_warnings
from pulps.tables.reading import read_columns, to_pandas

TOLD = ("recall", "precision", "f1_pos", "f1_neg", "accuracy")
MOST_ATTRIBUTES = 24
SCORE_BINS = 40


def collect(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    ids: Any = None,
    title: str,
    n_rows: int,
    random_state: int | np.random.RandomState | None = 0,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Collect what a fitted model says about a table.

    Parameters
    ----------
    model
        A fitted ``PUClassifier`` or ``LPSClassifier``.
    X, y, ids, title, n_rows, random_state
        As in ``PUClassifier.report``.
    tell
        Told how much is done, and what is done next.

    Returns
    -------
    dict
        Strings, numbers, lists, dicts and None only. The keys are the same for both kinds of
        model; what only views or only a generative network can tell is None where there is none.
    """
    if n_rows < 1:
        raise ValueError(f"n_rows is {n_rows}. List at least one row.")
    tell(0.0, "reading the table")
    rng = check_random_state(random_state)
    names, _ = read_columns(X)
    checked = model.check_columns(X)
    values = model.encoder_.transform(checked)
    labeled, negative = labeled_rows(model, y, len(values))
    rest = ~negative
    named = named_rows(ids, X, len(values))
    network = network_of(model)
    is_consensus = hasattr(model, "consensus_")
    tell(0.05, "scoring rows")
    if is_consensus:
        each = model.consensus_.each(values)
        decision = model.consensus_.together(each) - model.threshold_report_.threshold
        votes = votes_of_views(model, each)
    else:
        ratios = model.states.log_ratios(values)
        decision = model.decision_rule.decision(ratios)
        votes = (model.decision_rule.member_decisions(ratios) > 0).mean(axis=0)
    probability = model.probability_of(decision)
    columns = model.encoder_.columns_

    some = rows_for_importance(len(values), values.shape[1], rng, by_sites=not is_consensus)
    changes = effects(model, values[some], part(tell, 0.4, 0.65))
    matters = importance([str(column.name) for column in columns], changes, decision[some] > 0)
    order = [item["attribute"] for item in matters]
    unlabeled = np.flatnonzero(rest & ~labeled)
    best = unlabeled[np.argsort(-decision[unlabeled], kind="stable")][:n_rows]
    judged = {"probability": probability, "decision": decision, "votes": votes}
    generative = network if generates(network) else None
    why = effects(model, values[best], part(tell, 0.65, 0.85))
    tell(0.85, "comparing")
    compared = compare(model, values[rest], labeled[rest], rng)
    tell(0.9, "counting")
    frame = to_pandas(X, names)
    data: dict[str, Any] = {
        "title": title,
        "kind": "consensus" if is_consensus else "lps",
        "answer": None,
        "learned": facts_of_model(model, network, labeled, negative, decision)
        | {"n_columns": model.n_features_in_},
        "compared": compared,
        "warnings": find_warnings(
            model,
            values[rest],
            labeled[rest],
            decision[rest],
            probability[rest],
            unseen_cells(model, checked, values),
        ),
        "cuts": cuts(model, decision[unlabeled]) if len(unlabeled) else None,
        "curves": curves_section(model),
        "views": None,
        "scores": _histogram(decision[rest], labeled[rest]) | {"held_out": None},
        "candidates": candidates(
            frame, columns, sources_of(model, frame), best, ids=named, changes=why, **judged
        ),
        "importance": {"n_rows": len(some), "attributes": matters},
        "attributes": distributions(
            model, values[rest], labeled[rest], order[:MOST_ATTRIBUTES], generative
        ),
        "dependence": generative and dependence(generative, order[:MOST_DEPENDENT]),
        "examples": generative and examples(generative, names, rng),
        "training": None if network is None else curves(network),
    }
    if is_consensus:
        data["scores"]["held_out"] = _held_out(model)
        data["views"] = views_section(model, each, unlabeled=unlabeled, best=best, **judged)
    data = plain(data)
    tell(1.0, "done")
    return data | {"answer": answer(data)}


def sources_of(model: Any, frame: pd.DataFrame) -> list[int]:
    """Find the column of a table that each attribute is read from.

    Parameters
    ----------
    model
        A fitted classifier.
    frame
        The table.

    Returns
    -------
    list of int
        Positions of columns.
    """
    places = {str(name): place for place, name in enumerate(frame.columns)}
    names = model.encoder_.names_
    return [
        column.index if names is None else places.get(str(names[column.index]), column.index)
        for column in model.encoder_.columns_
    ]


def named_rows(ids: Any, X: Any, n_rows: int) -> pd.Series | None:
    """Find what people call the rows: what was given, or the named index of a pandas table.

    Parameters
    ----------
    ids
        One value per row, or None.
    X
        The table.
    n_rows
        Number of its rows.

    Returns
    -------
    Series or None
    """
    if ids is None:
        index = getattr(X, "index", None)
        if not isinstance(index, pd.Index) or index.name is None:
            return None
        ids = index.to_series()
    named = pd.Series(np.asarray(ids), name=getattr(ids, "name", None))
    if len(named) != n_rows:
        raise ValueError(
            f"ids has {len(named)} values, but X has {n_rows} rows. Pass one per row."
        )
    return named


def labeled_rows(model: Any, y: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Tell which rows are labeled positive, and which are known to be negative.

    Parameters
    ----------
    model
        A fitted classifier of labeled and unlabeled rows.
    y
        Labels as at fit, or None if there are none. Where positives are 1, the values -1, 0 and 1
        mean what they mean to a fit; what is missing is unlabeled.
    n_rows
        Number of rows.

    Returns
    -------
    labeled, negative : array of bool, shape (rows,)
    """
    if y is None:
        return np.zeros(n_rows, dtype=bool), np.zeros(n_rows, dtype=bool)
    y = np.asarray(y)
    if y.shape != (n_rows,):
        raise ValueError(
            f"y has shape {y.shape}, but X has {n_rows} rows. Pass one label per row."
        )
    known = set(model.classes_.tolist())
    y, negative = take_negatives(y, model.classes_.tolist()[1])
    if negative is None:
        negative = np.zeros(n_rows, dtype=bool)
    y = np.where(missing_labels(y), model.classes_[0], y)
    unknown = set(np.unique(y).tolist()) - (known | {0} if known == {-1, 1} else known)
    if unknown:
        raise ValueError(
            f"y holds {sorted(unknown, key=str)[:5]}, but the model was fitted with "
            f"{model.classes_.tolist()}. Pass labels as they were at fit."
        )
    return y == model.classes_[1], negative


def facts_of_model(
    model: Any, network: Any, labeled: np.ndarray, negative: np.ndarray, decision: np.ndarray
) -> dict[str, Any]:
    """Tell the cut, the share of positives and the scores that go with them.

    Parameters
    ----------
    model
        A fitted classifier of labeled and unlabeled rows.
    network
        Its network, or None.
    labeled, negative
        From :func:`labeled_rows`.
    decision
        What the model decides on every row.

    Returns
    -------
    dict
    """
    report = model.threshold_report_
    unlabeled = decision[~labeled & ~negative]
    intervals = {f"{name}_interval": getattr(report, f"{name}_interval") for name in TOLD}
    return {
        "n_rows": len(labeled),
        "n_labeled": labeled.sum(),
        "n_known_negative": negative.sum(),
        "n_unlabeled": len(unlabeled),
        "n_called_positive": (unlabeled > 0).sum(),
        "prior_of_unlabeled": report.prior_of_unlabeled,
        "prior_interval": report.prior_interval,
        "upper_bound_only": report.upper_bound_only,
        "prior": model.prior_,
        "prior_given": isinstance(model.prior, Real),
        "rule": report.rule,
        "threshold": report.threshold,
        "reason": report.reason,
        "share": report.share,
        **{name: getattr(report, name) for name in TOLD},
        **intervals,
        "n_held_out": report.n_labeled,
        "n_negative": report.n_negative,
        "scenario": model.scenario,
        **facts(network),
    }


def _histogram(decision: np.ndarray, labeled: np.ndarray) -> dict[str, Any]:
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


def _held_out(model: Any) -> dict[str, Any]:
    """Histogram of what a consensus decided on training rows by models that did not see them."""
    honest = model.honest_
    scores = np.concatenate([honest.labeled, honest.unlabeled])
    labeled = np.arange(len(scores)) < len(honest.labeled)
    return _histogram(scores - model.threshold_report_.threshold, labeled)


def unseen_cells(model: Any, X: Any, values: Any) -> dict[str, float]:
    """Share of cells per attribute that hold a value the model does not know.

    Parameters
    ----------
    model
        A fitted classifier.
    X
        Rows, checked.
    values
        The same, encoded.

    Returns
    -------
    dict
    """
    series = model.encoder_.series_of(X)
    shares = {}
    for position, column in enumerate(model.encoder_.columns_):
        unseen = column.unknown(series[column.index], values[:, position])
        shares[str(column.name)] = float(unseen.mean())
    return shares
