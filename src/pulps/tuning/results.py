"""The trials of a search as a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd


def to_frame(trials: Sequence[Any], n_splits: int) -> pd.DataFrame:
    """Lay finished trials out as a table.

    Parameters
    ----------
    trials
        Finished trials.
    n_splits
        Number of folds.

    Returns
    -------
    DataFrame
        One row per trial.
    """
    rows = []
    for trial in trials:
        folds = trial.user_attrs.get("folds", [])
        parameters = trial.user_attrs.get("params", {})
        scores = [fold["score"] for fold in folds]
        row = {"number": trial.number, "params": parameters}
        row |= {f"param_{name}": value for name, value in parameters.items()}
        row |= {
            f"split{i}_test_score": scores[i] if i < len(scores) else np.nan
            for i in range(n_splits)
        }
        row["mean_test_score"] = np.mean(scores) if scores else np.nan
        row["std_test_score"] = np.std(scores) if scores else np.nan
        names = [name for name in (folds[0] if folds else {}) if name not in ("score", "error")]
        row |= {name: np.mean([fold[name] for fold in folds]) for name in names}
        rows.append(row | {"state": trial.state.name, "error": trial.user_attrs.get("error")})
    frame = pd.DataFrame(rows)
    if len(frame):
        score = frame["mean_test_score"].where(frame["state"] == "COMPLETE", -np.inf)
        frame["rank_test_score"] = score.rank(ascending=False, method="min").astype(int)
    return frame
