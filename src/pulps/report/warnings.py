"""What could be wrong: reasons to look twice, a sentence each."""

from __future__ import annotations

import numpy as np
from scipy import stats

from pulps.decision.selection import ENOUGH_LABELS, doubts_about
from pulps.tables.encoding import CategoricalColumn

LITTLE_AGREEMENT = 0.8
LARGE_DISTANCE, SMALL_P = 0.2, 0.01
MUCH_MISSING = 0.5


def doubts(
    model,
    values: np.ndarray,
    labeled: np.ndarray,
    decision: np.ndarray,
    probability: np.ndarray,
    unseen: dict[str, float],
) -> list[dict]:
    """Collect warnings about a model and the rows it is shown.

    Parameters
    ----------
    model
        A fitted classifier.
    values, labeled, decision, probability
        Encoded rows, which of them are labeled, and what the model says of them.
    unseen
        For each attribute, the share of cells that were there but that the model does not
        know: other categories, numbers beyond the range of the fit.
    """
    found = [
        *_few_labels(model),
        *_disagreement(model),
        *_drift(model, values, labeled, probability),
        *_unknown(unseen),
    ]
    empty = [
        str(column.name)
        for column, share in zip(
            model.encoder_.columns_, np.isnan(values).mean(axis=0), strict=True
        )
        if share > MUCH_MISSING
    ]
    if empty:
        found.append(
            ("missing values", f"More than half of the cells are missing: {_few(empty)}.")
        )
    if (decision > 0).all() or (decision <= 0).all():
        side = "positive" if decision[0] > 0 else "negative"
        found.append(("one class", f"Every row is called {side}; the ranking may still help."))
    if model.encoder_.constant_features_:
        names = [str(name) for name in model.encoder_.constant_features_]
        found.append(("unused", f"Left out, because they did not vary at fit: {_few(names)}."))
    return [{"topic": topic, "text": text} for topic, text in found]


def _few_labels(model) -> list[tuple[str, str]]:
    n_labeled = model.threshold_report_.n_labeled
    if n_labeled == 0:
        text = "No label was held out, so the share of positives and all scores are not estimated."
    elif n_labeled < ENOUGH_LABELS:
        text = (
            f"Only {n_labeled} labeled rows were held out; the share of positives and all "
            f"estimated scores are rough. Label at least {ENOUGH_LABELS} rows if you can."
        )
    else:
        return []
    return [("too few labels", text)]


def _disagreement(model) -> list[tuple[str, str]]:
    found = []
    if model.agreement_ < LITTLE_AGREEMENT:
        found.append(
            f"Members agree on only {model.agreement_:.0%} of the training rows; the column of "
            "votes shows which rows they dispute. More labels or more members may help."
        )
    report = model.threshold_report_
    found += doubts_about(
        model.agreement_,
        model.kappa_,
        recall=report.recall,
        share=report.share,
        accuracy=report.accuracy,
        n_held_out=report.n_labeled,
    )
    return [("members disagree" if i == 0 else "agreement", text) for i, text in enumerate(found)]


def _drift(model, values, labeled, probability) -> list[tuple[str, str]]:
    """Labeled rows should look like the unlabeled rows that are positive."""
    if labeled.sum() < ENOUGH_LABELS or (~labeled).sum() < ENOUGH_LABELS:
        return []
    alike = ~labeled & (probability > 0.5)
    if alike.sum() < ENOUGH_LABELS:
        return []
    suspects = []
    for attribute, column in enumerate(model.encoder_.columns_):
        shown, hidden = (
            side[~np.isnan(side)]
            for side in (values[labeled, attribute], values[alike, attribute])
        )
        if len(shown) < ENOUGH_LABELS or len(hidden) < ENOUGH_LABELS:
            continue
        if isinstance(column, CategoricalColumn):
            distance, p_value = _category_distance(shown, hidden)
        else:
            test = stats.ks_2samp(shown, hidden)
            distance, p_value = test.statistic, test.pvalue
        if distance > LARGE_DISTANCE and p_value < SMALL_P / values.shape[1]:
            suspects.append((distance, str(column.name)))
    if not suspects:
        return []
    names = [name for _, name in sorted(suspects, reverse=True)]
    return [
        (
            "drift",
            "Labeled rows differ from the unlabeled rows that are called positive in "
            f"{_few(names)}. If labels were not given at random among positives, the share of "
            "positives, the threshold and the probabilities are off; the ranking suffers less.",
        )
    ]


def _category_distance(shown: np.ndarray, hidden: np.ndarray) -> tuple[float, float]:
    codes = np.unique(np.concatenate([shown, hidden]))
    table = np.array([[(side == code).sum() for code in codes] for side in (shown, hidden)])
    if len(codes) < 2:
        return 0.0, 1.0
    shares = table / table.sum(axis=1, keepdims=True)
    p_value = stats.chi2_contingency(table, correction=False).pvalue
    return float(np.abs(shares[0] - shares[1]).sum() / 2), float(p_value)


def _unknown(unseen: dict[str, float]) -> list[tuple[str, str]]:
    strange = [f"{name} ({share:.0%})" for name, share in unseen.items() if share > 0.01]
    if not strange:
        return []
    return [
        (
            "new values",
            "Cells hold values that the model did not see at fit; unknown categories count as "
            f"missing, numbers as the end of the range: {_few(strange)}.",
        )
    ]


def _few(names: list[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
