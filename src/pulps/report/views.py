"""What each view of a consensus weighed, what it thought of rows, and where views disagree."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri

from pulps.views.catalog import VIEWS
from pulps.views.given_model import GivenModel

N_CANDIDATES, N_DISPUTED = 12, 12


def calls(model: Any, each: np.ndarray) -> np.ndarray:
    """Tell which rows every view alone would call positive.

    Each is cut where it calls as many of the unlabeled training rows positive as the consensus
    does.

    Parameters
    ----------
    model
        A fitted ``PUClassifier``.
    each
        Normal scores of rows by every view, shape (views, rows).

    Returns
    -------
    array of bool, shape (views, rows)
    """
    return each > ndtri(1 - model.threshold_report_.share)


def votes_of_views(model: Any, each: np.ndarray) -> np.ndarray:
    """Share of the views, by weight, that call each row positive.

    Parameters
    ----------
    model, each
        As in :func:`calls`.

    Returns
    -------
    array of shape (rows,)
    """
    return _weights(model) @ calls(model, each)


def views_section(
    model: Any,
    each: np.ndarray,
    *,
    unlabeled: np.ndarray,
    best: np.ndarray,
    decision: np.ndarray,
    probability: np.ndarray,
    votes: np.ndarray,
) -> dict[str, Any]:
    """Collect weights, areas and opinions.

    Parameters
    ----------
    model, each
        As in :func:`calls`.
    unlabeled
        Numbers of the unlabeled rows.
    best
        Numbers of those most likely positive, in order.
    decision, probability, votes
        One value per row.

    Returns
    -------
    dict
        ``opinions``, one entry per view in the order of their weights; ``alike``, the share of
        unlabeled rows that two views call the same; ``candidates`` and ``disputed``, rows with
        the ``scores`` every view gives them.
    """
    order = np.argsort(-_weights(model), kind="stable")
    each, called = each[order], calls(model, each)[order]
    opinions = [model.consensus_.opinions[number] for number in order]
    weights = _weights(model)[order]
    among, positive = called[:, unlabeled], decision[unlabeled] > 0
    mean = weights @ each
    spread = np.sqrt(weights @ (each - mean) ** 2)
    split = unlabeled[(votes[unlabeled] > 0) & (votes[unlabeled] < 1)]
    disputed = split[np.argsort(-spread[split], kind="stable")][:N_DISPUTED]

    def told(rows: np.ndarray) -> list[dict[str, Any]]:
        return [
            {
                "row": row + 1,
                "probability": probability[row],
                "decision": decision[row],
                "votes": votes[row],
                "scores": each[:, row],
            }
            for row in rows.tolist()
        ]

    return {
        "opinions": [
            {
                "name": opinion.name,
                "sentence": _sentence(opinion),
                "weight": opinion.weight,
                "area": opinion.area,
                "agrees": (said == positive).mean() if len(unlabeled) else None,
            }
            for opinion, said in zip(opinions, among, strict=True)
        ],
        "alike": (among[:, None] == among[None]).mean(axis=2) if len(unlabeled) else None,
        "candidates": told(best[:N_CANDIDATES]),
        "disputed": told(disputed),
        "n_split": len(split),
    }


def _weights(model: Any) -> np.ndarray:
    return np.array([opinion.weight for opinion in model.consensus_.opinions])


def _sentence(opinion: Any) -> str:
    """Say what a view does."""
    if isinstance(opinion.model, GivenModel):
        return f"{type(opinion.model.models[0]).__name__} of labeled against unlabeled rows"
    return VIEWS[opinion.name].sentence
