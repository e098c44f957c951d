"""What is known of every class, whatever the rows are: shares, held-out labels, likeliest rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import beta

from pulps.io.plain import cell
from pulps.labels import unlabeled_rows
from pulps.report.answer import count, percent
from pulps.report.networks import facts

N_DOUBTFUL = 20
LEVEL = 0.9


def known_classes(model: Any, y: Any, n_rows: int) -> np.ndarray:
    """Tell the number of the class of each labeled row, -1 for others.

    Parameters
    ----------
    model
        A fitted classifier of several classes.
    y
        Labels as at fit, or None if there are none.
    n_rows
        Number of rows.

    Returns
    -------
    array of int, shape (rows,)
    """
    known = np.full(n_rows, -1)
    if y is None:
        return known
    y = np.asarray(y)
    if y.shape != (n_rows,):
        raise ValueError(
            f"y has shape {y.shape}, but X has {n_rows} rows. Pass one label per row."
        )
    numbers = {name: number for number, name in enumerate(model.classes_.tolist())}
    labeled = ~unlabeled_rows(y)
    unknown = sorted(set(y[labeled].tolist()) - set(numbers), key=str)
    if unknown:
        raise ValueError(
            f"y holds {unknown[:5]}, but the model was fitted with {model.classes_.tolist()}. "
            "Pass labels as they were at fit."
        )
    known[labeled] = [numbers[value] for value in y[labeled].tolist()]
    return known


def counts_of_classes(model: Any, known: np.ndarray) -> dict[str, Any]:
    """Count rows and labels, and how many of those held out were found.

    Parameters
    ----------
    model
        A fitted classifier of several classes.
    known
        From :func:`known_classes`.

    Returns
    -------
    dict
    """
    table = model.held_out_table_
    asked, right = table.sum(), np.trace(table)
    told = right / asked if asked else None
    return {
        "n_rows": len(known),
        "n_labeled": (known >= 0).sum(),
        "n_unlabeled": (known < 0).sum(),
        "n_classes": len(model.classes_),
        "open_set": model.unlabeled_class is not False,
        "n_held_out": asked,
        "accuracy": told,
        "accuracy_interval": share_interval(right, asked) if asked else (None, None),
        "blend": model.blend if model.teacher_ is not None else 1.0,
        **facts(model),
    }


def share_interval(n_right: float, n_asked: float) -> tuple[float, float]:
    """Where a share of which some were right lies, nine times in ten (Jeffreys).

    Parameters
    ----------
    n_right, n_asked
        How many were right, of how many; weights will do.

    Returns
    -------
    low, high

    Examples
    --------
    >>> [round(end, 2) for end in share_interval(9, 10)]
    [0.67, 0.98]
    """
    ends = beta.ppf([(1 - LEVEL) / 2, (1 + LEVEL) / 2], n_right + 0.5, n_asked - n_right + 0.5)
    share = n_right / n_asked
    return min(float(ends[0]), share), max(float(ends[1]), share)


def told_of_classes(model: Any, known: np.ndarray, best: np.ndarray) -> list[dict[str, Any]]:
    """Tell what is known of each class.

    Parameters
    ----------
    model
        A fitted classifier of several classes.
    known, best
        Number of the class of each row: as it is labeled, and as it is answered.

    Returns
    -------
    list of dict
        One per class, in the order of ``classes_``.
    """
    found = []
    for number, name in enumerate(model.classes_.tolist()):
        share, low, high = model.class_share_table_[number]
        asked, said = model.held_out_table_[number].sum(), model.held_out_table_[:, number].sum()
        right = model.held_out_table_[number, number]
        found.append(
            {
                "name": cell(name),
                "n_labeled": (known == number).sum(),
                "n_found": ((known < 0) & (best == number)).sum(),
                "share": share,
                "interval": (low, high),
                "n_held_out": asked,
                "recall": right / asked if asked else None,
                "recall_interval": share_interval(right, asked) if asked else (None, None),
                "precision": right / said if said else None,
            }
        )
    return found


def between_members(said: np.ndarray, n_classes: int) -> np.ndarray | None:
    """Share of rows that one member gives to a class and another to another.

    Mean over ordered pairs of members, so the table is symmetric and sums to one.

    Parameters
    ----------
    said
        Number of the class that each member gives each row, shape (members, rows).
    n_classes
        Number of classes.

    Returns
    -------
    array of shape (classes, classes) or None
        None of one member, or of no rows.
    """
    n_members, n_rows = said.shape
    if n_members < 2 or not n_rows:
        return None
    table = np.zeros((n_classes, n_classes))
    for one in range(n_members):
        for other in range(n_members):
            if one != other:
                np.add.at(table, (said[one], said[other]), 1.0)
    return table / table.sum()


def likeliest(chances: np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Find the rows that are most likely of each class.

    Parameters
    ----------
    chances
        Probability of every class, shape (rows, classes).
    n_rows
        How many of each class, at most.

    Returns
    -------
    rows, classes
        Class by class, the likeliest first; and the class of each.
    """
    best, rows, classes = chances.argmax(axis=1), [], []
    for number in range(chances.shape[1]):
        own = np.flatnonzero(best == number)
        own = own[np.argsort(-chances[own, number], kind="stable")][:n_rows]
        rows.append(own)
        classes.append(np.full(len(own), number))
    return np.concatenate(rows).astype(int), np.concatenate(classes)


