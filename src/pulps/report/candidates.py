"""The unlabeled rows that are most likely positive, and why."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pulps.io.plain import cell

REASONS = 3


def candidates(
    frame: pd.DataFrame,
    names: list[str],
    rows: np.ndarray,
    *,
    probability: np.ndarray,
    decision: np.ndarray,
    votes: np.ndarray,
    changes: np.ndarray,
) -> dict:
    """List rows with their scores, their cells and the effect of each attribute.

    Parameters
    ----------
    frame
        The whole table.
    names
        Names of the attributes that the model uses, in the order of ``changes``.
    rows
        Numbers of the rows to list, most likely first.
    probability, decision, votes
        One value per row of the table; ``votes`` is the share of members that call it positive.
    changes
        Effects of the listed rows, shape (rows listed, attributes).

    Returns
    -------
    dict
        ``columns`` of the table, ``attributes`` of the model, and ``rows``.
    """
    listed = []
    for position, row in enumerate(rows.tolist()):
        order = np.argsort(-np.abs(changes[position]), kind="stable")[:REASONS]
        listed.append(
            {
                "row": row + 1,
                "probability": probability[row],
                "decision": decision[row],
                "votes": votes[row],
                "reasons": [
                    {"name": names[i], "change": changes[position, i]}
                    for i in order
                    if changes[position, i]
                ],
                "changes": changes[position],
                "cells": [cell(value) for value in frame.iloc[row]],
            }
        )
    return {"columns": list(frame.columns), "attributes": names, "rows": listed}


def as_table(found: dict) -> pd.DataFrame:
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
    return pd.concat([head, cells.convert_dtypes(), effect], axis=1)
