"""What only a network can tell: its members, its training, rows it draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.io.plain import cell
from pulps.report.attributes import CLASS_POSITIONS
from pulps.tables.reading import to_pandas
from pulps.training.loss import LossTerms

N_EXAMPLES = 8


def network_of(model: Any) -> Any:
    """Return the network of a model that has one; none is trained for a report.

    Parameters
    ----------
    model
        A fitted ``PUClassifier`` or ``LPSClassifier``.

    Returns
    -------
    LPSClassifier or None
    """
    return getattr(model, "network_", None) if hasattr(model, "consensus_") else model


def facts(network: Any) -> dict[str, Any]:
    """Numbers of a network's members and their training; None throughout without a network.

    Parameters
    ----------
    network
        From :func:`network_of`.

    Returns
    -------
    dict
    """
    if network is None:
        names = "n_members n_trained n_epochs agreement kappa agreement_matrix engine generative"
        return dict.fromkeys(names.split())
    return {
        "n_members": len(network.members_),
        "n_trained": network.history_["labeled_recall"].shape[1],
        "n_epochs": network.n_iter_,
        "agreement": network.agreement_,
        "kappa": network.kappa_,
        "agreement_matrix": network.agreement_matrix_,
        "engine": network.engine_,
        "generative": generates(network),
    }


def generates(network: Any) -> bool:
    """Tell whether the classes of a network are densities that were fitted as such.

    States that were trained to tell classes apart are none.

    Parameters
    ----------
    network
        From :func:`network_of`.

    Returns
    -------
    bool
    """
    return network is not None and network.density is not None


def examples(network: Any, columns: list[Any], rng: np.random.RandomState) -> dict[str, Any]:
    """Draw a few rows of both classes.

    Parameters
    ----------
    network
        A generative ``LPSClassifier``.
    columns
        Names of the columns.
    rng
        Source of the draws.

    Returns
    -------
    dict
        ``columns``, and rows of both classes as cells.
    """
    rows = {}
    for name, position in CLASS_POSITIONS.items():
        table = network.sample(N_EXAMPLES, network.classes_[position], random_state=rng)
        rows[name] = [[cell(v) for v in row] for row in to_pandas(table, columns).to_numpy(object)]
    return {"columns": columns, **rows}


def curves(network: Any) -> dict[str, Any]:
    """Average the training history over the members kept.

    Parameters
    ----------
    network
        A fitted ``LPSClassifier``.

    Returns
    -------
    dict
        The terms of the loss and two shares, one value per epoch; and who was restarted.
    """
    kept = {name: curve[:, network.members_] for name, curve in network.history_.items()}
    means = {}
    for name, curve in kept.items():
        known = ~np.isnan(curve)
        total = np.where(known, curve, 0).sum(axis=1)
        means[name] = np.where(known.any(axis=1), total / np.maximum(known.sum(axis=1), 1), np.nan)
    return {
        "terms": {name: means[name] for name in LossTerms._fields if np.nansum(means[name]) > 0},
        "labeled_recall": means["labeled_recall"],
        "positive_share": means["positive_share"],
        "restarts": network.restarts_,
    }
