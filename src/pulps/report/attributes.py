"""How attributes are distributed: in the rows, and under the two classes of a network.

The densities of a generative network are exact. Without one there are the rows alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.tables.columns import CategoricalColumn
from pulps.tables.interpolation import breaks_between, interpolate_back

# What the page calls a class, and its position in ``model.classes_``, whatever its label is.
CLASS_POSITIONS = {"positive": 1, "negative": 0}
BINS = 24
MOST_CATEGORIES = 12
MOST_DEPENDENT = 12


def distributions(
    model: Any,
    values: np.ndarray,
    labeled: np.ndarray,
    chosen: list[int],
    network: Any,
) -> list[dict[str, Any]]:
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
        A generative ``LPSClassifier``, or None.

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
            y = network.classes_[position]
            shares[name] = network.marginal(_key(network, column), y, bins=BINS).to_numpy()
        item = _described(model, column, values[:, attribute], shares)
        found.append(dict.fromkeys(CLASS_POSITIONS) | item)
    return found


def class_distributions(
    model: Any, values: np.ndarray, classes: np.ndarray, chosen: list[int]
) -> list[dict[str, Any]]:
    """Distribution of each chosen attribute in the rows of every class.

    Parameters
    ----------
    model
        A fitted classifier of several classes.
    values
        Encoded rows.
    classes
        Number of the class of each row.
    chosen
        Attributes to describe, by position.

    Returns
    -------
    list of dict
        As from :func:`distributions`, with one group per class: ``class0``, ``class1`` and so on.
    """
    found = []
    for attribute in chosen:
        column = model.encoder_.columns_[attribute]
        shares = {
            f"class{number}": _shares(column, values[classes == number, attribute])
            for number in range(len(model.classes_))
        }
        found.append(_described(model, column, values[:, attribute], shares))
    return found


def _described(
    model: Any, column: Any, encoded: np.ndarray, shares: dict[str, np.ndarray]
) -> dict[str, Any]:
    """Name of an attribute, its bins or categories, and the share of each in groups of rows."""
    item: dict[str, Any] = {"name": str(column.name), "missing": np.isnan(encoded).mean()}
    if isinstance(column, CategoricalColumn):
        labels = column.shown(model.form_.columns[column.index].labels)
        labels = [str(label) for label in labels]
        return item | {"kind": "categories"} | _merge_rare(labels, shares)
    return item | {"kind": "numbers", "part": column.part, "edges": _edges(column), **shares}


def _key(model: Any, column: Any) -> Any:
    """Return what the model's methods call a column."""
    return column.index if model.form_.library == "numpy" else column.name


def _edges(column: Any) -> np.ndarray:
    return breaks_between(column.knots[0], column.knots[-1], BINS)


def _shares(column: Any, encoded: np.ndarray) -> np.ndarray:
    """Share of each bin or category among the rows where the attribute is not missing."""
    encoded = encoded[~np.isnan(encoded)]
    if isinstance(column, CategoricalColumn):
        counts = np.bincount(encoded.astype(int), minlength=len(column.categories))
    else:
        numbers = interpolate_back(encoded, column.positions, column.knots)
        counts = np.histogram(numbers, _edges(column))[0]
    return counts / max(1, int(counts.sum()))


def _merge_rare(labels: list[str], shares: dict[str, Any]) -> dict[str, Any]:
    """Keep the most frequent categories; merge the rest into one."""
    if len(labels) <= MOST_CATEGORIES:
        return {"categories": labels, **shares}
    weight = np.sum(list(shares.values()), axis=0)
    keep = np.sort(np.argsort(-weight, kind="stable")[: MOST_CATEGORIES - 1])
    rest = np.setdiff1d(np.arange(len(labels)), keep)
    merged = {group: np.append(share[keep], share[rest].sum()) for group, share in shares.items()}
    return {"categories": [*(labels[i] for i in keep), f"{len(rest)} others"], **merged}


def dependence(network: Any, chosen: list[int]) -> dict[str, Any]:
    """Mutual information of pairs of attributes under both classes, in nats.

    Parameters
    ----------
    network
        A generative ``LPSClassifier``.
    chosen
        Attributes to compare, by position.

    Returns
    -------
    dict
        ``names`` of the attributes, and a matrix each for ``positive`` and ``negative``.
    """
    columns = [network.encoder_.columns_[attribute] for attribute in chosen]
    keys = [_key(network, column) for column in columns]
    result: dict[str, Any] = {"names": [str(column.name) for column in columns]}
    for name, position in CLASS_POSITIONS.items():
        table = network.mutual_information(network.classes_[position], columns=keys)
        result[name] = table.to_numpy()
    return result
