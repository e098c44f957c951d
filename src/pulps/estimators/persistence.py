"""Models on disk, without pickle.

A saved model is a skops archive: arrays and plain values, and the names of the few types
listed here. Reading it builds these types only and runs nothing from the file.

In a file a type has a name of its own, which stays when its module moves; names of earlier
releases are still read.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from pulps.estimators.model_checks import DamagedModelError, check_model
from pulps.io.outputs import replacing
from pulps.tables.decoding import TableForm
from pulps.tables.encoding import TableEncoder

MOST_BYTES = 4 * 2**30
SCHEMA = "schema.json"
# Name in a file: module of the type.
TYPES = {
    "pulps.Augmentation": "pulps.images.augmentation",
    "pulps.CategoricalColumn": "pulps.tables.columns",
    "pulps.CodesForest": "pulps.views.boosting",
    "pulps.ColumnForm": "pulps.tables.decoding",
    "pulps.Consensus": "pulps.views.consensus",
    "pulps.Forest": "pulps.views.forest",
    "pulps.GivenModel": "pulps.views.given",
    "pulps.HonestScores": "pulps.decision.honest",
    "pulps.ImageRecipe": "pulps.estimators.recipe",
    "pulps.KernelModel": "pulps.views.kernel",
    "pulps.LPSClassifier": "pulps.estimators.table",
    "pulps.LPSImageClassifier": "pulps.estimators.image",
    "pulps.LeftOutColumn": "pulps.tables.roles",
    "pulps.LikelihoodRecipe": "pulps.network.likelihood",
    "pulps.LossWeights": "pulps.training.loss",
    "pulps.MatrixForest": "pulps.views.bagging",
    "pulps.MatrixForm": "pulps.tables.matrix",
    "pulps.MovableCut": "pulps.decision.moving",
    "pulps.NormalScale": "pulps.views.scale",
    "pulps.NumericColumn": "pulps.tables.columns",
    "pulps.Opinion": "pulps.views.consensus",
    "pulps.PUClassifier": "pulps.estimators.consensus",
    "pulps.PatchBook": "pulps.images.patches",
    "pulps.Perceptrons": "pulps.views.risk_network",
    "pulps.Recipe": "pulps.estimators.recipe",
    "pulps.TableEncoder": "pulps.tables.encoding",
    "pulps.TableForm": "pulps.tables.decoding",
    "pulps.ThresholdReport": "pulps.decision.threshold",
}
# Where these types were up to version 0.3, when files had the names of modules.
OLD_MODULES = {
    "pulps.classifier",
    "pulps.decoding",
    "pulps.encoding",
    "pulps.image_classifier",
    "pulps.images.augmentation",
    "pulps.images.patches",
    "pulps.likelihood",
    "pulps.loss",
    "pulps.threshold",
}
TRUSTED = [f"{module}.{name.removeprefix('pulps.')}" for name, module in TYPES.items()]


def save(model, path) -> None:
    """Write a model, whole or not at all.

    Parameters
    ----------
    model
        A fitted classifier.
    path
        The file.
    """
    import skops.io as sio  # here: it loads all of scikit-learn

    modules = {(module, name.removeprefix("pulps.")): "pulps" for name, module in TYPES.items()}
    with replacing(path) as temporary:
        content = io.BytesIO()
        sio.dump(model, content)
        foreign = set(sio.get_untrusted_types(data=content.getvalue())) - set(TRUSTED)
        if foreign:
            raise ValueError(
                f"The model holds types that a file cannot hold safely: "
                f"{', '.join(sorted(map(str, foreign)))}. Leave out the view that brings them, "
                "or keep the model in memory."
            )
        temporary.write_bytes(_with_modules(content, modules).getvalue())


def load_model(path):
    """Read a model of tables, whichever kind it is; nothing in the file is executed.

    Parameters
    ----------
    path : path
        File written by ``PUClassifier.save``, ``LPSClassifier.save`` or ``pulps fit``.

    Returns
    -------
    PUClassifier or LPSClassifier
        The fitted model.
    """
    from pulps.estimators.consensus import PUClassifier
    from pulps.estimators.table import LPSClassifier

    return load(path, PUClassifier, LPSClassifier)


def load(path, *kinds: type):
    """Read a model of one of the given types.

    Parameters
    ----------
    path
        The file.
    *kinds
        The types that are expected.

    Returns
    -------
    the model
        Its parts fit together.

    Raises
    ------
    ValueError
        If the file is not such a model or names a type that is not ours.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no model file {path}.")
    import skops.io as sio

    expected = " or ".join(kind.__name__ for kind in kinds)
    writers = " or ".join(f"{kind.__name__}.save" for kind in kinds)
    modules = {
        (old, name.removeprefix("pulps.")): module
        for name, module in TYPES.items()
        for old in ("pulps", *OLD_MODULES)
    }
    try:
        _check_size(path)
        with path.open("rb") as file:
            content = _with_modules(file, modules).getvalue()
        unknown = set(sio.get_untrusted_types(data=content)) - set(TRUSTED)
        model = None if unknown else sio.loads(content, trusted=TRUSTED)
    except Exception as error:
        raise ValueError(
            f"{path.name} is not a saved pulps model ({type(error).__name__}). Expected a file "
            f"written by {writers} or 'pulps fit'."
        ) from None
    if unknown:
        raise ValueError(
            f"{path.name} names types that a pulps model does not have: "
            f"{', '.join(sorted(map(str, unknown)))}. Nothing was loaded; get the file from its "
            "author again."
        )
    if not isinstance(model, kinds):
        raise ValueError(
            f"{path.name} holds a {type(model).__name__}, not a {expected}. Pass a file "
            f"written by {writers}."
        )
    try:
        _fill_in_encoder(model)
        if hasattr(model, "_recipe_type"):
            _gather_recipe(model)
            _fill_in(model)
        check_model(model)
    except DamagedModelError as error:
        raise ValueError(
            f"{path.name} is a damaged pulps model: {error}. Get the file from its author again."
        ) from None
    return model


