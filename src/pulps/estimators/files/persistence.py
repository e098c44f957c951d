"""Models on disk, without pickle.

A saved model is arrays and plain values, as skops tells them, and the names of the few types
listed here. Reading it builds these types only and runs nothing from the file. Bytes and sizes
are the business of :mod:`pulps.io.model_file`. A file is read back before it takes the
place of another, so that what was saved can be loaded.

In a file a type has a name of its own, which stays when its module moves; names of earlier
releases are still read.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from pulps.estimators.files.class_checks import check_class_model
from pulps.estimators.files.known_attributes import check_attributes
from pulps.estimators.files.model_checks import check_model
from pulps.estimators.files.saved_labels import portable, restore
from pulps.io.model_file import (
    Content,
    DamagedModelError,
    NewerModelError,
    from_archive,
    numbered,
    pack,
    to_archive,
    unpack,
)
from pulps.io.outputs import write_whole
from pulps.tables.decoding import TableForm
from pulps.tables.encoding import TableEncoder

# Name in a file: module of the type.
TYPES = {
    "pulps.Augmentation": "pulps.images.augmentation",
    "pulps.CategoricalColumn": "pulps.tables.columns",
    "pulps.ClassConsensus": "pulps.views.classes.opinions",
    "pulps.ClassOpinion": "pulps.views.classes.opinions",
    "pulps.ClassScale": "pulps.decision.class_scale",
    "pulps.CodesForest": "pulps.views.forest",
    "pulps.ColumnForm": "pulps.tables.decoding",
    "pulps.Consensus": "pulps.views.opinions",
    "pulps.Forest": "pulps.views.forest",
    "pulps.GivenModel": "pulps.views.given_model",
    "pulps.HonestScores": "pulps.decision.honest",
    "pulps.ImageRecipe": "pulps.estimators.recipes.recipe",
    "pulps.KernelClasses": "pulps.views.classes.models",
    "pulps.KernelModel": "pulps.views.kernel_model",
    "pulps.LPSClassifier": "pulps.estimators.tables.classifier",
    "pulps.LPSImageClassifier": "pulps.estimators.images.classifier",
    "pulps.LPSSemiSupervisedClassifier": "pulps.estimators.classes.table_classifier",
    "pulps.LPSSemiSupervisedImageClassifier": "pulps.estimators.classes.image_classifier",
    "pulps.LeftOutColumn": "pulps.tables.roles",
    "pulps.ImageLikelihoodRecipe": "pulps.estimators.images.density",
    "pulps.LikelihoodRecipe": "pulps.network.likelihood",
    "pulps.LinearClasses": "pulps.views.classes.models",
    "pulps.LossWeights": "pulps.training.loss",
    "pulps.MatrixForest": "pulps.views.forest",
    "pulps.MatrixForm": "pulps.tables.matrix",
    "pulps.MovableCut": "pulps.decision.moving",
    "pulps.NeighborClasses": "pulps.views.classes.models",
    "pulps.NeighborImages": "pulps.estimators.classes.image_guess",
    "pulps.NormalScale": "pulps.views.scale",
    "pulps.NumericColumn": "pulps.tables.columns",
    "pulps.OpenConsensus": "pulps.views.classes.opinions",
    "pulps.Opinion": "pulps.views.opinions",
    "pulps.PUClassifier": "pulps.estimators.tables.consensus",
    "pulps.PatchBook": "pulps.images.patches",
    "pulps.Perceptrons": "pulps.views.perceptrons",
    "pulps.Recipe": "pulps.estimators.recipes.recipe",
    "pulps.SavedLabel": "pulps.estimators.files.saved_labels",
    "pulps.TableEncoder": "pulps.tables.encoding",
    "pulps.TableForm": "pulps.tables.decoding",
    "pulps.ThresholdReport": "pulps.decision.threshold",
    "pulps.TrainingSummary": "pulps.estimators.questions.training_summary",
    "pulps.TreeClasses": "pulps.views.classes.models",
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


def trusted_types() -> list[str]:
    """Name the types of our models, for tools that read files of skops themselves.

    They hold arrays, numbers and text; none of them runs code of a file. ``save`` and ``load`` of
    a model need no such list, and check what a file holds beyond its types.

    Returns
    -------
    list of str
        For ``trusted=`` of ``skops.io.load`` and ``skops_trusted_types=`` of
        ``mlflow.sklearn.log_model``.

    Examples
    --------
    >>> "pulps.estimators.tables.classifier.LPSClassifier" in trusted_types()
    True
    """
    return list(TRUSTED)


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model, whole or not at all.

    Parameters
    ----------
    model
        A fitted classifier.
    path
        The file.
    """
    path = Path(path)

    def check(temporary: Path) -> None:
        try:
            load(temporary, type(model))
        except ValueError as error:
            reason = str(error).replace(temporary.name, path.name)
            raise ValueError(
                f"The model was not written, for it would not be read: {reason}"
            ) from None

    write_whole(path, packed(model), check)


