"""Scores of the records, averaged over folds. Nothing here trains or reads data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import pandas as pd

from pulps.benchmark.methods import METHODS
from pulps.datasets import PAPER_TABLES

MEASURES = {
    "f1_pos": "F1 of the positive class",
    "f1_neg": "F1 of the negative class",
    "macro_f1": "macro-F1",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "auc": "AUC",
}
PROBLEM = ["dataset", "label_frequency"]


def latest(records: pd.DataFrame) -> pd.DataFrame:
    """Keep the record that was written last for every task and method.

    Parameters
    ----------
    records
        Records of the store, one row per record.

    Returns
    -------
    DataFrame
        One row per task and method.
    """
    if records.empty:
        return records
    return records.drop_duplicates(["task", "method"], keep="last").reset_index(drop=True)


def fold_means(records: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Average a measure over folds (and seeds) of each problem and method.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    measure
        Name of a score, such as ``"f1_pos"``.

    Returns
    -------
    DataFrame
        Columns ``dataset, label_frequency, method, mean, sd, n, wanted``; ``n`` of ``wanted``
        folds have a score.
    """
    problem = [*PROBLEM, "method"]
    rows = [
        (*names, *_summary(group, measure))
        for names, group in latest(records).groupby(problem, sort=False)
    ]
    return pd.DataFrame(rows, columns=[*problem, "mean", "sd", "n", "wanted"])


def fold_scores(records: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Lay a score out by fold and method.

    Parameters
    ----------
    records
        Records of the store, one row per record.
    measure
        Name of a score, such as ``"f1_pos"``.

    Returns
    -------
    DataFrame
        One row per fold of a problem, one column per method.
    """
    wide = latest(records).pivot(index=[*PROBLEM, "task"], columns="method", values=measure)
    return wide[method_order(wide.columns)].astype(float)


def shared_folds(
    scores: pd.DataFrame, keep: Literal["problems", "methods"] = "problems"
) -> pd.DataFrame:
    """Drop from :func:`fold_scores` what keeps methods from being compared on the same folds.

    Methods are compared on the folds that all of them have. A method without any fold of some
    problem is left out to keep the problems, or the problem is, to keep the methods.

    Parameters
    ----------
    scores
        From :func:`fold_scores`.
    keep
        What to keep where a method has no fold of a problem: ``"problems"`` leaves out the method,
        ``"methods"`` the problem.

    Returns
    -------
    DataFrame
        Folds that all remaining methods have.
    """
    known = scores.notna().groupby(level=PROBLEM).any()
    if keep == "problems":
        scores = scores.loc[:, known.loc[known.any(axis=1)].all()]
    return scores.dropna()


def problem_means(scores: pd.DataFrame) -> pd.DataFrame:
    """Average the folds of each problem.

    Parameters
    ----------
    scores
        From :func:`fold_scores`.

    Returns
    -------
    DataFrame
        One row per problem, one column per method; rounded, so that ties are ties.
    """
    return scores.groupby(level=PROBLEM).mean().round(12)


def method_order(names: Iterable[str]) -> list[str]:
    """Sort methods as they are listed, unknown ones last.

    Parameters
    ----------
    names
        Names of methods.

    Returns
    -------
    list of str
        Each name once.
    """
    names = list(dict.fromkeys(names))
    return [name for name in METHODS if name in names] + [n for n in names if n not in METHODS]


def dataset_order(names: Iterable[str]) -> list[str]:
    """Sort data sets as the paper lists them, others last.

    Parameters
    ----------
    names
        Names of data sets.

    Returns
    -------
    list of str
        Each name once.
    """
    names = list(dict.fromkeys(names))
    known = [name for name in PAPER_TABLES if name in names]
    return known + [name for name in names if name not in PAPER_TABLES]


def _summary(group: pd.DataFrame, measure: str) -> tuple[float, float, int, int]:
    values = pd.to_numeric(group[measure]).dropna() if measure in group else pd.Series(dtype=float)
    wanted = int(group["n_folds"].iloc[0]) * group.groupby(["seed", "repeat"]).ngroups
    sd = float(values.std()) if len(values) > 1 else 0.0
    mean = float(values.mean()) if len(values) else float("nan")
    return mean, sd, len(values), wanted
