"""How attributes are distributed: in the rows, and under the two classes of a network.

Where every attribute sits at one site, the densities are exact. Otherwise they are estimated
from drawn rows, and the report says so. Without a network there are the rows alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from pulps.tables.columns import CategoricalColumn

# What the page calls a class, and its position in ``model.classes_``, whatever its label is.
CLASS_POSITIONS = {"positive": 1, "negative": 0}
BINS = 24
MOST_CATEGORIES = 12
COARSE_BINS = 8
MOST_DEPENDENT = 12

Draws = Mapping[str, np.ndarray]


def distributions(
    model,
    values: np.ndarray,
    labeled: np.ndarray,
    chosen: list[int],
    network: Any,
    draws: Draws | None,
) -> list[dict]:
    """Distribution of each chosen attribute in four groups of rows.

    Parameters
    ----------
    model
        A fitted classifier.
    values
        Encoded rows.
    labeled
        Which of them are labeled.
    chosen
        Attributes to describe, by position.
    network
        A fitted ``LPSClassifier``, or None.
    draws
        Encoded rows drawn from the classes ``"positive"`` and ``"negative"``; None uses exact
        marginals.

    Returns
    -------
    list of dict
        One per attribute: its name, its bins or categories, and the share of each of them
        among ``labeled`` and ``unlabeled`` rows and in the ``positive`` and ``negative``
        class, which are None without a network.
    """
    found = []
    for attribute in chosen:
        column = model.encoder_.columns_[attribute]
        shares = {
            "labeled": _shares(column, values[labeled, attribute]),
            "unlabeled": _shares(column, values[~labeled, attribute]),
        }
        for name, position in CLASS_POSITIONS.items() if network is not None else ():
            if draws is None:
                y = network.classes_[position]
                shares[name] = network.marginal(_key(network, column), y, bins=BINS).to_numpy()
            else:
                shares[name] = _shares(column, draws[name][:, attribute])
        item: dict = {"name": str(column.name), "missing": np.isnan(values[:, attribute]).mean()}
        if isinstance(column, CategoricalColumn):
            labels = column.shown(model.form_.columns[column.index].labels)
            labels = [str(label) for label in labels]
            item |= {"kind": "categories"} | _merge_rare(labels, shares)
        else:
            item |= {"kind": "numbers", "edges": _edges(column), **shares}
        found.append(dict.fromkeys(CLASS_POSITIONS) | item)
    return found


def _key(model, column) -> Any:
    """Return what the model's methods call a column."""
    return column.index if model.form_.library == "numpy" else column.name


def _edges(column) -> np.ndarray:
    return np.linspace(column.knots[0], column.knots[-1], BINS + 1)


def _shares(column, encoded: np.ndarray) -> np.ndarray:
    """Share of each bin or category among the rows where the attribute is not missing."""
    encoded = encoded[~np.isnan(encoded)]
    if isinstance(column, CategoricalColumn):
        counts = np.bincount(encoded.astype(int), minlength=len(column.categories))
    else:
        numbers = np.interp(encoded, column.positions, column.knots)
        counts = np.histogram(numbers, _edges(column))[0]
    return counts / max(1, counts.sum())


def _merge_rare(labels: list[str], shares: dict) -> dict:
    """Keep the most frequent categories; merge the rest into one."""
    if len(labels) <= MOST_CATEGORIES:
        return {"categories": labels, **shares}
    weight = np.sum(list(shares.values()), axis=0)
    keep = np.sort(np.argsort(-weight, kind="stable")[: MOST_CATEGORIES - 1])
    rest = np.setdiff1d(np.arange(len(labels)), keep)
    merged = {group: np.append(share[keep], share[rest].sum()) for group, share in shares.items()}
    return {"categories": [*(labels[i] for i in keep), f"{len(rest)} others"], **merged}


def dependence(network, chosen: list[int], draws: Draws | None) -> dict:
    """Mutual information of pairs of attributes under both classes, in nats.

    Parameters
    ----------
    network
        A fitted ``LPSClassifier``.
    chosen
        Attributes to compare, by position.
    draws
        As in :func:`distributions`.

    Returns
    -------
    dict
        ``names`` of the attributes, and a matrix each for ``positive`` and ``negative``.
    """
    columns = [network.encoder_.columns_[attribute] for attribute in chosen]
    result: dict = {"names": [str(column.name) for column in columns]}
    for name, position in CLASS_POSITIONS.items():
        if draws is None:
            keys = [_key(network, column) for column in columns]
            table = network.mutual_information(network.classes_[position], columns=keys)
            result[name] = table.to_numpy()
        else:
            result[name] = _information_of_draws(columns, draws[name][:, chosen])
    return result


def _information_of_draws(columns: list, drawn: np.ndarray) -> np.ndarray:
    """Mutual information of coarse bins, less what independent attributes would show."""
    codes = []
    for column, encoded in zip(columns, drawn.T, strict=True):
        if not isinstance(column, CategoricalColumn):
            encoded = pd.qcut(encoded, COARSE_BINS, labels=False, duplicates="drop")
        codes.append(np.unique(encoded, return_inverse=True)[1])
    found = np.full((len(columns), len(columns)), np.nan)
    for first, second in combinations(range(len(columns)), 2):
        table = pd.crosstab(codes[first], codes[second]).to_numpy() / len(drawn)
        product = np.outer(table.sum(axis=1), table.sum(axis=0))
        seen = table > 0
        information = (table[seen] * np.log(table[seen] / product[seen])).sum()
        chance = (table.shape[0] - 1) * (table.shape[1] - 1) / (2 * len(drawn))
        found[first, second] = found[second, first] = max(0.0, information - chance)
    return found