def _gather_recipe(model: Any) -> None:
    """Up to version 0.3 the fields of the recipe were parameters of the model."""
    own = vars(model)
    if "recipe" not in own:
        fields = model._recipe_type().get_params()
        model.recipe = model._recipe_type(
            **{name: own.pop(name) for name in fields if name in own}
        )


def _fill_in_encoder(model: Any) -> None:
    """Before columns had roles, every column was used, and found by its number."""
    for one in (model, getattr(model, "network_", None)):
        own: Any = vars(one) if one is not None else {}
        encoder, form = own.get("encoder_"), own.get("form_")
        if isinstance(encoder, TableEncoder) and isinstance(form, TableForm):
            own.setdefault("roles", None)
            known: Any = vars(encoder)
            known.setdefault("roles", None)
            known.setdefault("left_out_", [])
            names = None if form.library == "numpy" else [column.name for column in form.columns]
            known.setdefault("names_", names)


def _fill_in(model: Any) -> None:
    """Up to version 0.3 there was no first guess of tables and no logistic term."""
    own = vars(model)
    if "encoder_" in own:
        own.setdefault("first_guess", None)
    if model.recipe is not None:
        for name, value in model._recipe_type().get_params().items():
            vars(model.recipe).setdefault(name, value)
    history = own.get("history_")
    if isinstance(history, dict) and "balance" in history:
        history.setdefault("logistic", np.zeros_like(history["balance"]))


def _with_modules(file: Any, modules: Mapping[tuple[str, str], str]) -> io.BytesIO:
    """Copy an archive; types in its schema change their module as told."""

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            module, name = node.get("__module__"), node.get("__class__")
            if isinstance(module, str) and isinstance(name, str):
                node["__module__"] = modules.get((module, name), module)
            node = list(node.values())
        if isinstance(node, list):
            for child in node:
                walk(child)

    copy = io.BytesIO()
    with zipfile.ZipFile(file) as source, zipfile.ZipFile(copy, "w") as target:
        for item in source.infolist():
            content = source.read(item)
            if item.filename == SCHEMA:
                schema = json.loads(content)
                walk(schema)
                content = json.dumps(schema).encode()
            target.writestr(item, content)
    return copy


def _check_size(path: Path) -> None:
    """Refuse an archive that would unpack to something enormous."""
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(item.file_size for item in archive.infolist())
    if unpacked > MOST_BYTES:
        raise ValueError(f"{path.name} would unpack to {unpacked} bytes.")
