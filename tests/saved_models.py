"""Model files of format 1, one of every kind, and rows that they take."""

from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_digits

import pulps
from pulps import LPSImageClassifier

SAVED = Path(__file__).parent / "estimators" / "saved"
KINDS = ("table", "consensus", "image", "classes")


def file_of(kind: str) -> Path:
    return SAVED / f"{kind}-format-1.pulps"


def load(kind: str, path: Path):
    return (LPSImageClassifier.load if kind == "image" else pulps.load_model)(path)


@cache
def odd_rows_for(kind: str):
    """Many rows beside those of the fit: far from them, with holes, with words never seen."""
    rng = np.random.default_rng(0)
    if kind == "image":
        return np.concatenate([rng.uniform(-5, 25, (9, 8, 8)), np.full((1, 8, 8), np.nan)])
    known, n_rows = rows_for(kind), 300
    table = pd.DataFrame(
        {
            "size": rng.normal(2, 5, n_rows),
            "kind": pd.Categorical(rng.choice(["a", "b", "c", "never"], n_rows)),
            "band": known["band"].iloc[rng.integers(0, 40, n_rows)].to_numpy(),
            "day": known["day"].iloc[0] + pd.to_timedelta(rng.integers(-500, 500, n_rows), "D"),
        }
    )
    for name in table.columns:
        table.loc[rng.random(n_rows) < 0.2, name] = None
    return table


@cache
def rows_for(kind: str):
    if kind == "image":
        return load_digits(n_class=2).images[:20]
    i = np.arange(40)
    table = pd.DataFrame(
        {
            "size": (i * 7 % 13) / 3.0,
            "kind": pd.Categorical([("a", "b", "c")[k % 3] for k in i]),
            "band": pd.cut(i % 7, 3),
            "day": pd.Timestamp("2026-01-01") + pd.to_timedelta(i % 11, unit="D"),
        }
    )
    table.loc[3, "size"], table.loc[5, "kind"] = np.nan, None
    return table
