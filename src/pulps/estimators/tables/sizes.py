"""How large a network of a table gets, and whether this machine could hold it.

Views take their time, so a size that cannot be trained is refused before they are asked.
"""

from __future__ import annotations

from typing import Any

from pulps.estimators.recipes.recipe import Recipe
from pulps.estimators.tables.defaults import auto_members, auto_repeats
from pulps.estimators.tables.encoded_table import EncodedTable
from pulps.io.memory import machine_memory
from pulps.tables.columns import Column, NumericColumn
from pulps.training.loss import N_STATES

COPIES = 4  # while training: the cores, their gradient, and two moments of the optimizer


def members_and_repeats(model: Any, table: EncodedTable) -> tuple[int, int]:
    """Say how many members a network of two states has, and how often each column occurs.

    Parameters
    ----------
    model
        An unfitted :class:`pulps.LPSClassifier`.
    table
        The rows.

    Returns
    -------
    int, int
        Not too many for the memory of this machine.
    """
    n_members, n_repeats = model.n_members, model.n_repeats
    if n_members == "auto":
        n_members = auto_members(table.n_counted, guessed=model.first_guess is not None)
    columns = table.encoder.columns_
    if n_repeats == "auto":
        n_repeats = auto_repeats(table.n_counted, len(columns))
    check_size(model, columns, N_STATES * int(n_members), n_repeats)
    return int(n_members), int(n_repeats)


def check_size(model: Any, columns: list[Column], n_chains: int, n_repeats: int) -> None:
    """Raise if the cores of a network would not go into the memory of this machine.

    Parameters
    ----------
    model
        An unfitted classifier with a network.
    columns
        Columns of its table.
    n_chains
        States of all members.
    n_repeats
        How often each column occurs in a chain.
    """
    recipe = model.recipe or Recipe()
    number = 8 if recipe.dtype == "float64" else 4
    copies = COPIES if model.device == "cpu" else 1  # a device has memory of its own
    needed = copies * number * n_chains * least_numbers(model, columns, n_repeats)
    if needed > (limit := machine_memory()):
        raise ValueError(
            f"n_members={model.n_members}, n_repeats={model.n_repeats}, "
            f"bond_dim={model.bond_dim} and feature_dim={model.feature_dim} make {n_chains:,} "
            f"chains of {n_repeats * len(columns):,} sites. Their training takes at least "
            f"{needed / 2**30:,.1f} GiB, and this machine has {limit / 2**30:,.1f} GiB of memory. "
            "Make one of them smaller; the defaults suit most tables."
        )


def least_numbers(model: Any, columns: list[Column], n_repeats: int) -> int:
    """Count the numbers in the cores of one chain, from below: no outputs, two categories.

    Parameters
    ----------
    model
        An unfitted classifier with a network.
    columns
        Columns of its table.
    n_repeats
        How often each column occurs in a chain.

    Returns
    -------
    int
        The two ends of a chain have one bond only, and count for nothing here. A sweep needs a
        square as wide as the bond.
    """
    features = [model.feature_dim if isinstance(c, NumericColumn) else 2 for c in columns]
    inside = max(int(n_repeats) * sum(features) - 2 * max(features), 0)
    return int(inside + 1) * int(model.bond_dim) ** 2
