"""The report on several classes, collected into one plain dict.

It tells how common each class is, how often labels that were held out are found, which classes
are taken for each other, which rows are most likely of each class, and which to label next.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logit
from scipy.stats import beta
from sklearn.utils import check_random_state

from pulps.io.plain import cell, plain
from pulps.labels import unlabeled_rows
from pulps.report.answer import count, percent
from pulps.report.attributes import class_distributions
from pulps.report.candidates import candidates
from pulps.report.importance import LEAST, class_effects, rows_for_importance
from pulps.report.learned import MOST_ATTRIBUTES, named_rows, sources_of, unseen_cells
from pulps.report.networks import N_EXAMPLES, curves, facts
from pulps.report.progress import Tell, part, silent
from pulps.report.warnings import class_warnings
from pulps.tables.reading import read_columns, to_pandas

N_DOUBTFUL = 20
LEVEL = 0.9


def collect_classes(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    ids: Any = None,
    title: str,
    n_rows: int,
    random_state: Any = 0,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Collect what a fitted model of several classes says about a table.

    Parameters
    ----------
    model
        A fitted ``LPSSemiSupervisedClassifier``.
    X, y, ids, title, n_rows, random_state
        As in its ``report``.
    tell
        Told how much is done, and what is done next.

    Returns
    -------
    dict
        Strings, numbers, lists, dicts and None only.
    """
    if n_rows < 1:
        raise ValueError(f"n_rows is {n_rows}. List at least one row of each class.")
    tell(0.0, "reading the table")
    rng = check_random_state(random_state)
    names, _ = read_columns(X)
    checked = model.check_columns(X)
    values = model.encoder_.transform(checked)
    known = _known(model, y, len(values))
    tell(0.05, "scoring rows")
    chances = model.probabilities_of_encoded(values)
    said = model.member_classes(values)
    best = chances.argmax(axis=1)
    classes = np.where(known >= 0, known, best)
    columns = model.encoder_.columns_

    some = rows_for_importance(len(values), values.shape[1], rng)
    changes = class_effects(model, values[some], best[some], part(tell, 0.2, 0.55))
    matters = _importance([str(column.name) for column in columns], changes)
    unlabeled = np.flatnonzero(known < 0)
    listed = _likeliest(chances[unlabeled], n_rows)
    rows, of_class = unlabeled[listed[0]], listed[1]
    why = class_effects(model, values[rows], of_class, part(tell, 0.55, 0.9))
    frame = to_pandas(X, names)
    probability = chances.max(axis=1)
    found = candidates(
        frame,
        columns,
        sources_of(model, frame),
        rows,
        ids=named_rows(ids, X, len(values)),
        probability=probability,
        decision=logit(np.clip(probability, LEAST, 1 - LEAST)),
        votes=(said == best).mean(axis=0),
        changes=why,
    )
    for item, number in zip(found["rows"], of_class.tolist(), strict=True):
        item["class"] = int(number)
    tell(0.9, "counting")
    data: dict[str, Any] = {
        "title": title,
        "kind": "classes",
        "answer": None,
        "learned": _learned(model, known, best),
        "classes": _classes(model, known, best),
        "warnings": class_warnings(model, values, classes, unseen_cells(model, checked, values)),
        "held_out": model.held_out_table_ if model.held_out_table_.any() else None,
        "members": _between_members(said[:, unlabeled], len(model.classes_)),
        "candidates": found,
        "doubtful": _doubtful(chances, unlabeled),
        "importance": {"n_rows": len(some), "attributes": matters},
        "attributes": class_distributions(
            model, values, classes, [item["attribute"] for item in matters[:MOST_ATTRIBUTES]]
        ),
        "views": _views(model),
        "examples": None if model.density is None else _examples(model, names, rng),
        "training": curves(model),
    }
    data = plain(data)
    tell(1.0, "done")
    return data | {"answer": _answer(data)}


def _known(model: Any, y: Any, n_rows: int) -> np.ndarray:
    """Tell the number of the class of each labeled row, -1 for others."""
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


