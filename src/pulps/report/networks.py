"""What only a network can tell: its members, its training, rows it draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from pulps.io.plain import cell
from pulps.report.attributes import CLASS_POSITIONS, Draws
from pulps.tables.decoding import to_table
from pulps.tables.reading import to_pandas
from pulps.training.loss import LossTerms

N_DRAWS, N_EXAMPLES = 200, 8


def network_of(model) -> Any:
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


def facts(network) -> dict:
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


def generates(network) -> bool:
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


def draws(network, rng) -> tuple[Draws, bool]:
    """Draw encoded rows of both classes the quick way.

    Parameters
    ----------
    network
        A fitted ``LPSClassifier``.
    rng
        Source of the draws.

    Returns
    -------
    rows, exact
        Rows by class, and whether they follow the density exactly.
    """
    drawn, exact = {}, True
    for name, position in CLASS_POSITIONS.items():
        density = network.class_density(network.classes_[position])
        drawn[name], exact = density.quick_draws(N_DRAWS, rng)
    return drawn, exact


def examples(network, columns: list, drawn: Draws, exact: bool) -> dict:
    """Lay some of the drawn rows out as cells.

    Parameters
    ----------
    network
        A fitted ``LPSClassifier``.
    columns
        Names of the columns.
    drawn, exact
        From :func:`draws`.

    Returns
    -------
    dict
        ``columns``, rows of both classes, how many were drawn and whether exactly.
    """
    rows = {}
    for name, values in drawn.items():
        table = to_table(values[:N_EXAMPLES], network.encoder_, network.form_)
        rows[name] = [[cell(v) for v in row] for row in to_pandas(table, columns).to_numpy(object)]
    return {"columns": columns, **rows, "n_draws": N_DRAWS, "exact": exact}


def curves(network) -> dict:
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