def doubtful(chances: np.ndarray, unlabeled: np.ndarray) -> list[dict[str, Any]]:
    """Find the unlabeled rows whose two likeliest classes are closest.

    Parameters
    ----------
    chances
        Probability of every class, shape (rows, classes).
    unlabeled
        Numbers of the rows without a label.

    Returns
    -------
    list of dict
        Row, counted from 1, and its two classes with their chances; a label tells most of these.
    """
    order = np.argsort(chances[unlabeled], axis=1)
    at = np.arange(len(unlabeled))
    first, second = order[:, -1], order[:, -2]
    apart = chances[unlabeled][at, first] - chances[unlabeled][at, second]
    return [
        {
            "row": unlabeled[i] + 1,
            "first": first[i],
            "second": second[i],
            "chances": (chances[unlabeled[i], first[i]], chances[unlabeled[i], second[i]]),
        }
        for i in np.argsort(apart, kind="stable")[:N_DOUBTFUL]
    ]


def answer_of_classes(data: dict[str, Any], noun: str = "row") -> dict[str, Any]:
    """Say what the numbers mean.

    Parameters
    ----------
    data
        The report so far.
    noun
        What the rows are, one of them.

    Returns
    -------
    dict
        ``how_many`` and ``how_sure``, a sentence or two each, and ``next``, things to do.
    """
    told, classes = data["learned"], data["classes"]
    largest = max(classes, key=lambda item: item["n_found"])
    how_many = (
        f"{count(told['n_unlabeled'], f'unlabeled {noun}')} and {told['n_classes']} classes: "
        f"most {noun}s, {largest['n_found']:,}, go to {largest['name']}."
    )
    next_steps = []
    if told["accuracy"] is None:
        how_sure = "No label could be held out, so nothing measures how often the answer is right."
        next_steps.append(
            f"Label a few more {noun}s of every class; then the accuracy is measured."
        )
    else:
        low, high = told["accuracy_interval"]
        how_sure = (
            f"Of {told['n_held_out']:,.0f} labels that were held out, "
            f"{percent(told['accuracy'])} were found (between {percent(low)} and "
            f"{percent(high)}). New {noun}s fare the same if the labeled ones are a fair sample."
        )
        weak = [item for item in classes if item["recall"] is not None]
        weak = sorted(weak, key=lambda item: item["recall"])[:1]
        if weak and weak[0]["recall"] < 1:
            next_steps.append(
                f"Look at {weak[0]['name']} first: {percent(weak[0]['recall'])} of its "
                f"{weak[0]['n_held_out']:,.0f} held-out labels were found, the fewest."
            )
    if data["doubtful"]:
        next_steps.append(
            f"Label the {noun}s on which the model is least sure; they are listed here."
        )
    return {"how_many": how_many, "how_sure": how_sure, "next": next_steps}
