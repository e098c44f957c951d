"""Parameters of a model from the command line and from a TOML file.

A value is written as in TOML: ``0.2``, ``true``, ``[1, 2]``, ``"text"``; a word without quotes
is text, and ``none`` stands for None.
"""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

CONFIG_KEYS = ("label", "positive", "model")


def read_value(text: str) -> Any:
    """Read one value.

    Parameters
    ----------
    text
        The text.

    Returns
    -------
    object
        What the text stands for.

    Examples
    --------
    >>> [read_value(text) for text in ("3", "0.5", "true", "rank", "none", "[1, 2]")]
    [3, 0.5, True, 'rank', None, [1, 2]]
    """
    if text.strip().lower() == "none":
        return None
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def read_pairs(pairs: list[str]) -> dict[str, Any]:
    """Read ``key=value`` pairs.

    Parameters
    ----------
    pairs
        Texts of the form ``key=value``.

    Returns
    -------
    dict
        Values by key.

    Examples
    --------
    >>> read_pairs(["bond_dim=4", "basis=sine"])
    {'bond_dim': 4, 'basis': 'sine'}
    """
    settings = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"--set {pair!r} is not of the form key=value, such as bond_dim=4.")
        settings[key.strip()] = read_value(value)
    return settings


def read_config(path: Path) -> dict[str, Any]:
    """Read a TOML file with ``label``, ``positive`` and a table ``[model]``.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    dict
        Its content; ``"none"`` under ``[model]`` becomes None.
    """
    if not path.is_file():
        raise FileNotFoundError(f"There is no config file {path}. Check the path.")
    try:
        config = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} is not valid TOML: {error}.") from None
    unknown = sorted(set(config) - set(CONFIG_KEYS))
    if unknown:
        raise ValueError(
            f"{path.name} has {', '.join(map(repr, unknown))}, which no command reads. Known: "
            f"{', '.join(CONFIG_KEYS)}; parameters of the model go under [model]."
        )
    model = config.get("model", {})
    if not isinstance(model, dict):
        raise ValueError(
            f"{path.name} sets model to {model!r}. Put parameters of the model under [model]."
        )
    config["model"] = {key: None if value == "none" else value for key, value in model.items()}
    return config


def make_model(settings: dict[str, Any], *, generative: bool = False):
    """Build an unfitted classifier from settings; a wrong name gets a clear message.

    Parameters
    ----------
    settings
        Parameters by name; ``loss_weights`` and ``density`` may be dicts.
    generative
        Whether to start from the generative preset.

    Returns
    -------
    LPSClassifier
        Unfitted.
    """
    from pulps.estimators.recipe import Recipe
    from pulps.estimators.table import LPSClassifier
    from pulps.network.likelihood import LikelihoodRecipe
    from pulps.training.loss import LossWeights

    fields = Recipe().get_params()
    known = LPSClassifier().get_params() | fields
    for key in settings:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"A model has no parameter {key!r}.{hint} Known: "
                f" {', '.join(sorted({*LPSClassifier().get_params(deep=False), *fields}))}."
            )
    settings = dict(settings)
    for key, kind in (("loss_weights", LossWeights), ("density", LikelihoodRecipe)):
        value = settings.get(key)
        if isinstance(value, dict):
            settings[key] = _record(key, kind, value)
        elif value is True:
            settings[key] = kind()
    if generative:
        return LPSClassifier.generative(**settings)
    return LPSClassifier.from_parameters(**settings)


def _record(key: str, kind: type, given: dict):
    names = [field.name for field in fields(kind)]
    unknown = sorted(set(given) - set(names))
    if unknown:
        raise ValueError(f"{key} has no {unknown[0]!r}. Known: {', '.join(names)}.")
    return kind(**given)
