"""What the views of several classes that were read from a file must be before rows are scored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pulps.io.value_checks import count, need, number, numbers, told
from pulps.tables.columns import Column
from pulps.views.checks import check_finite, check_forest, check_form, check_shape
from pulps.views.classes.consensus import ClassConsensus
from pulps.views.classes.models import (
    KernelClasses,
    LinearClasses,
    NeighborClasses,
    TreeClasses,
)


def check_class_consensus(consensus: Any, columns: Sequence[Column], n_classes: int) -> None:
    """Raise if the views of a consensus cannot tell the chances of any row.

    Parameters
    ----------
    consensus
        From a file.
    columns
        What the encoded columns are.
    n_classes
        Number of classes that it should tell apart.
    """
    need(
        isinstance(consensus, ClassConsensus),
        f"it should have a consensus of classes, but has {told(consensus)}",
    )
    check_finite(consensus)
    width = check_form(consensus.form, columns)
    need(isinstance(consensus.opinions, list) and consensus.opinions, "its consensus has no views")
    for opinion in consensus.opinions:
        check = CHECKS.get(type(opinion.model))
        need(check is not None, f"one of its views is {told(opinion.model)}, which scores nothing")
        if check is not None:
            check(opinion.model, width, n_classes)
        need(number(opinion.weight, "the weight of a view") >= 0, "a view weighs less than zero")
        number(opinion.temperature, "the temperature of a view")
    number(consensus.temperature, "the temperature of its consensus")
    check_shape(consensus.offsets, (n_classes,), "the offsets of its consensus")


def _check_linear(model: LinearClasses, width: int, n_classes: int) -> None:
    need(isinstance(model, LinearClasses), f"a view should be linear, but is {told(model)}")
    check_shape(model.slopes, (width, n_classes), "the slopes of a view")
    check_shape(model.intercepts, (n_classes,), "the intercepts of a view")


def _check_kernel(model: KernelClasses, width: int, n_classes: int) -> None:
    number(model.gamma, "the sharpness of a kernel")
    n_centers = len(numbers(model.centers, 2, "the centers of a kernel"))
    check_shape(model.centers, (n_centers, width), "the centers of a kernel")
    check_shape(model.stretch, (width,), "the stretch of a kernel")
    _check_linear(model.linear, n_centers, n_classes)


def _check_trees(model: TreeClasses, width: int, n_classes: int) -> None:
    n_leaves = len(numbers(model.shares, 2, "the shares of its leaves"))
    check_shape(model.shares, (n_leaves, n_classes), "the shares of its leaves")
    check_forest(model.forest, width, n_leaves)


def _check_neighbors(model: NeighborClasses, width: int, n_classes: int) -> None:
    n_points = len(numbers(model.points, 2, "the points of its neighbors"))
    check_shape(model.points, (n_points, width), "the points of its neighbors")
    check_shape(model.shares, (n_points, n_classes), "the shares of its neighbors")
    check_shape(model.stretch, (width,), "the stretch of its neighbors")
    n_neighbors = count(model.n_neighbors, "the number of neighbors")
    need(0 < n_neighbors <= n_points, f"{n_neighbors} neighbors cannot be among {n_points}")


CHECKS: dict[type[Any], Callable[[Any, int, int], None]] = {
    KernelClasses: _check_kernel,
    LinearClasses: _check_linear,
    NeighborClasses: _check_neighbors,
    TreeClasses: _check_trees,
}
