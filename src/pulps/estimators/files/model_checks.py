"""What a model read from a file must be before it is used.

A file can be a valid archive of the right types and still hold arrays of other sizes, text
where numbers belong, or NaN. Everything that prediction and sampling rest on is checked here,
so that a damaged or forged file is refused by name instead of failing somewhere later.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from pulps.decision.honest import HonestScores
from pulps.decision.threshold import ThresholdReport
from pulps.estimators.files.core_checks import check_chain
from pulps.estimators.files.image_checks import check_images
from pulps.io._sklearn import check_parameters
from pulps.io.model_file import DamagedModelError
from pulps.io.naming import quoted
from pulps.io.value_checks import (
    need,
    number,
    numbers,
    real,
    told,
    whole_numbers,
)
from pulps.tables.column_checks import check_column
from pulps.tables.columns import NumericColumn
from pulps.tables.decoding import ColumnForm, TableForm
from pulps.tables.encoding import TableEncoder
from pulps.tables.roles import LeftOutColumn
from pulps.views.checks import check_consensus, probe_rows

LIBRARIES = ("pandas", "polars", "pyarrow", "numpy")
NUMBERS_OF_REPORT = ("threshold", "prior_of_unlabeled", "share")


def check_model(model: Any) -> None:
    """Raise if the parts of a fitted classifier do not fit together.

    Parameters
    ----------
    model
        A classifier of tables or of images, read from a file.
    """
    try:
        check_parameters(model)
        _check_decision(model)
        if hasattr(model, "consensus_"):
            probe = _probe_consensus(model)
        else:
            probe = _probe_states(model)
        need(
            probe.ndim == 1 and np.isfinite(probe).all(),
            "its decision on an empty row, or on one of ends, is not finite",
        )
    except DamagedModelError:
        raise
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise DamagedModelError(f"{type(error).__name__}: {error}") from None


def _probe_consensus(model: Any) -> np.ndarray:
    """Check columns and network; return the decision on a few rows.

    Views are checked, and then probed one by one.
    """
    check_table(model)
    _check_honest(model.honest_)
    check_consensus(model.consensus_, model.encoder_.columns_)
    probe = probe_rows(model.encoder_.columns_)
    each = model.consensus_.each(probe)
    need(np.isfinite(each).all(), "the opinion of a view on an empty row is not finite")
    if hasattr(model, "network_"):
        check_model(model.network_)
    return model.decision_of_encoded(probe)


def _check_honest(honest: Any) -> None:
    need(
        isinstance(honest, HonestScores),
        f"its honest_ should be HonestScores, but is {told(honest)}",
    )
    for name in ("labeled", "unlabeled"):
        scores = numbers(getattr(honest, name), 1, f"the honest scores of {name} rows")
        need(len(scores), f"it should have honest scores of {name} rows, and has none")
        number(getattr(honest, f"n_{name}"), f"the number of {name} rows")
    draws = numbers(honest.draws, 2, "the resampled shares of positives")
    need(draws.size, "it should have resampled shares of positives, and has none")
    for end in (honest.estimate, *honest.interval):
        number(end, "the share of positives and each end of its interval")


def _probe_states(model: Any) -> np.ndarray:
    """Check recipe, members and history; return the decision on nothing."""
    recipe = model.recipe or model._recipe_type()
    need(
        isinstance(recipe, model._recipe_type),
        f"its recipe should be a {model._recipe_type.__name__}, but is {told(recipe)}",
    )
    check_parameters(recipe)
    _check_members(model)
    probe = _probe_images(model) if hasattr(model, "book_") else _probe_table(model)
    _check_history(model)
    return probe


def _probe_table(model: Any) -> np.ndarray:
    """Check everything about columns and sites; return the decision on a few rows."""
    check_table(model)
    _check_cores(model)
    return model.decision_of_encoded(probe_rows(model.encoder_.columns_))


def _probe_images(model: Any) -> np.ndarray:
    """Check everything about patches; return the decision on an image without pixels."""
    check_images(
        model,
        (model.positive_cores_, model.negative_cores_),
        lambda: (model.positive_density_cores_, model.negative_density_cores_),
    )
    dark = model.decision_function(np.full((1, *model.image_shape_), model.value_range_[0]))
    need(np.isfinite(dark).all(), "its decision on a dark image is not finite")
    return model.decision_function(np.full((1, *model.image_shape_), np.nan))


def check_table(model: Any) -> None:
    """Raise if the columns of a model do not fit together.

    Parameters
    ----------
    model
        A model of tables.
    """
    encoder, form, n_columns = model.encoder_, model.form_, model.n_features_in_
    need(
        isinstance(encoder, TableEncoder),
        f"its encoder_ should be a TableEncoder, but is {told(encoder)}",
    )
    need(isinstance(form, TableForm), f"its form_ should be a TableForm, but is {told(form)}")
    need(
        isinstance(n_columns, Integral) and int(n_columns) > 0,
        f"its n_features_in_ should be a positive whole number, but is {told(n_columns)}",
    )
    need(
        encoder.n_features_in_ == n_columns,
        f"its encoder should have {n_columns} columns, but has {told(encoder.n_features_in_)}",
    )
    need(
        form.library in LIBRARIES,
        f"its table library should be one of {', '.join(LIBRARIES)}, but is {told(form.library)}",
    )
    need(
        isinstance(form.columns, list)
        and len(form.columns) == n_columns
        and all(isinstance(column, ColumnForm) for column in form.columns),
        f"its form_ should describe {n_columns} columns, and does not",
    )
    need(isinstance(encoder.columns_, list) and encoder.columns_, "it has no columns")
    constants = encoder.constant_columns_
    need(
        isinstance(constants, list),
        f"its constant columns should be a list, but are {told(constants)}",
    )
    every = [*encoder.columns_, *constants]
    left_out = encoder.left_out_
    need(
        isinstance(left_out, list) and all(isinstance(c, LeftOutColumn) for c in left_out),
        f"the columns it leaves out should be a list, but are {told(left_out)}",
    )
    places = {(column.index, getattr(column, "part", "")) for column in every}
    places |= {(column.index, "") for column in left_out}
    need(
        {index for index, _ in places} == {*range(n_columns)}
        and len(places) == len(every) + len(left_out),
        f"each of its {n_columns} columns should be there once, and some are not",
    )
    names_told = [column.name for column in form.columns]
    need(
        encoder.names_ == (None if form.library == "numpy" else names_told),
        "the names of its encoder should be those of its columns, and differ",
    )
    for position, column in enumerate(every):
        check_column(column, constant=position >= len(encoder.columns_))
        labels = form.columns[column.index].labels
        need(
            isinstance(column, NumericColumn)
            or (isinstance(labels, list) and len(labels) == len(column.categories)),
            f"column {quoted(column.name)} should have one label for each of its categories",
        )
    summary = getattr(model, "training_summary_", None)  # none in files up to format 1
    fault = summary and summary.fault(len(encoder.columns_))
    need(not fault, str(fault))
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        need(
            isinstance(names, np.ndarray) and names.tolist() == names_told,
            "its feature_names_in_ should be the names of its columns, and differ",
        )


def _check_decision(model: Any) -> None:
    classes = model.classes_
    need(
        isinstance(classes, np.ndarray) and classes.shape == (2,),
        f"its classes_ should be two values, but are {told(classes)}",
    )
    need(classes[0] != classes[1], "its two classes_ should differ, but are equal")
    report = model.threshold_report_
    need(
        isinstance(report, ThresholdReport),
        f"its threshold_report_ should be a ThresholdReport, but is {told(report)}",
    )
    for name in NUMBERS_OF_REPORT:
        number(getattr(report, name), f"the {name} of its threshold_report_")
    for name in ("recall", "precision", "f1_pos", "f1_neg", "accuracy"):
        real(getattr(report, name), f"the {name} of its threshold_report_")
    need(
        isinstance(report.n_labeled, Integral),
        f"its number of held-out labels should be whole, but is {told(report.n_labeled)}",
    )
    for name in ("rule", "reason"):
        text = getattr(report, name)
        need(isinstance(text, str), f"the {name} of its threshold should be text: {told(text)}")
    need(
        len(report.prior_interval) == 2,
        f"the interval of its prior should have two ends, not {len(report.prior_interval)}",
    )
    for end in report.prior_interval:
        number(end, "each end of the interval of its prior")
    slope = number(model.slope_, "its slope_")
    need(slope > 0, f"its slope_ should be above zero, but is {slope}")
    number(model.prior_, "its prior_")


def _check_members(model: Any) -> None:
    n_members = len(whole_numbers(model.members_, "its members_"))
    scales = numbers(model.member_scales_, 1, "its member_scales_")
    need(
        len(scales) == n_members > 0 and (scales > 0).all(),
        f"its member_scales_ should be {n_members} numbers above zero, one per member",
    )


def _check_cores(model: Any) -> None:
    n_members = len(model.members_)
    order = whole_numbers(model.site_order_, "its site_order_")
    n_columns = len(model.encoder_.columns_)
    need(
        sorted(order.tolist()) == [*range(n_columns)],
        f"its site_order_ should name each of {n_columns} columns once",
    )
    recipe = model.recipe or model._recipe_type()
    shape = model.embedding.shape(model.bond_dim, model.spacing, recipe.output_dim)
    check_chain(model.positive_cores_, shape, n_members)
    check_chain(model.negative_cores_, shape, n_members)
    if model.density is not None:
        size = model.density
        shape = model.density_embedding.shape(size.bond_dim, size.spacing, size.output_dim)
        check_chain(model.positive_density_cores_, shape, size.n_members)
        check_chain(model.negative_density_cores_, shape, size.n_members)


def _check_history(model: Any) -> None:
    need(isinstance(model.history_, dict) and model.history_, "its history_ is empty")
    sizes = {curve.shape for curve in model.history_.values()}
    need(len(sizes) == 1, "the curves of its history_ should have one shape, but differ")
    (size,) = sizes
    need(
        len(size) == 2,
        f"the curves of its history_ should be (epochs, members), but have shape {size}",
    )
    first, last = model.members_.min(), model.members_.max()
    need(
        0 <= first and last < size[1],
        f"its members_ should be among the {size[1]} that were trained, but reach from {first} to "
        f"{last}",
    )
    for name in ("agreement_", "kappa_"):
        real(getattr(model, name), f"its {name}")
