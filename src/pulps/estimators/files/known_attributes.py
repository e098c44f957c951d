"""Which attributes a model and its parts have: a file with any other is refused.

An attribute that nobody knows could hide something, and one with the name of a method would take
its place. What a type declares (fields, parameters) is known from it; what a fit leaves is here.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import Any

from sklearn.base import BaseEstimator

from pulps.io.model_file import DamagedModelError

OF_SKLEARN = {"_metadata_request", "_sklearn_output_config"}  # what its setters leave
OF_DECISIONS = {"classes_", "prior_", "slope_", "threshold_report_", "movable_cut_"}
OF_TABLES = {
    *("encoder_", "form_", "feature_names_in_", "n_features_in_"),
    "training_summary_",
}
OF_STATES = OF_DECISIONS | {
    *("agreement_", "agreement_matrix_", "kappa_", "engine_", "history_", "loss_curve_"),
    *("member_scales_", "members_", "n_iter_", "restarts_", "positive_cores_", "negative_cores_"),
    *("positive_density_cores_", "negative_density_cores_"),
}
OF_CLASSES = {
    *("agreement_", "agreement_matrix_", "kappa_", "engine_", "history_", "loss_curve_"),
    *("member_scales_", "members_", "n_iter_", "restarts_", "class_scale_", "class_share_table_"),
    *("classes_", "cores_", "teacher_", "density_cores_", "held_out_table_", "transduction_"),
}
OF_IMAGES = {
    *("book_", "typical_patches_", "image_shape_", "value_range_", "n_features_in_"),
    "coefficient_range_",  # up to version 0.3
}
FITTED = {
    "LPSClassifier": OF_STATES | OF_TABLES | {"density_bases_", "site_bases_", "site_order_"},
    "LPSImageClassifier": OF_STATES | OF_IMAGES,
    "LPSSemiSupervisedClassifier": OF_TABLES
    | OF_CLASSES
    | {"density_bases_", "site_bases_", "site_order_"},
    "LPSSemiSupervisedImageClassifier": OF_CLASSES | OF_IMAGES,
    "PUClassifier": OF_DECISIONS | OF_TABLES | {"consensus_", "honest_", "network_"},
    "TableEncoder": {
        *("columns_", "constant_columns_", "constant_features_", "n_features_in_"),
        *("left_out_", "names_"),
    },
    "PatchBook": {
        *("components_", "family", "grid_", "mean_", "n_channels_", "n_components", "order_"),
        *("path", "side", "variances_"),
    },
}


def check_attributes(model: Any) -> None:
    """Raise if a model, or a part of it, has an attribute that it should not have.

    Parameters
    ----------
    model
        Read from a file.
    """
    seen: set[int] = set()
    rest: list[Any] = [model]
    while rest:
        one = rest.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            rest.extend(one.values())
        elif isinstance(one, list | tuple):
            rest.extend(one)
        elif type(one).__module__.startswith("pulps."):
            own = vars(one)
            odd = sorted(set(map(str, own)) - known_of(type(one), own))
            if odd:
                raise DamagedModelError(
                    f"its {type(one).__name__} has attributes that are not known here: "
                    f"{', '.join(odd)[:200]}"
                )
            rest.extend(own.values())


def known_of(kind: type[Any], own: dict[str, Any]) -> set[str]:
    """Attributes that a type may have.

    Parameters
    ----------
    kind
        The type.
    own
        What it has; up to version 0.3 that was the recipe's fields as well.

    Returns
    -------
    set of str
    """
    known = set(FITTED.get(kind.__name__, ()))
    if dataclasses.is_dataclass(kind):
        known |= {field.name for field in dataclasses.fields(kind)}
    if issubclass(kind, BaseEstimator):
        known |= OF_SKLEARN | _parameters(kind)
        recipe: Any = getattr(kind, "_recipe_type", None)
        if recipe is not None and "recipe" not in own:
            known |= _parameters(recipe)
    return known


def _parameters(kind: type[Any]) -> set[str]:
    return set(inspect.signature(kind).parameters)
