"""What a model read from a file must be before it is used.

A file can be a valid archive of the right types and still hold arrays of other sizes, text
where numbers belong, or NaN. Everything that prediction and sampling rest on is checked here,
so that a damaged or forged file is refused by name instead of failing somewhere later.
"""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from pulps.decision.threshold import ThresholdReport
from pulps.images import PatchBook
from pulps.io._sklearn import check_parameters
from pulps.network.lps import ChainShape
from pulps.tables.decoding import ColumnForm, TableForm
from pulps.tables.encoding import CategoricalColumn, NumericColumn, TableEncoder

LIBRARIES = ("pandas", "polars", "pyarrow", "numpy")
NUMBERS_OF_REPORT = ("threshold", "prior_of_unlabeled", "share")


class UnsoundModelError(ValueError):
    """A model file whose content does not fit together."""


def check_sound(model: Any) -> None:
    """Raise if the parts of a fitted classifier do not fit together.

    Parameters
    ----------
    model
        A classifier of tables or of images, read from a file.
    """
    try:
        check_parameters(model)
        recipe = model.recipe or model._recipe_type()
        _need(isinstance(recipe, model._recipe_type), "its recipe is of another kind")
        check_parameters(recipe)
        _check_decision(model)
        _check_members(model)
        if hasattr(model, "book_"):
            probe = _probe_images(model)
        else:
            probe = _probe_table(model)
        _check_history(model)
        _need(probe.shape == (1,) and np.isfinite(probe).all(), "its decision is not finite")
    except UnsoundModelError:
        raise
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise UnsoundModelError(f"{type(error).__name__}: {error}") from None


def _need(condition: Any, what: str) -> None:
    if not condition:
        raise UnsoundModelError(what)


def _numbers(value: Any, ndim: int, what: str) -> np.ndarray:
    _need(isinstance(value, np.ndarray), f"{what} is no array")
    _need(value.ndim == ndim and value.dtype.kind == "f", f"{what} has wrong type or size")
    _need(np.isfinite(value).all(), f"{what} holds values that are not finite")
    return value


def _number(value: Any, what: str) -> float:
    _need(isinstance(value, Real) and not isinstance(value, bool), f"{what} is no number")
    _need(math.isfinite(value), f"{what} is not finite")
    return float(value)


def _probe_table(model) -> np.ndarray:
    """Check everything about columns and sites; return the decision on an empty row."""
    _check_table(model)
    _check_cores(model)
    return model.decision_of_encoded(np.full((1, len(model.encoder_.columns_)), np.nan))


