"""What could be wrong: reasons to look twice, each with a topic and a sentence."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pulps.decision.random_labels import LARGE, labels_look_random
from pulps.decision.selection import ENOUGH_LABELS, reasons_to_doubt
from pulps.io.naming import shown
from pulps.report.answer import percent
from pulps.tables.columns import CategoricalColumn

LITTLE_AGREEMENT = 0.8
LITTLE_AREA = 0.6
MUCH_MISSING = 0.5


class ReportWarning(NamedTuple):
    """A warning: what it is about, and what it says."""

    topic: str
    text: str


def find_warnings(
    model: Any,
    values: np.ndarray,
    labeled: np.ndarray,
    decision: np.ndarray,
    probability: np.ndarray,
    unseen: dict[str, float],
) -> list[dict[str, Any]]:
    """Collect warnings about a model and the rows it is shown.

    Parameters
    ----------
    model
        A fitted classifier.
    values, labeled, decision, probability
        Encoded rows, which of them are labeled, and what the model says about them.
    unseen
        For each attribute, the share of cells that hold a value the model does not know: a
        new category, or a number outside the range of the fit.

    Returns
    -------
    list of dict
        ``topic`` and ``text`` of each warning.
    """
    found = [
        *_few_labels(model),
        *(_weak_views(model) if hasattr(model, "consensus_") else _disagreement(model)),
        *_biased_labels(model, values, labeled, probability),
        *_columns(model, values, unseen),
    ]
    return [warning._asdict() for warning in found + _one_class(decision)]


def image_warnings(model: Any, decision: np.ndarray) -> list[dict[str, Any]]:
    """Collect warnings about a model of labeled and unlabeled images.

    Parameters
    ----------
    model
        A fitted ``LPSImageClassifier``.
    decision
        What it decides on every image.

    Returns
    -------
    list of dict
        ``topic`` and ``text`` of each warning.
    """
    found = [*_few_labels(model), *_disagreement(model), *_one_class(decision)]
    return [warning._asdict() for warning in found]


def column_warnings(
    model: Any, values: np.ndarray, unseen: dict[str, float]
) -> list[dict[str, Any]]:
    """Collect warnings about the columns of a table.

    Parameters
    ----------
    model
        A fitted classifier.
    values, unseen
        As in :func:`find_warnings`.

    Returns
    -------
    list of dict
        ``topic`` and ``text`` of each warning.
    """
    return [warning._asdict() for warning in _columns(model, values, unseen)]


def class_warnings(model: Any, classes: np.ndarray) -> list[dict[str, Any]]:
    """Collect warnings about a model of several classes and the rows it is shown.

    Parameters
    ----------
    model
        A fitted classifier of several classes.
    classes
        Number of the class of each row.

    Returns
    -------
    list of dict
        ``topic`` and ``text`` of each warning.
    """
    names = [str(name) for name in model.classes_.tolist()]
    counts = np.bincount(classes, minlength=len(names))
    asked = model.held_out_table_.sum(axis=1)
    labeled = names[: len(names) - (model.unlabeled_class is not False)]
    empty = [name for name, n_rows in zip(names, counts, strict=True) if not n_rows]
    unchecked = [name for number, name in enumerate(labeled) if asked[number] == 0]
    found = []
    if empty:
        text = f"Nothing is given to {_few(empty)}: it is not there, or cannot be told apart."
        found.append(ReportWarning("empty class", text))
    if unchecked:
        text = (
            f"No label could be held out of {_few(unchecked)}, so nothing measures how often it "
            "is found. Label at least two of every class."
        )
        found.append(ReportWarning("unchecked class", text))
    elif asked.sum() < ENOUGH_LABELS:
        text = (
            f"Only {asked.sum():.0f} labels were held out, so shares and accuracies are rough. "
            f"Label at least {ENOUGH_LABELS} if you can."
        )
        found.append(ReportWarning("too few labels", text))
    if model.agreement_ < LITTLE_AGREEMENT:
        text = (
            f"Members of the network agree on only {percent(model.agreement_)} of what they were "
            "trained on; the table of members shows which classes they take for each other."
        )
        found.append(ReportWarning("members disagree", text))
    return [warning._asdict() for warning in found]


def _columns(model: Any, values: np.ndarray, unseen: dict[str, float]) -> list[ReportWarning]:
    """Tell of new values, of columns mostly missing and of those that were left out."""
    found = _unknown(unseen)
    shares = np.isnan(values).mean(axis=0)
    empty = [
        str(column.name)
        for column, share in zip(model.encoder_.columns_, shares, strict=True)
        if share > MUCH_MISSING
    ]
    if empty:
        found.append(
            ReportWarning(
                "missing values", f"More than half of the cells are missing in {_few(empty)}."
            )
        )
    if model.encoder_.constant_features_:
        names = [str(name) for name in model.encoder_.constant_features_]
        text = f"Left out because they did not vary at fit: {_few(names)}."
        found.append(ReportWarning("unused columns", text))
    return found


def _one_class(decision: np.ndarray) -> list[ReportWarning]:
    """Tell if everything is called the same."""
    if (decision > 0).any() and (decision <= 0).any():
        return []
    called = "positive" if decision[0] > 0 else "negative"
    text = f"Everything is called {called}; the ranking may still help."
    return [ReportWarning("one class", text)]


def _few_labels(model: Any) -> list[ReportWarning]:
    n_labeled = model.threshold_report_.n_labeled
    if n_labeled == 0:
        text = (
            "No label was held out, so neither the share of positives nor any score is estimated. "
            f"Label at least {ENOUGH_LABELS} if you can."
        )
    elif n_labeled < ENOUGH_LABELS:
        text = (
            f"Only {n_labeled} labels were held out, so the share of positives and all "
            f"estimated scores are rough. Label at least {ENOUGH_LABELS} if you can."
        )
    else:
        return []
    return [ReportWarning("too few labels", text)]


def _disagreement(model: Any) -> list[ReportWarning]:
    """Members that disagree, or agree on what the held-out labels contradict."""
    found = []
    if model.agreement_ < LITTLE_AGREEMENT:
        text = (
            f"Members agree on only {percent(model.agreement_)} of what they were trained on; "
            "votes show what they dispute. More labels or more members may help."
        )
        found.append(ReportWarning("members disagree", text))
    if model.first_guess is not None:
        return found  # all members were taught the same sides: agreement proves nothing
    report = model.threshold_report_
    contradictions = reasons_to_doubt(
        model.agreement_,
        model.kappa_,
        recall=report.recall,
        share=report.share,
        accuracy=report.accuracy,
        n_held_out=report.n_labeled,
    )
    return found + [ReportWarning("agreement is not accuracy", text) for text in contradictions]


def _weak_views(model: Any) -> list[ReportWarning]:
    """Tell of views that rank no label, and of a share of positives that nobody knows."""
    report, found = model.threshold_report_, []
    best = max(model.consensus_.opinions, key=lambda opinion: opinion.area)
    if best.area < LITTLE_AREA:
        text = (
            f"No view ranks a held-out labeled row above an unlabeled one with a chance of more "
            f"than {percent(best.area)} ({best.name}), where a coin has 50 %. The columns may not "
            "tell positives apart."
        )
        found.append(ReportWarning("weak views", text))
    if report.upper_bound_only:
        text = (
            f"The data tell only that at most {percent(report.prior_interval[1])} of the "
            "unlabeled rows are positive. Pass the prior if you know it: precision and the number "
            "of rows called positive rest on it."
        )
        found.append(ReportWarning("share of positives", text))
    doubts = reasons_to_doubt(
        np.nan,
        np.nan,
        recall=report.recall,
        share=report.share,
        accuracy=report.accuracy,
        n_held_out=report.n_labeled,
    )
    return found + [ReportWarning("hardly a difference", text) for text in doubts]


def _biased_labels(
    model: Any, values: np.ndarray, labeled: np.ndarray, probability: np.ndarray
) -> list[ReportWarning]:
    """Labeled rows that do not look like the unlabeled rows called positive."""
    if labeled.sum() < ENOUGH_LABELS or (~labeled).sum() < ENOUGH_LABELS:
        return []
    alike = ~labeled & (probability > 0.5)
    if alike.sum() < ENOUGH_LABELS:
        return []
    columns = model.encoder_.columns_
    found = labels_look_random(
        values,
        labeled,
        probability > 0.5,
        precision=float(probability[alike].mean()),
        categorical=np.array([isinstance(column, CategoricalColumn) for column in columns]),
    )
    if found is None or found.look_random:
        return []
    clearly = found.allowed + max(LARGE, found.effect / 2)
    suspects = [
        (distance, str(column.name))
        for column, distance in zip(columns, found.distances, strict=True)
        if distance >= clearly
    ]
    names = [name for _, name in sorted(suspects, reverse=True)]
    return [
        ReportWarning(
            "biased labels",
            "Labeled rows differ from the unlabeled rows that are called positive in "
            f"{_few(names)} (distance {found.distances.max():.2f}, of which "
            f"{min(found.allowed, found.distances.max()):.2f} could be mistakes; p = "
            f"{found.p_value:.3f}). If positives were not labeled at random, the share of "
            "positives, the threshold and the probabilities are off; the ranking suffers less.",
        )
    ]


def _unknown(unseen: dict[str, float]) -> list[ReportWarning]:
    affected = [f"{name} ({percent(share)})" for name, share in unseen.items() if share > 0.01]
    if not affected:
        return []
    return [
        ReportWarning(
            "new values",
            "Cells hold values that the model did not see at fit. New categories count as "
            f"missing, and numbers outside the range count as its end: {_few(affected)}.",
        )
    ]


def _few(names: list[str]) -> str:
    return ", ".join(map(shown, names[:8])) + (
        f" and {len(names) - 8} more" if len(names) > 8 else ""
    )
