"""Models on disk, without pickle.

A saved model is a skops archive: arrays and plain values, and the names of the few types
listed here. Reading it builds these types only and runs nothing from the file.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import skops.io as sio

from pulps.files import replacing

TRUSTED = [
    "pulps.classifier.LPSClassifier",
    "pulps.decoding.ColumnForm",
    "pulps.decoding.TableForm",
    "pulps.encoding.CategoricalColumn",
    "pulps.encoding.NumericColumn",
    "pulps.encoding.TableEncoder",
    "pulps.likelihood.LikelihoodRecipe",
    "pulps.loss.LossWeights",
    "pulps.threshold.ThresholdReport",
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
    try:
        unknown = set(sio.get_untrusted_types(file=path)) - set(TRUSTED)
        if unknown:
            raise ValueError(
                f"{path.name} names types that a pulps model does not have: "
                f"{', '.join(sorted(unknown))}. Nothing was loaded; get the file from its "
                "author again."
            )
        model = sio.load(path, trusted=TRUSTED)
    except FileNotFoundError:
        raise
    except (zipfile.BadZipFile, KeyError, TypeError, AttributeError, OSError, EOFError) as error:
        raise ValueError(
            f"{path.name} is not a saved pulps model ({type(error).__name__}). Expected a file "
            "written by LPSClassifier.save or 'pulps fit'."
        ) from None
    if not isinstance(model, kind):
        raise ValueError(
            f"{path.name} holds a {type(model).__name__}, not a {kind.__name__}. Pass a file "
            f"written by {kind.__name__}.save."
        )
    return model
