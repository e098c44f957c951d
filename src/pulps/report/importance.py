r"""How much each attribute adds to the decision.

Every model here says what the decision on a row would be if an attribute were not known. The
states of a network do it exactly: sites are traced instead of observed. The views of a consensus
take the cell for missing, as they do with holes of the table. The difference

.. math:: \Delta_i(x) = \ell(x) - \ell(x \text{ without } x_i)

is what the attribute's value adds to the decision on this row. Nothing is permuted, refitted
or drawn. The differences of one row need not sum to its decision, because attributes can hold
the same information: of two equal columns, each on its own adds little.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import logit

from pulps.report.progress import Tell, silent

SITE_VISITS = 4_000_000
SCORINGS = 20_000
FEWEST_ROWS, MOST_ROWS = 20, 2000
LEAST = 1e-6  # probability, for log-odds


def effects(model: Any, values: np.ndarray, tell: Tell = silent) -> np.ndarray:
    """Change of the decision when each attribute becomes known.

    Parameters
    ----------
    model
        A fitted classifier.
    values
        Encoded rows; an attribute that is missing adds nothing.
    tell
        Told how far this is.

    Returns
    -------
    array of shape (rows, attributes)
        The effects.
    """
    return changes_of(lambda rows, _: model.decision_of_encoded(rows), values, tell)


def class_effects(
    model: Any, values: np.ndarray, classes: np.ndarray, tell: Tell = silent
) -> np.ndarray:
    """Change of the log-odds of a class when each attribute becomes known.

    Parameters
    ----------
    model
        A fitted classifier of several classes.
    values
        Encoded rows; an attribute that is missing adds nothing.
    classes
        Number of the class to ask about, one per row.
    tell
        Told how far this is.

    Returns
    -------
    array of shape (rows, attributes)
        The effects.
    """

    def log_odds(rows: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        chances = model.probabilities_of_encoded(rows)
        return logit(np.clip(chances[np.arange(len(rows)), classes[numbers]], LEAST, 1 - LEAST))

    return changes_of(log_odds, values, tell)


def changes_of(
    score: Callable[[np.ndarray, np.ndarray], np.ndarray], values: np.ndarray, tell: Tell
) -> np.ndarray:
    """Change of a score when each attribute becomes known.

    Parameters
    ----------
    score
        From encoded rows and their numbers to one number each.
    values
        Encoded rows; an attribute that is missing adds nothing.
    tell
        Told how far this is.

    Returns
    -------
    array of shape (rows, attributes)
    """
    whole, changes = score(values, np.arange(len(values))), np.zeros(values.shape)
    for attribute in range(values.shape[1]):
        tell(attribute / values.shape[1], "what matters")
        known = np.flatnonzero(~np.isnan(values[:, attribute]))
        if len(known):
            without = values[known]
            without[:, attribute] = np.nan
            changes[known, attribute] = whole[known] - score(without, known)
    return changes


def rows_for_importance(
    n_rows: int, n_attributes: int, rng: np.random.RandomState, *, by_sites: bool = True
) -> np.ndarray:
    """Choose the rows to average over: all of them, or as many as time allows.

    Parameters
    ----------
    n_rows, n_attributes
        Size of the table.
    rng
        Random state that chooses.
    by_sites
        Whether scoring a row takes as long as it has attributes, as with a network.

    Returns
    -------
    array of int
        Row numbers in ascending order.

    Examples
    --------
    >>> len(rows_for_importance(500, 10, np.random.RandomState(0)))
    500
    >>> len(rows_for_importance(500, 784, np.random.RandomState(0)))
    20
    """
    rows = SITE_VISITS / n_attributes**2 if by_sites else SCORINGS / n_attributes
    affordable = int(np.clip(rows, FEWEST_ROWS, MOST_ROWS))
    if n_rows <= affordable:
        return np.arange(n_rows)
    return np.sort(rng.choice(n_rows, affordable, replace=False))


def importance(
    names: list[str], changes: np.ndarray, positive: np.ndarray
) -> list[dict[str, Any]]:
    """Average the effects of each attribute.

    Parameters
    ----------
    names
        Names of the attributes.
    changes
        From :func:`effects`.
    positive
        Which of these rows the model calls positive.

    Returns
    -------
    list of dict
        Name, position, mean size of the effect and its mean in the rows called positive and
        negative; the attribute with the largest effect comes first.

    Examples
    --------
    >>> found = importance(["a", "b"], np.array([[1.0, 2], [-1, 4]]), np.array([True, False]))
    >>> [(item["name"], item["size"], item["if_positive"]) for item in found]
    [('b', 3.0, 2.0), ('a', 1.0, 1.0)]
    """
    size = np.abs(changes).mean(axis=0)
    means = [
        changes[called].mean(axis=0) if called.any() else np.full(len(names), np.nan)
        for called in (positive, ~positive)
    ]
    return [
        {
            "name": names[i],
            "attribute": int(i),
            "size": float(size[i]),
            "if_positive": float(means[0][i]),
            "if_negative": float(means[1][i]),
        }
        for i in np.argsort(-size, kind="stable")
    ]
