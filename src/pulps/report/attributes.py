"""How attributes are distributed: in the rows, and under the two classes of the model.

Where every attribute sits at one site, the densities are exact. Otherwise they are read off
rows that were drawn, and the report says so.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from pulps.tables.encoding import CategoricalColumn

BINS = 24
MOST_CATEGORIES = 12
COARSE = 8
MOST_DEPENDENT = 12


def distributions(
    model, values: np.ndarray, labeled: np.ndarray, chosen: list[int], draws: dict | None
) -> list[dict]:
    """Shares of cells of each chosen attribute: labeled and unlabeled rows, both classes.

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
    draws
        Encoded rows drawn from either class, keyed by 1 and 0; None reads exact marginals.
    """
    found = []
    for attribute in chosen:
        column = model.encoder_.columns_[attribute]
        name = column.index if model.form_.library == "numpy" else column.name
        sides = {"labeled": values[labeled, attribute], "unlabeled": values[~labeled, attribute]}
        if draws is not None:
            sides |= {
                side: draws[y][:, attribute] for side, y in (("positive", 1), ("negative", 0))
            }
        shares = {side: _shares(column, encoded) for side, encoded in sides.items()}
        if draws is None:
            shares["positive"] = model.marginal(name, 1, bins=BINS).to_numpy()
            shares["negative"] = model.marginal(name, 0, bins=BINS).to_numpy()
        item: dict = {"name": str(column.name), "missing": np.isnan(values[:, attribute]).mean()}
        if isinstance(column, CategoricalColumn):
            labels = [str(label) for label in model.form_.columns[column.index].labels]
            item |= {"kind": "categories"} | _merge_rare(labels, shares)
        else:
            item |= {"kind": "numbers", "edges": _edges(column), **shares}
        found.append(item)
    return found


def _edges(column) -> np.ndarray:
    return np.linspace(column.knots[0], column.knots[-1], BINS + 1)


def _shares(column, encoded: np.ndarray) -> np.ndarray:
    """Share of rows in each cell, of those where the attribute is not missing."""
    encoded = encoded[~np.isnan(encoded)]
    if isinstance(column, CategoricalColumn):
        counts = np.bincount(encoded.astype(int), minlength=len(column.categories))
    else:
        numbers = np.interp(encoded, column.positions, column.knots)
        counts = np.histogram(numbers, _edges(column))[0]
    return counts / max(1, counts.sum())


def _merge_rare(labels: list[str], shares: dict) -> dict:
    """Keep the most frequent categories; the rest become one."""
    if len(labels) <= MOST_CATEGORIES:
        return {"categories": labels, **shares}
    weight = np.sum(list(shares.values()), axis=0)
    keep = np.sort(np.argsort(-weight, kind="stable")[: MOST_CATEGORIES - 1])
    rest = np.setdiff1d(np.arange(len(labels)), keep)
    merged = {side: np.append(share[keep], share[rest].sum()) for side, share in shares.items()}
    return {"categories": [*(labels[i] for i in keep), f"{len(rest)} others"], **merged}


def dependence(model, chosen: list[int], draws: dict | None) -> dict:
    """Mutual information of pairs of the chosen attributes under both classes, in nats."""
    names = [str(model.encoder_.columns_[attribute].name) for attribute in chosen]
    result: dict = {"names": names}
    for side, y in (("positive", 1), ("negative", 0)):
        if draws is None:
            columns = [model.encoder_.columns_[attribute] for attribute in chosen]
            keys = [c.index if model.form_.library == "numpy" else c.name for c in columns]
            result[side] = model.mutual_information(y, columns=keys).to_numpy()
        else:
            result[side] = _drawn_information(model, draws[y], chosen)
    return result


def _drawn_information(model, drawn: np.ndarray, chosen: list[int]) -> np.ndarray:
    """Mutual information of coarse cells, less what as many independent draws would show."""
    codes = []
    for attribute in chosen:
        column = model.encoder_.columns_[attribute]
        encoded = drawn[:, attribute]
        if not isinstance(column, CategoricalColumn):
            encoded = pd.qcut(encoded, COARSE, labels=False, duplicates="drop")
        codes.append(np.unique(encoded, return_inverse=True)[1])
    found = np.full((len(chosen), len(chosen)), np.nan)
    for first, second in combinations(range(len(chosen)), 2):
        table = pd.crosstab(codes[first], codes[second]).to_numpy() / len(drawn)
        product = np.outer(table.sum(axis=1), table.sum(axis=0))
        seen = table > 0
        information = (table[seen] * np.log(table[seen] / product[seen])).sum()
        chance = (table.shape[0] - 1) * (table.shape[1] - 1) / (2 * len(drawn))
        found[first, second] = found[second, first] = max(0.0, information - chance)
    return found
