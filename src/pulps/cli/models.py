"""Models and tables as commands take them."""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path
from typing import Any


def open_model(path: Path):
    """Read a model file."""
    from pulps.estimators.table import LPSClassifier

    if not path.is_file():
        raise FileNotFoundError(f"There is no model file {path}. Make one with 'pulps fit'.")
    return LPSClassifier.load(path)


def rows_for(model, frame, name: str):
    """Columns of the fit, in their order; raise if some are not there."""
    wanted = [form.name for form in model.form_.columns]
    absent = [column for column in wanted if column not in frame.columns]
    if absent:
        raise ValueError(
            f"{name} lacks {len(absent)} of the {model.n_features_in_} columns the model "
            f"was fitted on: {', '.join(map(str, absent[:10]))}. Add them; cells may be blank."
        )
    return frame[wanted]


def column_of(frame, name: str, table: str):
    """Return a column; if it is not there, say what is."""
    if name not in frame.columns:
        near = difflib.get_close_matches(name, map(str, frame.columns), 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(
            f"{table} has no column {name!r}.{hint} Its columns are "
            f"{', '.join(map(str, frame.columns[:20]))}."
        )
    return frame[name]


def name_of(path: Path) -> str:
    """Name of a table in a message."""
    return "standard input" if str(path) == "-" else path.name


def print_json(value: Any) -> None:
    """Print a value for machines, one line, to standard output."""
    json.dump(value, sys.stdout, allow_nan=False, ensure_ascii=False)
    sys.stdout.write("\n")