def packed(model: Any) -> bytes:
    """Make the bytes of a model's file.

    Parameters
    ----------
    model
        A fitted classifier.

    Returns
    -------
    bytes
    """
    import skops.io as sio  # here: it loads all of scikit-learn

    from pulps import __version__

    modules = {(module, name.removeprefix("pulps.")): "pulps" for name, module in TYPES.items()}
    archive = sio.dumps(portable(model))
    foreign = set(sio.get_untrusted_types(data=archive)) - set(TRUSTED)
    if foreign:
        raise ValueError(
            f"The model holds types that a file cannot hold safely: "
            f"{', '.join(sorted(map(str, foreign)))}. Leave out the view that brings them, "
            "or keep the model in memory."
        )
    content = from_archive(io.BytesIO(archive))
    _rename(content, modules)
    return pack(numbered(content), __version__)


def load_model(path: str | os.PathLike[str]) -> Any:
    """Read a model of tables, whichever kind it is; nothing in the file is executed.

    Parameters
    ----------
    path : path
        File written by ``PUClassifier.save``, ``LPSClassifier.save`` or ``pulps fit``.

    Returns
    -------
    PUClassifier, LPSClassifier or LPSSemiSupervisedClassifier
        The fitted model.
    """
    from pulps.estimators.classes.table_classifier import LPSSemiSupervisedClassifier
    from pulps.estimators.tables.classifier import LPSClassifier
    from pulps.estimators.tables.consensus import PUClassifier

    return load(path, PUClassifier, LPSClassifier, LPSSemiSupervisedClassifier)


def load(path: str | os.PathLike[str], *kinds: type[Any]) -> Any:
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
        content = unpack(path)
        _rename(content, modules)
        archive = to_archive(content)
        unknown = set(sio.get_untrusted_types(data=archive)) - set(TRUSTED)
        model = None if unknown else sio.loads(archive, trusted=TRUSTED)
    except NewerModelError as error:
        raise ValueError(f"{path.name} needs a newer pulps. {error} Update pulps.") from None
    except DamagedModelError as error:
        raise ValueError(_damaged(path, error)) from None
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
        opener = f", or open this one with {type(model).__name__}.load" * hasattr(model, "load")
        raise ValueError(
            f"{path.name} holds a {type(model).__name__}, not a {expected}. Pass a file "
            f"written by {writers}{opener}."
        )
    try:
        check_attributes(model)
        restore(model)
        _fill_in_encoder(model)
        if hasattr(model, "_recipe_type"):
            _gather_recipe(model)
            _fill_in(model)
        _fill_in_parameters(model)
        check_class_model(model) if hasattr(model, "class_scale_") else check_model(model)
    except DamagedModelError as error:
        raise ValueError(_damaged(path, error)) from None
    except (AttributeError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise ValueError(_damaged(path, f"{type(error).__name__}: {error}")) from None
    except RecursionError:
        raise ValueError(_damaged(path, "its parts go too deep into each other")) from None
    return model


def _damaged(path: Path, error: object) -> str:
    return f"{path.name} is a damaged pulps model: {error}. Get the file from its author again."


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
            known: Any = vars(encoder)
            known.setdefault("roles", None)
            known.setdefault("left_out_", [])
            names = None if form.library == "numpy" else [column.name for column in form.columns]
            known.setdefault("names_", names)


def _fill_in(model: Any) -> None:
    """Up to version 0.3 there was no first guess of tables and no logistic term.

    Chains that generated images lay on half spheres. They are left out: such a model classifies
    as before, and draws once it is fitted again.
    """
    own = vars(model)
    if "encoder_" in own:
        own.setdefault("first_guess", None)
    else:
        if own.pop("coefficient_range_", None) is not None:
            own["density"] = None
            for name in ("positive_density_cores_", "negative_density_cores_"):
                own.pop(name, None)
    if model.recipe is not None:
        for name, value in model._recipe_type().get_params().items():
            vars(model.recipe).setdefault(name, value)
    history = own.get("history_")
    if isinstance(history, dict) and "balance" in history:
        history.setdefault("logistic", np.zeros_like(history["balance"]))


def _fill_in_parameters(model: Any) -> None:
    """Files do not have the parameters that came after them: these are at their defaults."""
    for one in (model, getattr(model, "network_", None)):
        if one is not None:
            for name, parameter in signature(type(one)).parameters.items():
                vars(one).setdefault(name, parameter.default)


def _rename(content: Content, modules: Mapping[tuple[str, str], str]) -> None:
    """Types in the description change their module as told."""
    nodes: list[Any] = [content.schema]
    while nodes:
        node = nodes.pop()
        if isinstance(node, dict):
            module, name = node.get("__module__"), node.get("__class__")
            if isinstance(module, str) and isinstance(name, str):
                node["__module__"] = modules.get((module, name), module)
            nodes.extend(node.values())
        elif isinstance(node, list):
            nodes.extend(node)
