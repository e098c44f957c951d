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

from pulps.decision.honest import HonestScores
from pulps.decision.threshold import ThresholdReport
from pulps.estimators.core_checks import MOST_PIXELS, fault_of
from pulps.estimators.view_checks import fault_of_views, probe_rows
from pulps.images import PatchBook
from pulps.io._sklearn import check_parameters
from pulps.network.lps import ChainShape
from pulps.tables.columns import CategoricalColumn, NumericColumn
from pulps.tables.dates import FORMATS, PARTS
from pulps.tables.decoding import ColumnForm, TableForm
from pulps.tables.encoding import TableEncoder
from pulps.tables.roles import LeftOutColumn

LIBRARIES = ("pandas", "polars", "pyarrow", "numpy")
NUMBERS_OF_REPORT = ("threshold", "prior_of_unlabeled", "share")


class DamagedModelError(ValueError):
    """A model file whose content does not fit together."""


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
        _need(
            probe.ndim == 1 and np.isfinite(probe).all(),
            "its decision on an empty row, or on one of ends, is not finite",
        )
    except DamagedModelError:
        raise
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise DamagedModelError(f"{type(error).__name__}: {error}") from None


def _need(condition: Any, what: str) -> None:
    if not condition:
        raise DamagedModelError(what)


def _told(value: Any) -> str:
    """Describe what came, in a few words."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    if isinstance(value, Real | str):
        return repr(value)[:60]
    return f"a {type(value).__name__}"


def _numbers(value: Any, ndim: int, what: str) -> np.ndarray:
    _need(
        isinstance(value, np.ndarray) and value.ndim == ndim and value.dtype.kind == "f",
        f"{what} should be an array of floats with {ndim} axes, but is {_told(value)}",
    )
    _need(np.isfinite(value).all(), f"{what} should be finite, but holds NaN or infinity")
    return value


def _whole_numbers(value: Any, what: str) -> np.ndarray:
    _need(
        isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "i",
        f"{what} should be a list of whole numbers, but is {_told(value)}",
    )
    return value


def _number(value: Any, what: str) -> float:
    _need(
        isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value),
        f"{what} should be a finite number, but is {_told(value)}",
    )
    return float(value)


def _real(value: Any, what: str) -> None:
    _need(isinstance(value, Real), f"{what} should be a number, but is {_told(value)}")


def _probe_consensus(model) -> np.ndarray:
    """Check columns and network; return the decision on a few rows.

    Views are probed one by one: an array of the wrong shape or a tree without an end raises.
    """
    _check_table(model)
    _check_honest(model.honest_)
    fault = fault_of_views(model.consensus_, len(model.encoder_.columns_))
    _need(fault is None, str(fault))
    probe = probe_rows(model.encoder_.columns_)
    each = model.consensus_.each(probe)
    _need(np.isfinite(each).all(), "the opinion of a view on an empty row is not finite")
    if hasattr(model, "network_"):
        check_model(model.network_)
    return model.decision_of_encoded(probe)


def _check_honest(honest: Any) -> None:
    _need(
        isinstance(honest, HonestScores),
        f"its honest_ should be HonestScores, but is {_told(honest)}",
    )
    for name in ("labeled", "unlabeled"):
        scores = _numbers(getattr(honest, name), 1, f"the honest scores of {name} rows")
        _need(len(scores), f"it should have honest scores of {name} rows, and has none")
        _number(getattr(honest, f"n_{name}"), f"the number of {name} rows")
    draws = _numbers(honest.draws, 2, "the resampled shares of positives")
    _need(draws.size, "it should have resampled shares of positives, and has none")
    for number in (honest.estimate, *honest.interval):
        _number(number, "the share of positives and each end of its interval")


def _probe_states(model) -> np.ndarray:
    """Check recipe, members and history; return the decision on nothing."""
    recipe = model.recipe or model._recipe_type()
    _need(
        isinstance(recipe, model._recipe_type),
        f"its recipe should be a {model._recipe_type.__name__}, but is {_told(recipe)}",
    )
    check_parameters(recipe)
    _check_members(model)
    probe = _probe_images(model) if hasattr(model, "book_") else _probe_table(model)
    _check_history(model)
    return probe


def _probe_table(model) -> np.ndarray:
    """Check everything about columns and sites; return the decision on a few rows."""
    _check_table(model)
    _check_cores(model)
    return model.decision_of_encoded(probe_rows(model.encoder_.columns_))


def _probe_images(model) -> np.ndarray:
    """Check everything about patches; return the decision on an image without pixels."""
    shape, book = model.image_shape_, model.book_
    _need(
        isinstance(shape, tuple) and len(shape) in (2, 3),
        f"its image_shape_ should be (height, width) or (height, width, channels), but is "
        f"{str(shape)[:60]}",
    )
    _need(
        all(isinstance(n, Integral) and 0 < int(n) < 2**15 for n in shape),
        f"each number of its image_shape_ should be from 1 to 32767, but it is {shape}",
    )
    _need(
        math.prod(map(int, shape)) <= MOST_PIXELS,
        f"an image should have at most {MOST_PIXELS} numbers, but its image_shape_ is {shape}",
    )
    low, high = (_number(end, "each end of its value_range_") for end in model.value_range_)
    _need(low <= high, f"its value_range_ should begin with the smaller number, not {low}, {high}")
    _need(isinstance(book, PatchBook), f"its book_ should be a PatchBook, but is {_told(book)}")
    _need(
        book.side == model.patch_size,
        f"the edge of its patches should be {model.patch_size} pixels, but is {_told(book.side)}",
    )
    height, width = shape[:2] if model.size is None else (model.size, model.size)
    grid = (height // book.side, width // book.side)
    _need(
        tuple(book.grid_) == grid,
        f"its patches should cover a grid of {grid}, but cover {str(book.grid_)[:60]}",
    )
    order = _whole_numbers(book.order_, "its path")
    _need(
        sorted(order.tolist()) == [*range(grid[0] * grid[1])],
        f"its path should visit each of {grid[0] * grid[1]} patches once",
    )
    n_pixels = book.side**2 * (shape[2] if len(shape) == 3 else 1)
    n_functions = n_pixels if model.patch_size == 1 else model.feature_dim - 1
    mean = _numbers(book.mean_, 1, "the mean patch")
    _need(len(mean) == n_pixels, f"the mean patch should have {n_pixels} numbers, not {len(mean)}")
    functions = _numbers(book.components_, 2, "the functions of patches")
    _need(
        functions.shape == (n_functions, n_pixels),
        f"the functions of patches should have shape {(n_functions, n_pixels)}, but have "
        f"{functions.shape}",
    )
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
        _need(
            limits.shape == (2, n_functions),
            f"the range of coefficients should have shape {(2, n_functions)}, but has "
            f"{limits.shape}",
        )
    dark = model.decision_function(np.full((1, *shape), low))
    _need(np.isfinite(dark).all(), "its decision on a dark image is not finite")
    return model.decision_function(np.full((1, *shape), np.nan))


def _check_table(model) -> None:
    encoder, form, n_columns = model.encoder_, model.form_, model.n_features_in_
    _need(
        isinstance(encoder, TableEncoder),
        f"its encoder_ should be a TableEncoder, but is {_told(encoder)}",
    )
    _need(isinstance(form, TableForm), f"its form_ should be a TableForm, but is {_told(form)}")
    _need(
        isinstance(n_columns, Integral) and int(n_columns) > 0,
        f"its n_features_in_ should be a positive whole number, but is {_told(n_columns)}",
    )
    _need(
        encoder.n_features_in_ == n_columns,
        f"its encoder should have {n_columns} columns, but has {_told(encoder.n_features_in_)}",
    )
    _need(
        form.library in LIBRARIES,
        f"its table library should be one of {', '.join(LIBRARIES)}, but is {_told(form.library)}",
    )
    _need(
        isinstance(form.columns, list)
        and len(form.columns) == n_columns
        and all(isinstance(column, ColumnForm) for column in form.columns),
        f"its form_ should describe {n_columns} columns, and does not",
    )
    _need(isinstance(encoder.columns_, list) and encoder.columns_, "it has no columns")
    constants = encoder.constant_columns_
    _need(
        isinstance(constants, list),
        f"its constant columns should be a list, but are {_told(constants)}",
    )
    every = [*encoder.columns_, *constants]
    left_out = encoder.left_out_
    _need(
        isinstance(left_out, list) and all(isinstance(c, LeftOutColumn) for c in left_out),
        f"the columns it leaves out should be a list, but are {_told(left_out)}",
    )
    places = {(column.index, getattr(column, "part", "")) for column in every}
    places |= {(column.index, "") for column in left_out}
    _need(
        {index for index, _ in places} == {*range(n_columns)}
        and len(places) == len(every) + len(left_out),
        f"each of its {n_columns} columns should be there once, and some are not",
    )
    told = [column.name for column in form.columns]
    _need(
        encoder.names_ == (None if form.library == "numpy" else told),
        "the names of its encoder should be those of its columns, and differ",
    )
    for position, column in enumerate(every):
        constant = position >= len(encoder.columns_)
        if isinstance(column, NumericColumn):
            _check_numeric(column, constant)
        else:
            _need(
                isinstance(column, CategoricalColumn),
                f"a column should hold numbers or categories, but is {_told(column)}",
            )
            _check_categories(column, form.columns[column.index], constant)
    summary = getattr(model, "training_summary_", None)  # none in files up to format 1
    fault = summary and summary.fault(len(encoder.columns_))
    _need(not fault, str(fault))
    names = getattr(model, "feature_names_in_", None)
    if names is not None:
        _need(
            isinstance(names, np.ndarray) and names.tolist() == told,
            "its feature_names_in_ should be the names of its columns, and differ",
        )


def _check_numeric(column: NumericColumn, constant: bool) -> None:
    name = f"column {column.name!r}"
    _need(
        column.decimal in ("", ".", ",")
        and column.part in ("", *PARTS)
        and column.form in FORMATS,
        f"how {name} is written is not known: {_told((column.decimal, column.part, column.form))}",
    )
    _need(
        isinstance(column.blanks, tuple) and all(isinstance(word, str) for word in column.blanks),
        f"the words for missing in {name} should be texts, but are {_told(column.blanks)}",
    )
    knots = _numbers(column.knots, 1, f"the knots of {name}")
    positions = _numbers(column.positions, 1, f"the positions of {name}")
    _need(
        len(knots) == len(positions),
        f"{name} has {len(knots)} knots and {len(positions)} positions, which should be as many",
    )
    if not constant:
        _need(
            len(knots) > 1 and (np.diff(knots) > 0).all(),
            f"the knots of {name} should be two or more numbers that increase",
        )
        _need((np.diff(positions) >= 0).all(), f"the positions of {name} should not decrease")
        ends = positions[[0, -1]]
        _need(
            (ends >= 0).all() and (ends <= 1).all(),
            f"the positions of {name} should lie between 0 and 1, but reach from {ends[0]} to "
            f"{ends[1]}",
        )


def _check_categories(column: CategoricalColumn, form: ColumnForm, constant: bool) -> None:
    name, known = f"column {column.name!r}", column.categories
    _need(
        isinstance(known, np.ndarray) and known.ndim == 1 and known.dtype.kind in "fUO",
        f"the categories of {name} should be a list of numbers or texts, but are {_told(known)}",
    )
    _need(constant or len(known) > 1, f"{name} should have two or more categories")
    _need(
        isinstance(column.n_groups, Integral) and 0 <= column.n_groups <= len(known),
        f"{name} should have up to {len(known)} groups, but has {_told(column.n_groups)}",
    )
    frequencies = _numbers(column.frequencies, 1, f"the frequencies of {name}")
    _need(
        len(frequencies) == len(known) and (frequencies > 0).all(),
        f"{name} should have {len(known)} frequencies above zero, and has not",
    )
    _need(
        isinstance(form.labels, list) and len(form.labels) == len(known),
        f"{name} should have one label for each of its {len(known)} categories, and has not",
    )


def _check_decision(model) -> None:
    classes = model.classes_
    _need(
        isinstance(classes, np.ndarray) and classes.shape == (2,),
        f"its classes_ should be two values, but are {_told(classes)}",
    )
    _need(classes[0] != classes[1], "its two classes_ should differ, but are equal")
    report = model.threshold_report_
    _need(
        isinstance(report, ThresholdReport),
        f"its threshold_report_ should be a ThresholdReport, but is {_told(report)}",
    )
    for name in NUMBERS_OF_REPORT:
        _number(getattr(report, name), f"the {name} of its threshold_report_")
    for name in ("recall", "precision", "f1_pos", "f1_neg", "accuracy"):
        _real(getattr(report, name), f"the {name} of its threshold_report_")
    _need(
        isinstance(report.n_labeled, Integral),
        f"its number of held-out labels should be whole, but is {_told(report.n_labeled)}",
    )
    for name in ("rule", "reason"):
        text = getattr(report, name)
        _need(isinstance(text, str), f"the {name} of its threshold should be text: {_told(text)}")
    _need(
        len(report.prior_interval) == 2,
        f"the interval of its prior should have two ends, not {len(report.prior_interval)}",
    )
    for end in report.prior_interval:
        _number(end, "each end of the interval of its prior")
    slope = _number(model.slope_, "its slope_")
    _need(slope > 0, f"its slope_ should be above zero, but is {slope}")
    _number(model.prior_, "its prior_")


def _check_members(model) -> None:
    n_members = len(_whole_numbers(model.members_, "its members_"))
    scales = _numbers(model.member_scales_, 1, "its member_scales_")
    _need(
        len(scales) == n_members > 0 and (scales > 0).all(),
        f"its member_scales_ should be {n_members} numbers above zero, one per member",
    )


def _check_cores(model) -> None:
    n_members = len(model.members_)
    order = _whole_numbers(model.site_order_, "its site_order_")
    n_columns = len(model.encoder_.columns_)
    _need(
        sorted(order.tolist()) == [*range(n_columns)],
        f"its site_order_ should name each of {n_columns} columns once",
    )
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
    _need(
        isinstance(cores, list) and len(cores) == len(wanted),
        f"a chain should be a list of {len(wanted)} cores, but is {_told(cores)}"
        + (f" of {len(cores)}" if isinstance(cores, list) else ""),
    )
    bonds = [1, *[core.shape[-1] for core in cores[:-1] if isinstance(core, np.ndarray)], 1]
    if max(bonds) != max(size[3] for size in wanted):  # compressed ones: no bond is wider
        bonds = [1, *[size[3] for size in wanted]]
    for site, (core, (feature, _, output, most)) in enumerate(zip(cores, wanted, strict=True)):
        _numbers(core, 5, f"core {site}")
        size = (n_chains, feature, bonds[site], output, min(bonds[site + 1], most))
        _need(core.shape == size, f"core {site} should have shape {size}, but has {core.shape}")
    fault = fault_of(cores)
    _need(fault is None, str(fault))


def _check_history(model) -> None:
    _need(isinstance(model.history_, dict) and model.history_, "its history_ is empty")
    sizes = {curve.shape for curve in model.history_.values()}
    _need(len(sizes) == 1, "the curves of its history_ should have one shape, but differ")
    (size,) = sizes
    _need(
        len(size) == 2,
        f"the curves of its history_ should be (epochs, members), but have shape {size}",
    )
    first, last = model.members_.min(), model.members_.max()
    _need(
        0 <= first and last < size[1],
        f"its members_ should be among the {size[1]} that were trained, but reach from {first} to "
        f"{last}",
    )
    for name in ("agreement_", "kappa_"):
        _real(getattr(model, name), f"its {name}")
