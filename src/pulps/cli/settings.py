"""Parameters of a model from the command line and from a TOML file.

A value is written as in TOML: ``0.2``, ``true``, ``[1, 2]``, ``"text"``; a word without quotes
is text, and ``none`` stands for None.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

CONFIG_KEYS = ("label", "positive", "negative", "kind", "model")


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
    """Read a TOML file with ``label``, ``positive``, ``kind`` and a table ``[model]``.

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
            f"{path.name} sets model to {model!r}. Put parameters of the model under [model], and "
            "which model it is, consensus or lps, after kind =."
        )
    config["model"] = {key: None if value == "none" else value for key, value in model.items()}
    return config
