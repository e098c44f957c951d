"""The report on several classes, collected into one plain dict.

It tells how common each class is, how often labels that were held out are found, which classes
are taken for each other, which rows are most likely of each class, and which to label next.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logit
from sklearn.utils import check_random_state

from pulps.io.plain import cell, plain
from pulps.report.attributes import class_distributions
from pulps.report.candidates import candidates
from pulps.report.class_facts import (
    answer_of_classes,
    between_members,
    counts_of_classes,
    doubtful,
    known_classes,
    likeliest,
    told_of_classes,
)
from pulps.report.importance import LEAST, class_effects, rows_for_importance
from pulps.report.learned import MOST_ATTRIBUTES, named_rows, sources_of, unseen_cells
from pulps.report.networks import N_EXAMPLES, curves
from pulps.report.progress import Tell, part, silent
from pulps.report.warnings import class_warnings, column_warnings
from pulps.tables.reading import read_columns, to_pandas


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
    known = known_classes(model, y, len(values))
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
    listed = likeliest(chances[unlabeled], n_rows)
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
        "learned": counts_of_classes(model, known) | {"n_columns": model.n_features_in_},
        "classes": told_of_classes(model, known, best),
        "warnings": class_warnings(model, classes)
        + column_warnings(model, values, unseen_cells(model, checked, values)),
        "held_out": model.held_out_table_ if model.held_out_table_.any() else None,
        "members": between_members(said[:, unlabeled], len(model.classes_)),
        "candidates": found,
        "doubtful": doubtful(chances, unlabeled),
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
    return data | {"answer": answer_of_classes(data)}


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
