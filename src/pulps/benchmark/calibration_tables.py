"""How good a model's own estimates are: its class prior and its probabilities."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from pulps.benchmark.averages import dataset_order, method_order
from pulps.benchmark.methods import title
from pulps.benchmark.render import NOTHING, Cell, Table
from pulps.benchmark.scores import calibration_error


def prior_errors(records: pd.DataFrame) -> pd.Series:
    """Compute the mean absolute error of the prior of unlabeled rows.

    Parameters
    ----------
    records
        Records of the store, one row per record.

    Returns
    -------
    Series
        Indexed by method, label frequency and data set.
    """
    return _by_problem(
        records,
        "prior_of_unlabeled_estimate",
        lambda group: (
            (group["prior_of_unlabeled_estimate"] - group["prior_of_unlabeled"]).abs().mean()
        ),
    )


def calibration_errors(records: pd.DataFrame) -> pd.Series:
    """Compute the expected calibration error over all test rows.

    Parameters
    ----------
    records
        Records of the store, one row per record.

    Returns
    -------
    Series
        Indexed by method, label frequency and data set.
    """
    return _by_problem(
        records,
        "reliability",
        lambda group: calibration_error(np.sum([*group["reliability"]], axis=0)),
    )


def error_table(errors: pd.Series, name: str, note: str) -> Table:
    """Lay errors out as a table.

    Parameters
    ----------
    errors
        From :func:`prior_errors` or :func:`calibration_errors`.
    name
        Title of the table.
    note
        Note below it.

    Returns
    -------
    Table
        One row per method and label frequency, one column per data set.
    """
    datasets = dataset_order(errors.index.get_level_values("dataset"))
    methods = method_order(errors.index.get_level_values("method"))
    rows = []
    for (method, frequency), group in sorted(
        errors.groupby(["method", "label_frequency"]),
        key=lambda item: (methods.index(item[0][0]), item[0][1]),
    ):
        of_dataset = group.droplevel(["method", "label_frequency"])
        cells = [Cell(f"{of_dataset[d]:.3f}") if d in of_dataset else NOTHING for d in datasets]
        label = f"{title(str(method))}, {round(100 * frequency)} %"
        rows.append([Cell(label), *cells, Cell(f"{of_dataset.mean():.3f}")])
    return Table(name, ["", *datasets, "average"], rows, [note])


def prior_and_calibration_tables(records: pd.DataFrame) -> dict[str, Table]:
    """Make the tables of estimated priors and of calibration.

    Parameters
    ----------
    records
        Records of the store, one row per record.

    Returns
    -------
    dict
        By file name; without the tables that no record has anything for.
    """
    made = {
        "priors": (
            prior_errors(records),
            "Estimated class prior",
            "Mean absolute error of the share of positives among the unlabeled rows of a "
            "training fold.",
        ),
        "calibration": (
            calibration_errors(records),
            "Calibration",
            "Expected calibration error: gap between probability and share of positives in ten "
            "bins, over the test rows of all folds. Predictors without probabilities of their "
            "own are left out.",
        ),
    }
    return {
        name: error_table(errors, heading, note)
        for name, (errors, heading, note) in made.items()
        if len(errors)
    }


def _by_problem(
    records: pd.DataFrame, column: str, measure: Callable[[pd.DataFrame], float]
) -> pd.Series:
    problem = ["method", "label_frequency", "dataset"]
    known = records[records[column].notna()] if column in records else records[:0]
    known = known[~known["method"].str.startswith("all-")]
    values = [(*key, measure(group)) for key, group in known.groupby(problem, sort=False)]
    return pd.DataFrame(values, columns=[*problem, "error"]).set_index(problem)["error"]
