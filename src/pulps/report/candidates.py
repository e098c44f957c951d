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
    """List rows with their scores, their cells and what each attribute adds.

    Parameters
    ----------
    frame
        The whole table.
    names
        Of the attributes that the model uses, in the order of ``changes``.
    rows
        Which rows of the table, most likely first.
    probability, decision, votes
        Of every row of the table; ``votes`` is the share of members that call it positive.
    changes
        Effects of these rows, shape (rows listed, attributes).
    """
    listed = []
    for position, row in enumerate(rows.tolist()):
        order = np.argsort(-np.abs(changes[position]), kind="stable")[:REASONS]
        listed.append(
            {
                "row": row + 1,
                "probability": probability[row],
                "log_ratio": decision[row],
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
    """One line a row: scores, cells, then what every attribute adds."""
    head = pd.DataFrame(
        [[item["row"], item["probability"], item["log_ratio"], item["votes"]] for item in
         found["rows"]],
        columns=["row", "probability", "log_ratio", "votes"],
    )  # fmt: skip
    cells = pd.DataFrame([item["cells"] for item in found["rows"]], columns=found["columns"])
    effect = pd.DataFrame(
        [item["changes"] for item in found["rows"]],
        columns=[f"effect of {name}" for name in found["attributes"]],
    )
    return pd.concat([head, cells.convert_dtypes(), effect], axis=1)
