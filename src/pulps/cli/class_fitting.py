"""``pulps fit --model classes``: a label column with several values and blanks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pulps.io.naming import shown
from pulps.io.shares import percent


def class_summary(model: Any, y: np.ndarray, out: Path) -> dict[str, Any]:
    """Tell what was learned, for machines.

    Parameters
    ----------
    model
        A fitted model.
    y
        Labels, None for none.
    out
        Its file.

    Returns
    -------
    dict
    """
    from pulps.io.plain import plain

    labeled = np.array([value is not None for value in y])
    return plain(
        {
            "model": str(out),
            "kind": "classes",
            "n_labeled": int(labeled.sum()),
            "n_unlabeled": int((~labeled).sum()),
            "classes": model.classes_.tolist(),
            "class_shares": model.class_shares_.reset_index().to_dict("records"),
            "n_members": len(model.members_),
            "generates": model.density is not None,
        }
    )


def tell_classes(model: Any, y: np.ndarray, read: str) -> None:
    """Tell what was learned, for people.

    Parameters
    ----------
    model
        A fitted model.
    y
        Labels, None for none.
    read
        A line on what was read.
    """
    from rich.console import Console

    labeled = sum(value is not None for value in y)
    shares = ", ".join(
        f"{shown(name)} {percent(row.share)} ({percent(row.low)} to {percent(row.high)})"
        for name, row in model.class_shares_.iterrows()
    )
    lines = [
        read,
        f"{labeled} labeled and {len(y) - labeled} unlabeled rows, {len(model.classes_)} classes",
        f"shares of the classes: {shares}",
    ]
    Console(stderr=True).print("\n".join(lines), soft_wrap=True, markup=False)
