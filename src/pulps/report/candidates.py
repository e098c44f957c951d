"""The unlabeled rows that are most likely positive, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pulps.io.plain import cell
from pulps.tables.columns import Column

FOR, AGAINST = 3, 2


def candidates(
    frame: pd.DataFrame,
    columns: list[Column],
    sources: list[int],
    rows: np.ndarray,
    *,
    ids: pd.Series | None,
    probability: np.ndarray,
    decision: np.ndarray,
    votes: np.ndarray,
    changes: np.ndarray,
) -> dict[str, Any]:
    """List rows with their scores, their cells and the effect of each attribute.

    Parameters
    ----------
    frame
        The whole table.
    columns
        The attributes that the model uses, in the order of ``changes``.
    sources
        Position in the table of the column that each attribute was read from.
    rows
        Numbers of the rows to list, most likely first.
    ids
        What people call the rows, one value per row of the table; None has numbers only.
    probability, decision, votes
        One value per row of the table; ``votes`` is the share of members that call it positive.
    changes
        Effects of the listed rows, shape (rows listed, attributes).

    Returns
    -------
    dict
        ``columns`` of the table, name of the ``id``, ``attributes`` of the model, and ``rows``.
    """
    listed = []
    for position, row in enumerate(rows.tolist()):
        listed.append(
            {
                "row": row + 1,
                "id": None if ids is None else cell(ids.iloc[row]),
                "probability": probability[row],
                "decision": decision[row],
                "votes": votes[row],
                "reasons": [
                    {
                        "name": str(columns[i].name),
                        "value": cell(frame.iloc[row, sources[i]]),
                        "change": changes[position, i],
                    }
                    for i in reasons(changes[position])
                ],
                "changes": changes[position],
                "cells": [cell(value) for value in frame.iloc[row]],
            }
        )
    return {
        "columns": list(frame.columns),
        "id": None if ids is None else str(ids.name or "id"),
        "attributes": [str(column.name) for column in columns],
        "rows": listed,
    }


def reasons(changes: np.ndarray) -> list[int]:
    """Choose what speaks for a row, strongest first, and then what speaks against it.

    Parameters
    ----------
    changes
        Effect of every attribute on the decision.

    Returns
    -------
    list of int
        Positions of attributes, in the order of their effects.

    Examples
    --------
    >>> reasons(np.array([-0.5, 0.1, 0.0, 2.0, -0.1]))
    [3, 1, 4, 0]
    """
    order = np.argsort(-changes, kind="stable").tolist()
    speak_for = [i for i in order if changes[i] > 0][:FOR]
    return speak_for + [i for i in order if changes[i] < 0][-AGAINST:]


def as_table(found: dict[str, Any]) -> pd.DataFrame:
    """Lay the listed rows out as a table.

    Parameters
    ----------
    found
        From :func:`candidates`.

    Returns
    -------
    DataFrame
        One line per row: scores, cells, then the effect of every attribute.
    """
    scores = ["row", "probability", "decision", "votes"]
    head = pd.DataFrame(
        [[item[name] for name in scores] for item in found["rows"]], columns=scores
    )
    cells = pd.DataFrame([item["cells"] for item in found["rows"]], columns=found["columns"])
    effect = pd.DataFrame(
        [item["changes"] for item in found["rows"]],
        columns=[f"effect of {name}" for name in found["attributes"]],
    )
    if found["id"] is not None:
        head.insert(0, found["id"], [item["id"] for item in found["rows"]], allow_duplicates=True)
    return pd.concat([head, cells.convert_dtypes(), effect], axis=1)
