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
