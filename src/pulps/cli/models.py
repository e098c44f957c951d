"""Models and columns as commands take them, and answers for machines."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from pulps.cli.paths import check_model


def open_model(path: Path, *, any_classes: bool = False) -> Any:
    """Read a model file.

    Parameters
    ----------
    path
        File written by ``pulps fit``.
    any_classes
        Whether the command can do with a model of several classes.

    Returns
    -------
    PUClassifier, LPSClassifier or LPSSemiSupervisedClassifier
        The fitted model.
    """
    check_model(path)
    from pulps.estimators.files.persistence import load_model

    model = load_model(path)
    if hasattr(model, "class_scale_") and not any_classes:
        raise ValueError(
            f"{path} is a model of {len(model.classes_)} classes, and this command is for models "
            "of labeled positives. With several classes there are 'pulps predict', 'report', "
            "'sample', 'impute' and 'info'; in Python, pulps.load_model reads the model."
        )
    return model


def kind_of(model: Any) -> str:
    """Tell which kind of model this is, in the word that ``pulps fit --model`` takes.

    Parameters
    ----------
    model
        A fitted model.

    Returns
    -------
    str
        ``"consensus"``, ``"lps"`` or ``"classes"``.
    """
    if hasattr(model, "class_scale_"):
        return "classes"
    return "consensus" if hasattr(model, "consensus_") else "lps"


def read_labels(
    frame: Any, label: str, table: str, positive: str | None, negative: str | None = None
) -> Any:
    """Read the column that marks labeled positives.

    Parameters
    ----------
    frame
        The table.
    label
        Name of the column.
    table
        What to call the table in a message.
    positive
        The value of a labeled positive, if the column holds words.
    negative
        The value of a row that is known to be negative.

    Returns
    -------
    array of int
        1 for a labeled positive, 0 for an unlabeled row, -1 for one that is known to be negative.
    """
    from pulps.io.files import check_column
    from pulps.labels import read_label_column

    check_column(label, frame.columns, table)
    return read_label_column(frame[label], positive, negative)


def read_class_labels(frame: Any, label: str, table: str) -> Any:
    """Read the column that names classes; what is blank has no label.

    Parameters
    ----------
    frame
        The table.
    label
        Name of the column.
    table
        What to call the table in a message.

    Returns
    -------
    array of objects
        None where there is no label.
    """
    from pulps.io.files import check_column
    from pulps.labels import read_class_column

    check_column(label, frame.columns, table)
    return read_class_column(frame[label])


def print_json(value: Any) -> None:
    """Print a value for machines, on one line of standard output.

    Parameters
    ----------
    value
        What to print; NaN is refused.
    """
    json.dump(value, sys.stdout, allow_nan=False, ensure_ascii=False)
    sys.stdout.write("\n")


def save_model(model: Any, out: Path) -> None:
    """Write a model; if that fails, write it somewhere else, so that a finished fit is not lost.

    Parameters
    ----------
    model
        A fitted model.
    out
        The file.
    """
    try:
        model.save(out)
    except OSError as error:
        spare = Path(tempfile.mkdtemp(prefix="pulps-")) / out.name
        try:
            model.save(spare)
        except OSError:
            spare.parent.rmdir()
            raise error from None
        raise OSError(
            f"{out} could not be written: {error} The fitted model is in {spare}; move it from "
            "there."
        ) from None
