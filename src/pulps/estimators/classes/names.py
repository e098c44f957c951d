"""What people call the classes of a model in commands and requests."""

from __future__ import annotations

from typing import Any

from pulps.io.naming import listed, quoted

MOST_NAMED = 30


def class_names(model: Any) -> list[str]:
    """Name the classes of a model, in the order of its ``classes_``.

    Parameters
    ----------
    model
        A fitted model.

    Returns
    -------
    list of str
        ``negative`` and ``positive`` of a model of labeled positives, whatever its labels are;
        of several classes, the labels as text.
    """
    if hasattr(model, "class_scale_"):
        return [str(one) for one in model.classes_.tolist()]
    return ["negative", "positive"]


def class_named(model: Any, name: str) -> Any:
    """Find a class by its name.

    Parameters
    ----------
    model
        A fitted model.
    name
        One of :func:`class_names`.

    Returns
    -------
    object
        The class as it was labeled at fit.
    """
    names = class_names(model)
    if name not in names:
        raise ValueError(
            f"The model has no class {quoted(name)}. Name one of: {listed(names, MOST_NAMED)}."
        )
    return model.classes_[names.index(name)]
