"""What a model of images read from a file must be before it is used."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

from pulps.estimators.files.core_checks import MOST_PIXELS, check_chain
from pulps.images import PatchBook
from pulps.io.value_checks import need, number, numbers, told, whole_numbers
from pulps.network.lps import ChainShape


def check_images(
    model: Any, states: Sequence[Any], densities: Callable[[], Sequence[Any]]
) -> None:
    """Raise if patches and chains of a model of images do not fit together.

    Parameters
    ----------
    model
        Read from a file.
    states
        Its cores, class by class.
    densities
        Called for the cores that generate, if the model says that it has some.
    """
    shape, book = model.image_shape_, model.book_
    need(
        isinstance(shape, tuple) and len(shape) in (2, 3),
        f"its image_shape_ should be (height, width) or (height, width, channels), but is "
        f"{str(shape)[:60]}",
    )
    need(
        all(isinstance(n, Integral) and 0 < int(n) < 2**15 for n in shape),
        f"each number of its image_shape_ should be from 1 to 32767, but it is {shape}",
    )
    need(
        math.prod(map(int, shape)) <= MOST_PIXELS,
        f"an image should have at most {MOST_PIXELS} numbers, but its image_shape_ is {shape}",
    )
    low, high = (number(end, "each end of its value_range_") for end in model.value_range_)
    need(low <= high, f"its value_range_ should begin with the smaller number, not {low}, {high}")
    need(isinstance(book, PatchBook), f"its book_ should be a PatchBook, but is {told(book)}")
    need(
        book.side == model.patch_size,
        f"the edge of its patches should be {model.patch_size} pixels, but is {told(book.side)}",
    )
    height, width = shape[:2] if model.size is None else (model.size, model.size)
    grid = (height // book.side, width // book.side)
    need(
        tuple(book.grid_) == grid,
        f"its patches should cover a grid of {grid}, but cover {str(book.grid_)[:60]}",
    )
    order = whole_numbers(book.order_, "its path")
    need(
        sorted(order.tolist()) == [*range(grid[0] * grid[1])],
        f"its path should visit each of {grid[0] * grid[1]} patches once",
    )
    n_pixels = book.side**2 * (shape[2] if len(shape) == 3 else 1)
    n_functions = n_pixels if model.patch_size == 1 else model.feature_dim - 1
    mean = numbers(book.mean_, 1, "the mean patch")
    need(len(mean) == n_pixels, f"the mean patch should have {n_pixels} numbers, not {len(mean)}")
    functions = numbers(book.components_, 2, "the functions of patches")
    need(
        functions.shape == (n_functions, n_pixels),
        f"the functions of patches should have shape {(n_functions, n_pixels)}, but have "
        f"{functions.shape}",
    )
    embedding = model.embedding
    recipe = model.recipe or model._recipe_type()
    chain = embedding.shape(model.bond_dim, model.spacing, recipe.output_dim)
    for cores in states:
        check_chain(cores, chain, len(model.members_))
    if model.density is None:
        return
    size, typical = model.density, numbers(model.typical_patches_, 2, "the typical patches")
    sites = size.book(embedding.reader, model.path).order_
    n_pixels = math.prod(embedding.reader.small_shape) // len(sites)
    need(
        1 <= len(typical) <= size.feature_dim and typical.shape[1] == n_pixels,
        f"the typical patches should be {size.feature_dim} at most, of {n_pixels} numbers, but "
        f"their shape is {typical.shape}",
    )
    codes = (len(typical),) * len(sites)
    chain = ChainShape(codes, size.bond_dim, size.spacing, size.output_dim)
    for cores in densities():
        check_chain(cores, chain, size.n_members)