def _probe_images(model) -> np.ndarray:
    """Check everything about patches; return the decision on a grey image and on nothing."""
    shape, book = model.image_shape_, model.book_
    _need(isinstance(shape, tuple) and len(shape) in (2, 3), "the shape of its images is odd")
    _need(all(isinstance(n, Integral) and 0 < int(n) < 2**15 for n in shape), "its images are odd")
    low, high = (_number(end, "its range of values") for end in model.value_range_)
    _need(low <= high, "its range of values is odd")
    _need(isinstance(book, PatchBook) and book.side == model.patch_size, "its patches are odd")
    height, width = shape[:2] if model.size is None else (model.size, model.size)
    grid = (height // book.side, width // book.side)
    _need(tuple(book.grid_) == grid, "its patches do not cover the image")
    order = book.order_
    _need(isinstance(order, np.ndarray) and order.dtype.kind == "i", "its path is odd")
    _need(sorted(order.tolist()) == [*range(grid[0] * grid[1])], "its path misses patches")
    n_pixels = book.side**2 * (shape[2] if len(shape) == 3 else 1)
    n_functions = n_pixels if model.patch_size == 1 else model.feature_dim - 1
    _need(_numbers(book.mean_, 1, "the mean patch").shape == (n_pixels,), "its mean patch is odd")
    functions = _numbers(book.components_, 2, "a function of patches")
    _need(functions.shape == (n_functions, n_pixels), "its functions of patches are odd")
    embedding = model.embedding
    recipe = model.recipe or model._recipe_type()
    chain = embedding.shape(model.bond_dim, model.spacing, recipe.output_dim)
    _check_chain(model.positive_cores_, chain, len(model.members_))
    _check_chain(model.negative_cores_, chain, len(model.members_))
    if model.density is not None:
        size = model.density
        chain = embedding.shape(size.bond_dim, size.spacing, size.output_dim)
        _check_chain(model.positive_density_cores_, chain, size.n_members)
        _check_chain(model.negative_density_cores_, chain, size.n_members)
        limits = _numbers(model.coefficient_range_, 2, "the range of coefficients")
        _need(limits.shape == (2, n_functions), "its range of coefficients is odd")
    _need(np.isfinite(model.decision_function(np.full((1, *shape), low))).all(), "it is no model")
    return model.decision_function(np.full((1, *shape), np.nan))


def _check_table(model) -> None:
    encoder, form, n_columns = model.encoder_, model.form_, model.n_features_in_
    _need(isinstance(encoder, TableEncoder) and isinstance(form, TableForm), "its encoder is odd")
    _need(isinstance(encoder, BaseEstimator), "its encoder is odd")
    _need(isinstance(n_columns, Integral) and int(n_columns) > 0, "its number of columns is odd")
    _need(encoder.n_features_in_ == n_columns, "its numbers of columns differ")
    _need(form.library in LIBRARIES, "its table library is unknown")
    _need(isinstance(form.columns, list) and len(form.columns) == n_columns, "its form is odd")
    _need(all(isinstance(column, ColumnForm) for column in form.columns), "its form is odd")
    _need(isinstance(encoder.columns_, list) and encoder.columns_, "it has no columns")
    _need(isinstance(encoder.constant_columns_, list), "its constant columns are odd")
    every = [*encoder.columns_, *encoder.constant_columns_]
    _need(sorted(column.index for column in every) == [*range(n_columns)], "columns are missing")
    for position, column in enumerate(every):
        constant = position >= len(encoder.columns_)
        if isinstance(column, NumericColumn):
            _check_numeric(column, constant)
        else:
            _need(isinstance(column, CategoricalColumn), "a column is of no known kind")
            _check_categories(column, form.columns[column.index], constant)
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        told = [column.name for column in form.columns]
        _need(isinstance(names, np.ndarray) and names.tolist() == told, "its names differ")


def _check_numeric(column: NumericColumn, constant: bool) -> None:
    knots = _numbers(column.knots, 1, f"column {column.name!r}")
    positions = _numbers(column.positions, 1, f"column {column.name!r}")
    _need(len(knots) == len(positions), f"column {column.name!r} has odd knots")
    if not constant:
        _need(len(knots) > 1 and (np.diff(knots) > 0).all(), f"{column.name!r} has odd knots")
        _need((np.diff(positions) >= 0).all(), f"column {column.name!r} is not monotone")
        ends = positions[[0, -1]]
        _need((ends >= 0).all() and (ends <= 1).all(), f"column {column.name!r} is out of range")


def _check_categories(column: CategoricalColumn, form: ColumnForm, constant: bool) -> None:
    known = column.categories
    _need(isinstance(known, np.ndarray) and known.ndim == 1, "categories are no list")
    _need(known.dtype.kind in "fUO", f"column {column.name!r} has odd categories")
    _need(constant or len(known) > 1, f"column {column.name!r} has too few categories")
    frequencies = _numbers(column.frequencies, 1, f"column {column.name!r}")
    _need(
        len(frequencies) == len(known) and (frequencies > 0).all(),
        f"column {column.name!r} has odd frequencies",
    )
    _need(
        isinstance(form.labels, list) and len(form.labels) == len(known),
        f"column {column.name!r} has other labels than categories",
    )


def _check_decision(model) -> None:
    classes = model.classes_
    _need(isinstance(classes, np.ndarray) and classes.shape == (2,), "it has not two classes")
    _need(classes[0] != classes[1], "its classes are equal")
    report = model.threshold_report_
    _need(isinstance(report, ThresholdReport), "it has no threshold")
    for name in NUMBERS_OF_REPORT:
        _number(getattr(report, name), name)
    for name in ("recall", "precision", "f1_pos", "f1_neg", "accuracy"):
        _need(isinstance(getattr(report, name), Real), f"{name} is no number")
    _need(isinstance(report.n_labeled, Integral), "its number of labels is odd")
    _need(isinstance(report.rule, str) and isinstance(report.reason, str), "its rule is no text")
    _need(len(report.prior_interval) == 2, "its interval has not two ends")
    for end in report.prior_interval:
        _number(end, "its interval")
    _need(_number(model.slope_, "its slope") > 0, "its slope is not positive")
    _number(model.prior_, "its prior")


def _check_members(model) -> None:
    n_members = len(model.members_)
    _need(model.members_.ndim == 1 and model.members_.dtype.kind == "i", "its members are odd")
    scales = _numbers(model.member_scales_, 1, "the scale of members")
    _need(len(scales) == n_members > 0 and (scales > 0).all(), "scales of members are odd")


def _check_cores(model) -> None:
    n_members = len(model.members_)
    order = model.site_order_
    _need(isinstance(order, np.ndarray) and order.dtype.kind == "i", "its order of sites is odd")
    _need(sorted(order.tolist()) == [*range(len(model.encoder_.columns_))], "sites are missing")
    recipe = model.recipe or model._recipe_type()
    shape = model.embedding.shape(model.bond_dim, model.spacing, recipe.output_dim)
    _check_chain(model.positive_cores_, shape, n_members)
    _check_chain(model.negative_cores_, shape, n_members)
    if model.density is not None:
        size = model.density
        shape = model.density_embedding.shape(size.bond_dim, size.spacing, size.output_dim)
        _check_chain(model.positive_density_cores_, shape, size.n_members)
        _check_chain(model.negative_density_cores_, shape, size.n_members)


def _check_chain(cores: Any, shape: ChainShape, n_chains: int) -> None:
    wanted = shape.core_shapes()
    _need(isinstance(cores, list) and len(cores) == len(wanted), "a chain has missing cores")
    for site, (core, size) in enumerate(zip(cores, wanted, strict=True)):
        _numbers(core, 5, f"core {site}")
        _need(core.shape == (n_chains, *size), f"core {site} has shape {core.shape}")


def _check_history(model) -> None:
    _need(isinstance(model.history_, dict) and model.history_, "it has no history")
    sizes = {curve.shape for curve in model.history_.values()}
    _need(len(sizes) == 1, "its curves differ in length")
    (size,) = sizes
    _need(len(size) == 2 and model.members_.max() < size[1], "its curves are odd")
    _need(model.members_.min() >= 0, "its members are odd")
    for name in ("agreement_", "kappa_"):
        _need(isinstance(getattr(model, name), Real), f"{name} is no number")
