"""Flat settings, as commands and requests give them, become an unfitted model of tables.

A consensus has parameters of its own. Whatever else is set is a parameter of its network or of the
network's recipe, so ``bond_dim`` or ``max_epochs`` mean the same for both kinds of model.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Literal, get_args

from pulps.estimators.classes.table_classifier import LPSSemiSupervisedClassifier
from pulps.estimators.recipes.recipe import Recipe
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.estimators.tables.consensus import NETWORK, PUClassifier
from pulps.network.likelihood import LikelihoodRecipe
from pulps.training.loss import LossWeights

Kind = Literal["consensus", "lps", "classes"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def make_model(
    settings: Mapping[str, Any], *, kind: Kind = "consensus", generative: bool = False
) -> PUClassifier | LPSClassifier | LPSSemiSupervisedClassifier:
    """Build an unfitted classifier from settings; a wrong name gets a clear message.

    Parameters
    ----------
    settings
        Parameters by name, those of a recipe among them; ``loss_weights`` and ``density`` may be
        dicts.
    kind
        ``"consensus"`` for a :class:`~pulps.PUClassifier`, ``"lps"`` for the network alone,
        ``"classes"`` for a :class:`~pulps.LPSSemiSupervisedClassifier`.
    generative
        Whether to train what generates rows as well.

    Returns
    -------
    the classifier
        Unfitted.

    Examples
    --------
    >>> make_model({"prior": 0.2})
    PUClassifier(prior=0.2)
    >>> make_model({"bond_dim": 4}, kind="lps")
    LPSClassifier(bond_dim=4)
    """
    if kind not in KINDS:
        raise ValueError(f"There is no model {kind!r}. Choose one of {', '.join(KINDS)}.")
    if kind == "classes":
        _check_names(settings, set(), LPSSemiSupervisedClassifier())
        several = _records(dict(settings))
        if generative:
            several.setdefault("density", LikelihoodRecipe())
        return LPSSemiSupervisedClassifier.from_parameters(**several)
    own: set[str] = set()
    if kind == "consensus":
        own = set(PUClassifier().get_params(deep=False)) - {"network"}
    _check_names(settings, own, LPSClassifier())
    of_network = _records({name: value for name, value in settings.items() if name not in own})
    if kind == "lps":
        build = LPSClassifier.generative if generative else LPSClassifier.from_parameters
        return build(**of_network)
    chosen = {name: value for name, value in settings.items() if name in own}
    if generative:
        chosen["generative"] = True
    if of_network:
        if not chosen.get("generative") and NETWORK not in (chosen.get("views") or ()):
            raise ValueError(
                f"{', '.join(of_network)} would set up a network, but this fit trains none. Ask "
                "for a generative fit (--generative), for the network alone (--model lps), or "
                "leave these settings out."
            )
        chosen["network"] = LPSClassifier.generative(**of_network)
    return PUClassifier(**chosen)


def _check_names(settings: Mapping[str, Any], own: set[str], model: Any) -> None:
    network, recipe = model.get_params(), Recipe().get_params()
    for name in settings:
        if name not in {*own, *network, *recipe}:
            near = difflib.get_close_matches(name, [*own, *network, *recipe], 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            known = {*own, *model.get_params(deep=False), *recipe}
            raise ValueError(
                f"A model has no parameter {name!r}.{hint} Known: {', '.join(sorted(known))}."
            )


def _records(settings: dict[str, Any]) -> dict[str, Any]:
    """Turn dicts into the records they stand for."""
    for name, kind in (("loss_weights", LossWeights), ("density", LikelihoodRecipe)):
        value = settings.get(name)
        if isinstance(value, dict):
            known = [field.name for field in fields(kind)]
            unknown = sorted(set(value) - set(known))
            if unknown:
                raise ValueError(f"{name} has no {unknown[0]!r}. Known: {', '.join(known)}.")
            settings[name] = kind(**value)
        elif value is True:
            settings[name] = kind()
    return settings
