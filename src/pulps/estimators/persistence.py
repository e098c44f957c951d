"""Models on disk, without pickle.

A saved model is a skops archive: arrays and plain values, and the names of the few types
listed here. Reading it builds these types only and runs nothing from the file.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import skops.io as sio

from pulps.estimators.model_checks import UnsoundModelError, check_sound
from pulps.io.files import replacing

MOST_BYTES = 4 * 2**30
TRUSTED = [
    "pulps.estimators.table.LPSClassifier",
    "pulps.tables.decoding.ColumnForm",
    "pulps.tables.decoding.TableForm",
    "pulps.tables.encoding.CategoricalColumn",
    "pulps.tables.encoding.NumericColumn",
    "pulps.tables.encoding.TableEncoder",
    "pulps.estimators.image.LPSImageClassifier",
    "pulps.images.augmentation.Augmentation",
    "pulps.images.patches.PatchBook",
    "pulps.network.likelihood.LikelihoodRecipe",
    "pulps.training.loss.LossWeights",
    "pulps.decision.threshold.ThresholdReport",
]


def save(model, path) -> None:
    """Write a model, whole or not at all."""
    with replacing(path) as temporary:
        sio.dump(model, temporary)


def load(path, kind: type):
    """Read a model of the given type.

    Raises
    ------
    ValueError
        If the file is not such a model or names a type that is not ours.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"There is no model file {path}.")
    try:
        _check_size(path)
        unknown = set(sio.get_untrusted_types(file=path)) - set(TRUSTED)
        model = None if unknown else sio.load(path, trusted=TRUSTED)
    except Exception as error:
        raise ValueError(
            f"{path.name} is not a saved pulps model ({type(error).__name__}). Expected a file "
            f"written by {kind.__name__}.save or 'pulps fit'."
        ) from None
    if unknown:
        raise ValueError(
            f"{path.name} names types that a pulps model does not have: "
            f"{', '.join(sorted(map(str, unknown)))}. Nothing was loaded; get the file from its "
            "author again."
        )
    if not isinstance(model, kind):
        raise ValueError(
            f"{path.name} holds a {type(model).__name__}, not a {kind.__name__}. Pass a file "
            f"written by {kind.__name__}.save."
        )
    try:
        check_sound(model)
    except UnsoundModelError as error:
        raise ValueError(
            f"{path.name} is a damaged pulps model: {error}. Get the file from its author again."
        ) from None
    return model


def _check_size(path: Path) -> None:
    """Refuse an archive that would unpack to something enormous."""
    with zipfile.ZipFile(path) as archive:
        unpacked = sum(item.file_size for item in archive.infolist())
    if unpacked > MOST_BYTES:
        raise ValueError(f"{path.name} would unpack to {unpacked} bytes.")
