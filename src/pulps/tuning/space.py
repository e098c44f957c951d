"""What is searched: functions that draw the parameters of a trial.

A space is a function of an optuna trial that returns parameters, or a mapping of names to
optuna distributions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

PATIENCE = {10: None, 20: None, 50: None, 150: 50, 210: 70, 400: 100}


def paper_space(trial: Any) -> dict[str, Any]:
    """Draw as the paper does: d, D, the epochs with their patience, and the learning rate.

    The text names the values of all but the learning rate, which is 0.1 or 0.01 in its table;
    there a patience belongs to each number of epochs, and none means a constant rate.

    Parameters
    ----------
    trial
        An optuna trial.

    Returns
    -------
    dict
        Parameters of ``LPSClassifier``.
    """
    epochs = trial.suggest_categorical("max_epochs", list(PATIENCE))
    patience = PATIENCE[epochs]
    return {
        "feature_dim": trial.suggest_categorical("feature_dim", [4, 12, 20]),
        "bond_dim": trial.suggest_categorical("bond_dim", [2, 6, 12, 20]),
        "max_epochs": epochs,
        "recipe__learning_rate": trial.suggest_categorical("learning_rate", [0.1, 0.01]),
        "recipe__decay": "constant" if patience is None else "plateau",
        "recipe__patience": patience or 10,
    }


def default_space(trial: Any) -> dict[str, Any]:
    """Draw what changes a fit most, on scales an optimizer can follow.

    The rate falls along a cosine, so that epochs and rate need no patience; they are few, because
    a first guess says which rows are positive. The spacing of outputs and the scale of numbers,
    which the paper fixes, are searched as well.

    Parameters
    ----------
    trial
        An optuna trial.

    Returns
    -------
    dict
        Parameters of ``LPSClassifier``.
    """
    return {
        "feature_dim": trial.suggest_int("feature_dim", 3, 12),
        "bond_dim": trial.suggest_int("bond_dim", 2, 16, log=True),
        "spacing": trial.suggest_int("spacing", 2, 8),
        "recipe__learning_rate": trial.suggest_float("learning_rate", 0.01, 0.2, log=True),
        "max_epochs": trial.suggest_categorical("max_epochs", [20, 40, 80]),
        "recipe__numeric_scale": trial.suggest_categorical(
            "numeric_scale", ["blend", "rank", "min-max"]
        ),
    }


SPACES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "default": default_space,
    "paper": paper_space,
}


def draw(
    space: str | Callable[[Any], dict[str, Any]] | Mapping[str, Any], trial: Any
) -> dict[str, Any]:
    """Draw the parameters of a trial from a space, however it is given.

    Parameters
    ----------
    space
        Name of a space, a function of a trial, or a mapping of names to optuna distributions.
    trial
        An optuna trial.

    Returns
    -------
    dict
        The parameters.
    """
    if isinstance(space, str):
        if space not in SPACES:
            raise ValueError(
                f"space is {space!r}; it must be one of {', '.join(SPACES)}, a function of a "
                "trial or a mapping of names to optuna distributions."
            )
        return SPACES[space](trial)
    if callable(space):
        return space(trial)
    return {name: _suggest(trial, name, distribution) for name, distribution in space.items()}


def _suggest(trial: Any, name: str, distribution: Any) -> Any:
    if hasattr(distribution, "choices"):
        return trial.suggest_categorical(name, distribution.choices)
    limits = {"step": distribution.step, "log": distribution.log}
    whole = type(distribution).__name__.startswith("Int")
    suggest = trial.suggest_int if whole else trial.suggest_float
    return suggest(name, distribution.low, distribution.high, **limits)