def _learned(model: Any, known: np.ndarray, best: np.ndarray) -> dict[str, Any]:
    table = model.held_out_table_
    asked, right = table.sum(), np.trace(table)
    told = right / asked if asked else None
    return {
        "n_rows": len(known),
        "n_labeled": (known >= 0).sum(),
        "n_unlabeled": (known < 0).sum(),
        "n_columns": model.n_features_in_,
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


def _classes(model: Any, known: np.ndarray, best: np.ndarray) -> list[dict[str, Any]]:
    """Tell what is known of each class."""
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


def _between_members(said: np.ndarray, n_classes: int) -> np.ndarray | None:
    """Share of rows that one member gives to a class and another to another; None of one member.

    Mean over ordered pairs of members, so the table is symmetric and sums to one.
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


def _likeliest(chances: np.ndarray, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are most likely of each class, class by class, and the class."""
    best, rows, classes = chances.argmax(axis=1), [], []
    for number in range(chances.shape[1]):
        own = np.flatnonzero(best == number)
        own = own[np.argsort(-chances[own, number], kind="stable")][:n_rows]
        rows.append(own)
        classes.append(np.full(len(own), number))
    return np.concatenate(rows).astype(int), np.concatenate(classes)


def _doubtful(chances: np.ndarray, unlabeled: np.ndarray) -> list[dict[str, Any]]:
    """Unlabeled rows whose two likeliest classes are closest: a label tells most of these."""
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


def _importance(names: list[str], changes: np.ndarray) -> list[dict[str, Any]]:
    """Mean size of the effect of each attribute, the largest first."""
    size = np.abs(changes).mean(axis=0)
    return [
        {"name": names[i], "attribute": int(i), "size": float(size[i])}
        for i in np.argsort(-size, kind="stable")
    ]


def _views(model: Any) -> list[dict[str, Any]] | None:
    """Weight and accuracy of every view, the heaviest first."""
    if model.teacher_ is None:
        return None
    views: pd.DataFrame = model.views_.sort_values("weight", ascending=False, kind="stable")
    return views.reset_index().to_dict("records")


def _examples(model: Any, columns: list[Any], rng: Any) -> dict[str, Any]:
    """Draw a few rows of every class."""
    drawn = []
    for one in model.classes_.tolist():
        table = to_pandas(model.sample(N_EXAMPLES, one, random_state=rng), columns)
        drawn.append([[cell(value) for value in row] for row in table.to_numpy(object)])
    return {"columns": columns, "classes": drawn}


def _answer(data: dict[str, Any]) -> dict[str, Any]:
    """Say what the numbers mean."""
    learned, classes = data["learned"], data["classes"]
    largest = max(classes, key=lambda item: item["n_found"])
    how_many = (
        f"{count(learned['n_unlabeled'], 'unlabeled row')} and {learned['n_classes']} classes: "
        f"most rows, {largest['n_found']:,}, go to {largest['name']}."
    )
    next_steps = []
    if learned["accuracy"] is None:
        how_sure = "No label could be held out, so nothing measures how often the answer is right."
        next_steps.append("Label a few more rows of every class; then the accuracy is measured.")
    else:
        low, high = learned["accuracy_interval"]
        how_sure = (
            f"Of {learned['n_held_out']:,.0f} labels that were held out, "
            f"{percent(learned['accuracy'])} were found (between {percent(low)} and "
            f"{percent(high)}). New rows fare the same if the labeled ones are a fair sample."
        )
        weak = [item for item in classes if item["recall"] is not None]
        weak = sorted(weak, key=lambda item: item["recall"])[:1]
        if weak and weak[0]["recall"] < 1:
            next_steps.append(
                f"Look at {weak[0]['name']} first: {percent(weak[0]['recall'])} of its "
                f"{weak[0]['n_held_out']:,.0f} held-out labels were found, the fewest."
            )
    if data["doubtful"]:
        next_steps.append("Label the rows on which the model is least sure; they are listed here.")
    return {"how_many": how_many, "how_sure": how_sure, "next": next_steps}
