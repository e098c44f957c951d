"""What a model of several classes read from a file must be before it is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from pulps.decision.classes import ClassScale
from pulps.estimators.classes.image_guess import OF_NAMES, NeighborImages
from pulps.estimators.classes.table_guess import OpenConsensus
from pulps.estimators.files.core_checks import check_chain
from pulps.estimators.files.image_checks import check_images
from pulps.estimators.files.model_checks import check_table
from pulps.io._sklearn import check_parameters
from pulps.io.model_file import DamagedModelError
from pulps.io.value_checks import (
    need,
    number,
    numbers,
    told,
    whole_numbers,
)
from pulps.tables.columns import Column
from pulps.views.checks import check_consensus, probe_rows
from pulps.views.classes.checks import check_class_consensus
from pulps.views.classes.consensus import ClassConsensus


def check_class_model(model: Any) -> None:
    """Raise if the parts of a fitted model of several classes do not fit together.

    Parameters
    ----------
    model
        Read from a file.
    """
    try:
        check_parameters(model)
        answers = _probe_images(model) if hasattr(model, "book_") else _probe_table(model)
        for chances in answers:
            need(
                chances.shape[1:] == (len(model.classes_),) and np.isfinite(chances).all(),
                "its probabilities of an empty row, or of one of ends, are not finite",
            )
    except DamagedModelError:
        raise
    except (MemoryError, RecursionError):
        raise
    except Exception as error:
        raise DamagedModelError(f"{type(error).__name__}: {error}") from None


def _probe_table(model: Any) -> list[np.ndarray]:
    """Check columns, states and views; return probabilities of a few rows."""
    check_table(model)
    _check_classes(model, (ClassConsensus, OpenConsensus))
    _check_states(model)
    _check_teacher(model.teacher_, model.encoder_.columns_, len(model.classes_))
    probe = probe_rows(model.encoder_.columns_)
    by_states = model.probabilities_of_norms(model.log_norms(probe))
    answers = [model.probabilities_of_encoded(probe), by_states]
    if model.teacher_ is not None:
        answers.append(model.teacher_.probabilities(probe))
    return answers


def _check_teacher(teacher: Any, columns: Sequence[Column], n_classes: int) -> None:
    """Check the views, if there are any, and those that tell whether a row is like any labeled."""
    if isinstance(teacher, OpenConsensus):
        check_consensus(teacher.like_labeled, columns)
        number(teacher.cut, "where its views cut")
        number(teacher.slope, "how sure its views are")
        check_class_consensus(teacher.classes, columns, n_classes - 1)
    elif teacher is not None:
        check_class_consensus(teacher, columns, n_classes)


def _probe_images(model: Any) -> list[np.ndarray]:
    """Check patches, states and neighbors; return probabilities of a dark and of no image."""
    _check_classes(model, (NeighborImages,))
    for name in ("cores_", *(["density_cores_"] if model.density is not None else [])):
        states = getattr(model, name)
        need(
            isinstance(states, list) and len(states) == len(model.classes_),
            f"it should have the cores of {len(model.classes_)} classes, and has not",
        )
    _check_members(model)
    check_images(model, model.cores_, lambda: model.density_cores_)
    if model.teacher_ is not None:
        _check_neighbors(model.teacher_, len(model.classes_))
    shape = model.image_shape_
    ends = np.stack([np.full(shape, model.value_range_[0]), np.full(shape, np.nan)])
    return [model.predict_proba(ends)]


def _check_neighbors(teacher: NeighborImages, n_classes: int) -> None:
    """Images that others are compared with: all arrays fit together."""
    need(
        isinstance(teacher.kind, str) and teacher.kind in OF_NAMES,
        f"its images are compared by {told(teacher.kind)}, which is not known here",
    )
    points = numbers(teacher.points, 2, "the points of its images")
    chances = numbers(teacher.chances, 2, "the chances of its images")
    directions = numbers(teacher.directions, 2, "the directions of its points")
    mean = numbers(teacher.mean, 1, "the mean of its points")
    need(
        chances.shape == (len(points), n_classes) and (chances >= 0).all(),
        f"it should have {n_classes} chances for each of {len(points)} images",
    )
    need(
        directions.shape == (points.shape[1], len(mean)),
        f"its directions should have shape {(points.shape[1], len(mean))}, but have "
        f"{directions.shape}",
    )
    n_neighbors = number(teacher.n_neighbors, "its number of neighbors")
    need(1 <= n_neighbors <= len(points), "its number of neighbors is more than it has images")


def _check_classes(model: Any, teachers: tuple[type, ...]) -> None:
    classes = model.classes_
    need(
        isinstance(classes, np.ndarray) and classes.ndim == 1 and len(classes) > 1,
        f"its classes_ should be two values or more, but are {told(classes)}",
    )
    need(len(set(classes.tolist())) == len(classes), "its classes_ should differ, and do not")
    shares = numbers(model.class_share_table_, 2, "its class shares")
    need(
        shares.shape == (len(classes), 3) and (shares >= 0).all() and (shares <= 1).all(),
        f"its class shares should be {len(classes)} times three numbers from 0 to 1",
    )
    held_out = numbers(model.held_out_table_, 2, "its held-out labels")
    need(
        held_out.shape == (len(classes), len(classes)) and (held_out >= 0).all(),
        f"its held-out labels should be {len(classes)} times as many counts",
    )
    scale = model.class_scale_
    need(
        isinstance(scale, ClassScale),
        f"its class_scale_ should be a ClassScale, but is {told(scale)}",
    )
    need(number(scale.slope, "its slope") > 0, "its slope should be above zero, and is not")
    offsets = numbers(scale.offsets, 1, "its offsets")
    need(len(offsets) == len(classes), f"it should have {len(classes)} offsets, one per class")
    need(
        model.teacher_ is None or isinstance(model.teacher_, teachers),
        f"its teacher_ should be a consensus, but is {told(model.teacher_)}",
    )
    need(
        isinstance(model.transduction_, np.ndarray) and model.transduction_.ndim == 1,
        f"its transduction_ should be a list, but is {told(model.transduction_)}",
    )


def _check_members(model: Any) -> int:
    """Check the scales of the members, and count these."""
    n_members = len(whole_numbers(model.members_, "its members_"))
    scales = numbers(model.member_scales_, 1, "its member_scales_")
    need(
        len(scales) == n_members > 0 and (scales > 0).all(),
        f"its member_scales_ should be {n_members} numbers above zero, one per member",
    )
    return n_members


def _check_states(model: Any) -> None:
    n_members, n_classes = _check_members(model), len(model.classes_)
    order = whole_numbers(model.site_order_, "its site_order_")
    n_columns = len(model.encoder_.columns_)
    need(
        sorted(order.tolist()) == [*range(n_columns)],
        f"its site_order_ should name each of {n_columns} columns once",
    )
    recipe = model.recipe or model._recipe_type()
    shape = model.embedding.shape(model.bond_dim, model.spacing, recipe.output_dim)
    parts = [(model.cores_, shape, n_members)]
    if model.density is not None:
        size = model.density
        shape = model.density_embedding.shape(size.bond_dim, size.spacing, size.output_dim)
        parts.append((model.density_cores_, shape, size.n_members))
    for states, wanted, n_chains in parts:
        need(
            isinstance(states, list) and len(states) == n_classes,
            f"it should have the cores of {n_classes} classes, and has not",
        )
        for cores in states:
            check_chain(cores, wanted, n_chains)
