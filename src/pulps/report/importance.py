r"""What an attribute adds to the decision, exactly.

The two states say what a row's log-ratio would be if an attribute were not known: its sites
are traced instead of observed. The difference

.. math:: \Delta_i(x) = \ell(x) - \ell(x \text{ without } x_i)

is what the attribute's value adds to the decision of this row. Nothing is permuted, refitted
or drawn. The differences of one row need not sum to its decision, because attributes share
what they know: of two equal columns, each alone adds little.
"""

from __future__ import annotations

import numpy as np

SITE_VISITS = 4_000_000
FEWEST_ROWS, MOST_ROWS = 20, 2000


def effects(model, values: np.ndarray) -> np.ndarray:
    """Change of the decision when each attribute becomes known, shape (rows, attributes).

    ``values`` are encoded rows; an attribute that is missing adds nothing.
    """
    decision = model.decision_of_encoded(values)
    changes = np.zeros(values.shape)
    for attribute in range(values.shape[1]):
        known = ~np.isnan(values[:, attribute])
        if known.any():
            without = values[known]
            without[:, attribute] = np.nan
            changes[known, attribute] = decision[known] - model.decision_of_encoded(without)
    return changes


def rows_for_importance(n_rows: int, n_attributes: int, rng) -> np.ndarray:
    """Rows to average over: all of them, or as many as the time allows, in order.

    >>> len(rows_for_importance(500, 10, np.random.RandomState(0)))
    500
    >>> len(rows_for_importance(500, 784, np.random.RandomState(0)))
    20
    """
    affordable = int(np.clip(SITE_VISITS / n_attributes**2, FEWEST_ROWS, MOST_ROWS))
    if n_rows <= affordable:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, affordable, replace=False))


def importance(names: list[str], changes: np.ndarray, positive: np.ndarray) -> list[dict]:
    """Mean size of each attribute's effect, and its mean in both classes; largest first.

    Parameters
    ----------
    names
        Of the attributes.
    changes
        From :func:`effects`.
    positive
        Which of these rows the model calls positive.

    Examples
    --------
    >>> found = importance(["a", "b"], np.array([[1.0, 2], [-1, 4]]), np.array([True, False]))
    >>> [(item["name"], item["size"], item["if_positive"]) for item in found]
    [('b', 3.0, 2.0), ('a', 1.0, 1.0)]
    """
    size = np.abs(changes).mean(axis=0)
    sides = [
        changes[side].mean(axis=0) if side.any() else np.full(len(names), np.nan)
        for side in (positive, ~positive)
    ]
    return [
        {
            "name": names[i],
            "attribute": int(i),
            "size": float(size[i]),
            "if_positive": float(sides[0][i]),
            "if_negative": float(sides[1][i]),
        }
        for i in np.argsort(-size, kind="stable")
    ]
