"""What the views of a consensus that was read from a file must be before rows are scored.

A few rows are scored when a file is read, but they do not come to every leaf of a tree. So every
index and every shape is checked against what it points to.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from pulps.io.value_checks import count, need, number, numbers, told
from pulps.tables.columns import CategoricalColumn, Column
from pulps.tables.matrix import MatrixForm, column_widths
from pulps.views.forest import CodesForest, Forest, MatrixForest
from pulps.views.given_model import GivenModel
from pulps.views.kernel_model import KernelModel
from pulps.views.opinions import Consensus
from pulps.views.perceptrons import Perceptrons
from pulps.views.scale import NormalScale

MAY_BE_INFINITE = {"cut"}  # of a tree: every row goes the same way
N_LAYERS = 3  # of a perceptron


def check_consensus(consensus: Any, columns: Sequence[Column]) -> None:
    """Raise if the views of a consensus cannot score any row.

    Parameters
    ----------
    consensus
        From a file.
    columns
        What the encoded columns are.
    """
    need(isinstance(consensus, Consensus), f"its consensus should not be {told(consensus)}")
    check_finite(consensus)
    width = check_form(consensus.form, columns)
    need(isinstance(consensus.opinions, list) and consensus.opinions, "its consensus has no views")
    for opinion in consensus.opinions:
        check = CHECKS.get(type(opinion.model))
        need(check is not None, f"one of its views is {told(opinion.model)}, which scores nothing")
        if check is not None:
            check(opinion.model, len(columns), width)
        _check_scale(opinion.scale)
        number(opinion.weight, "the weight of a view")
    number(consensus.mean, "the mean of its consensus")
    deviation = number(consensus.deviation, "the deviation of its consensus")
    need(deviation > 0, "the deviation of its consensus should be above zero, and is not")
    gaps = numbers(consensus.gaps, 2, "the gaps of its scores")
    need(gaps.shape[1] == 3, f"the gaps of its scores should have 3 numbers, not {gaps.shape[1]}")


def check_finite(views: Any) -> None:
    """Raise if an array of a view holds what is no number.

    Parameters
    ----------
    views
        A consensus, from a file.
    """
    rest: list[tuple[str, Any]] = [("consensus", views)]
    while rest:
        name, one = rest.pop()
        if isinstance(one, np.ndarray) and one.dtype.kind == "f":
            wrong = np.isnan(one) if name in MAY_BE_INFINITE else ~np.isfinite(one)
            need(not wrong.any(), f"the {name} of a view should be numbers, but some are not")
        if dataclasses.is_dataclass(one) and not isinstance(one, type):
            rest += [(field.name, getattr(one, field.name)) for field in dataclasses.fields(one)]
        elif isinstance(one, list | tuple):
            rest += [(name, part) for part in one]


def check_form(form: Any, columns: Sequence[Column]) -> int:
    """Raise if a matrix of other columns than those of the table is made; return its width.

    Parameters
    ----------
    form
        How encoded rows become a matrix, from a file.
    columns
        What the encoded columns are.

    Returns
    -------
    int
        Number of columns of the matrix.
    """
    need(isinstance(form, MatrixForm), f"its views should read a matrix, but read {told(form)}")
    same = isinstance(form.columns, list) and list(map(type, form.columns)) == list(
        map(type, columns)
    )
    widths = column_widths(columns)
    need(
        same and column_widths(form.columns) == widths,
        "its views should read the columns of its encoder, but read others",
    )
    for name in ("means", "deviations"):
        check_shape(getattr(form, name), (len(columns),), f"the {name} of its columns")
    holes = form.with_missing
    need(
        isinstance(holes, np.ndarray) and holes.dtype == bool and holes.shape == (len(columns),),
        f"the with_missing of its columns should be {len(columns)} truth values",
    )
    return sum(widths) + int(holes.sum())


def check_shape(value: Any, shape: tuple[int, ...], what: str) -> None:
    """Raise unless a value is an array of finite floats of a shape.

    Parameters
    ----------
    value
        From a file.
    shape
        What it should have.
    what
        What it is called.
    """
    array = numbers(value, len(shape), what)
    need(array.shape == shape, f"{what} should have shape {shape}, but have {array.shape}")


def check_forest(forest: Any, n_columns: int, n_answers: int | None = None) -> None:
    """Raise if a row could leave the trees, or walk in them without an end.

    Parameters
    ----------
    forest
        From a file.
    n_columns
        Number of columns that the trees may look at.
    n_answers
        If the answers of the leaves are positions, of how many.
    """
    need(isinstance(forest, Forest), f"its trees should be a forest, but are {told(forest)}")
    n_nodes = len(numbers(forest.value, 1, "the answers of its trees"))
    for name, kinds in (("feature", "iu"), ("left", "iu"), ("right", "iu"), ("cut", "f")):
        nodes = getattr(forest, name)
        need(
            isinstance(nodes, np.ndarray)
            and nodes.dtype.kind in kinds
            and nodes.shape == (n_nodes,),
            f"the {name} of its trees should be a number for each of {n_nodes} nodes, but is "
            f"{told(nodes)}",
        )
    holes = forest.missing_left
    need(
        isinstance(holes, np.ndarray) and holes.dtype == bool and holes.shape == (n_nodes,),
        f"the missing_left of its trees should be {n_nodes} truth values, but is {told(holes)}",
    )
    n_trees = count(forest.n_trees, "the number of its trees")
    need(0 < n_trees <= n_nodes, f"{n_nodes} nodes cannot be {n_trees} trees")
    count(forest.depth, "the depth of its trees")
    _check_places(forest.feature, n_columns, "columns its trees look at")
    for name in ("left", "right"):
        _check_places(getattr(forest, name), n_nodes, "children in its trees")
    if n_answers is not None:
        need((forest.value == np.floor(forest.value)).all(), "its leaves should name answers")
        _check_places(forest.value, n_answers, "answers its leaves name")
    _check_walks(forest, n_nodes)


def _check_places(places: np.ndarray, n: int, what: str) -> None:
    need(
        (places >= 0).all() and (places < n).all(),
        f"the {what} should be among {n}, and some are not",
    )


def _check_walks(forest: Forest, n_nodes: int) -> None:
    """Raise unless every way from a root ends in a leaf, at a node of its own, in time."""
    here, n_seen = np.arange(forest.n_trees), forest.n_trees
    for _ in range(forest.depth):
        here = here[forest.left[here] != forest.right[here]]
        if not len(here):
            break
        here = np.concatenate([forest.left[here], forest.right[here]]).astype(np.intp)
        n_seen += len(here)
        need(n_seen <= n_nodes, "its trees should branch, but ways in them meet again")
    need(
        (forest.left[here] == forest.right[here]).all(),
        f"its trees should end after {forest.depth} steps, and do not",
    )


def _check_scale(scale: Any) -> None:
    need(isinstance(scale, NormalScale), f"the scale of a view is {told(scale)}")
    knots, ranks = (
        numbers(getattr(scale, name), 1, f"the {name} of a scale") for name in ("knots", "ranks")
    )
    need(
        0 < len(knots) == len(ranks) and (np.diff(knots) > 0).all(),
        "the knots of a scale should increase, each with its rank, and do not",
    )
    edge = number(scale.edge, "the edge of a scale")
    need(0 < edge < 1, "the edge of a scale should lie between 0 and 1, and does not")


def _check_kernel(model: Any, _: int, width: int) -> None:
    number(model.gamma, "the sharpness of a kernel")
    n_folds = len(numbers(model.intercepts, 1, "the intercepts of a kernel"))
    parts = (model.stretch, model.centers, model.coefficients)
    need(
        n_folds > 0 and all(isinstance(part, list) and len(part) == n_folds for part in parts),
        f"a kernel should have arrays for each of {n_folds} folds, and has not",
    )
    for stretch, centers, coefficients in zip(*parts, strict=True):
        n_centers = len(numbers(coefficients, 1, "the coefficients of a kernel"))
        check_shape(stretch, (width,), "the stretch of a kernel")
        check_shape(centers, (n_centers, width), "the centers of a kernel")


def _check_perceptrons(model: Any, _: int, width: int) -> None:
    parts = (model.weights, model.offsets)
    need(
        all(isinstance(part, list) and len(part) == N_LAYERS for part in parts),
        f"perceptrons should have {N_LAYERS} layers, and have not",
    )
    n_folds, n_in = len(numbers(model.weights[0], 3, "the weights of perceptrons")), width
    need(n_folds > 0, "perceptrons should be of one fold or more, and are of none")
    for weights, offsets in zip(*parts, strict=True):
        n_out = numbers(weights, 3, "the weights of perceptrons").shape[2]
        check_shape(weights, (n_folds, n_in, n_out), "the weights of perceptrons")
        check_shape(offsets, (n_folds, 1, n_out), "the offsets of perceptrons")
        n_in = n_out
    need(n_in == 1, f"perceptrons should have one answer, but have {n_in}")


def _check_matrix_forest(model: MatrixForest, _: int, width: int) -> None:
    check_forest(model.forest, width)


def _check_codes_forest(model: CodesForest, n_codes: int, _: int) -> None:
    check_forest(model.forest, n_codes)
    number(model.start, "the start of its trees")
    need(count(model.n_folds, "the folds of its trees") > 0, "its trees are of no fold")


def _check_given(model: Any, *_: int) -> None:
    need(model.reads in ("matrix", "codes"), f"a view reads {told(model.reads)}")
    need(isinstance(model.models, list) and model.models, "a view has no classifiers")


CHECKS: dict[type[Any], Callable[[Any, int, int], None]] = {
    CodesForest: _check_codes_forest,
    GivenModel: _check_given,
    KernelModel: _check_kernel,
    MatrixForest: _check_matrix_forest,
    Perceptrons: _check_perceptrons,
}


def probe_rows(columns: Sequence[Column]) -> np.ndarray:
    """Make encoded rows that reach from one end of every column to the other.

    Parameters
    ----------
    columns
        What the columns are.

    Returns
    -------
    array of shape (4, columns)
        An empty row, the first and the last value of all columns, and one between.
    """
    words = np.array([isinstance(column, CategoricalColumn) for column in columns])
    last = np.array(
        [len(c.categories) - 1 if isinstance(c, CategoricalColumn) else 1.0 for c in columns]
    )
    between = np.where(words, last // 2, 0.5)
    return np.stack([np.full(len(last), np.nan), 0 * last, last, between])
