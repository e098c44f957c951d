r"""Factors instead of environments: what both ends of a chain carry while that is less.

An environment is a sum over the values of all output legs passed so far, one outer product a
combination of them:

.. math:: E = F F^T, \qquad F = (f_1 \dots f_r), \quad f_j \in R^D.

No leg has been passed at the start, so the rank r is 1; a site with k outputs multiplies it by
k; and the sites in between leave it. With a leg of dimension 2 at every fourth site it is 1, 2
or 4 for the first twelve sites, where an environment has :math:`D \times D` entries from the
first site on. So the factor is carried, from the left end and, by the same argument, from the
right end R, the side of lower rank first:

.. math:: F' = X_k^T F, \qquad R' = X_k R \qquad (\text{side by side for all outputs } k),

where :math:`X_k` is the site's matrix for the row. Where they meet,

.. math:: \|P\Phi(x)\|^2 = \|F^T R\|^2.

Nothing is squared before that, so a row of small norm, which is a sum of large numbers that
cancel, keeps twice as many digits as with an environment. Once the rank is above the bond
dimension, or at a site that some row misses, which would multiply the rank by d, the left factor
is turned into the environment :math:`F F^T`. That walks on (:mod:`pulps.network.engine.blocks`)
to the right factor, and :math:`\|P\Phi(x)\|^2 = \sum_j R_j^T E R_j`. So rows are sorted by where
they miss something (:mod:`pulps.network.engine.rows`), and those that miss nothing come together.

A traced site could be passed in factor form too, d columns for each one, which at the first such
site would take r / D of the multiplications. It is not done: rows of one group would carry factors
of unlike rank. Rows that miss a site are packed together instead, and meet its core as one.

Going back, with :math:`\bar F` the derivative by a factor,

.. math:: \bar F = \sum_k X_k \bar F'_k, \qquad \bar X_k = F \bar F'^T_k,

and at the end :math:`\bar F = R\,(F^T R)^T` and :math:`\bar R = F (F^T R)`, both over the squared
norm.

Here F is a matrix j × l and R a matrix l × j, with the site :math:`X` seen as l × (k r) for F
and as (l k) × r for R: neither needs more than one product a site and a change of shape. The
native kernel does the same with one vector of rows a number.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from pulps.network.engine.layouts import Layout, RowsLast, layout_of_factors

# Axes: l left bond · r right bond · k output · j column of a factor.

RESCALE_EVERY = 8


def ends(
    shapes: Sequence[tuple[int, ...]], missed: Callable[[int], bool] = lambda site: False
) -> tuple[int, int]:
    """Sites before the first and from the second number on carry factors.

    Parameters
    ----------
    shapes
        Shape (feature, left, output, right) of the core of each site.
    missed
        Whether some row misses a site.

    Returns
    -------
    low, high
        The two numbers; if they are equal, the factors meet.

    Examples
    --------
    >>> bonds = [1, *[8] * 19, 1]
    >>> shapes = [(6, bonds[i], 2 if i % 4 == 3 else 1, bonds[i + 1]) for i in range(20)]
    >>> ends(shapes)
    (12, 12)
    >>> ends(shapes, missed=lambda site: site == 5)
    (5, 8)
    """
    low, high = 0, len(shapes)
    left_rank = right_rank = 1

    def left_goes_on() -> bool:
        _, bond, output, _ = shapes[low]
        small = low == 0 or left_rank < bond
        return not missed(low) and (
            small or (left_rank == bond and left_rank * output <= 2 * bond)
        )

    def right_goes_on() -> bool:
        _, bond, output, _ = shapes[high - 1]
        most = 2 * bond if low + 1 == high else bond
        return not missed(high - 1) and right_rank * output <= most

    while low < high:
        if left_goes_on() and (left_rank <= right_rank or not right_goes_on()):
            left_rank *= shapes[low][2]
            low += 1
        elif right_goes_on():
            high -= 1
            right_rank *= shapes[high][2]
        else:
            break
    return low, high


def are_vectors(cores: Sequence[Tensor]) -> bool:
    """Tell whether factors meet, with rows last: the sweep is many short vector operations.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    bool
    """
    low, high = ends([tuple(core.shape[1:]) for core in cores])
    return low == high and layout_of_factors(cores) is RowsLast


def multiplications(shapes: Sequence[tuple[int, ...]], embedding: bool = True) -> int:
    """Count those of one row's log-norm, for cores (feature, left, output, right).

    Embedding a site takes one per number of its core, unless it is looked up; a factor one per
    column and number of the site; an environment one per bond and number, twice.

    Parameters
    ----------
    shapes
        Shape (feature, left, output, right) of the core of each site.
    embedding
        Whether sites are embedded, not looked up.

    Returns
    -------
    int
        Number of multiplications.

    Examples
    --------
    >>> shapes = [(6, 1, 1, 8), *[(6, 8, 1, 8)] * 2, (6, 8, 2, 8), *[(6, 8, 1, 8)] * 3]
    >>> multiplications([*shapes, (6, 8, 2, 1)])
    3528
    """
    low, high = ends(shapes)
    sizes = [left * output * right for _, left, output, right in shapes]
    total = sum(d * size for (d, *_), size in zip(shapes, sizes, strict=True)) if embedding else 0
    ranks = [1, 1]
    for side, sites in enumerate((range(low), range(len(shapes) - 1, high - 1, -1))):
        for site in sites:
            total += ranks[side] * sizes[site]
            ranks[side] *= shapes[site][2]
    bond = shapes[high - 1][3]
    if low == high:
        return total + ranks[0] * ranks[1] * bond
    for site in range(low, high):
        _, left, _, right = shapes[site]
        total += 2 * sizes[site] * max(left, right)
    return total + ranks[0] * shapes[low][1] ** 2 + ranks[1] * bond**2


@dataclass
class Stop:
    """A site that a factor has passed, for the way back."""

    site: int
    factor: Tensor  # before the site
    embedded: Tensor
    size: Tensor | None  # what the factor behind the site was divided by


class Side:
    """The factor of one end of the chain, and its way through some sites.

    Parameters
    ----------
    layout
        Where the row axis lies.
    sites
        Those the factor passes, in its order.
    from_left
        Which end it starts at.
    """

    def __init__(self, layout: Layout, sites: range, from_left: bool) -> None:
        self.layout, self.sites, self.from_left = layout, sites, from_left
        self.tiny = torch.finfo(layout.cores[0].dtype).tiny

    def forward(
        self, features: Sequence[Tensor], tape: list[Stop] | None, tag: Hashable
    ) -> tuple[Tensor, Tensor]:
        """Return the factor at the end, and twice the logarithm of its scale.

        Parameters
        ----------
        features
            One tensor (rows, feature) per site of the chain.
        tape
            Gets one stop per site, for the backward pass; None keeps nothing.
        tag
            Names the memory of the results, so that chunks do not share it.

        Returns
        -------
        factor, log_scale
            The factor in the layout of this side, and one number per row and chain.
        """
        layout = self.layout
        factor = layout.ones(len(features[0]))
        log_scale = factor.new_zeros(factor.numel())
        rank = 1
        for i, site in enumerate(self.sites):
            # What is not kept may be overwritten two sites on.
            where = (tag, self.from_left, site if tape is not None else i % 2)
            embedded = layout.embed(site, features[site], (*where, "embedded"))
            stop = Stop(site, factor, embedded, None)
            _, left, output, right = layout.shapes[site]
            name = (*where, "factor")
            if self.from_left:
                product = layout.multiply(factor, embedded, name)
                factor = layout.regrouped(product, rank * output, right)
            else:
                embedded = layout.regrouped(embedded, left * output, right)
                product = layout.multiply(embedded, factor, name)
                factor = layout.regrouped(product, left, output * rank)
            rank *= output
            if (i + 1) % RESCALE_EVERY == 0 or i + 1 == len(self.sites):
                stop.size = layout.size(factor).clamp_min_(self.tiny)
                log_scale.add_(stop.size.log(), alpha=2)
                factor.div_(layout.per_row(stop.size))
            if tape is not None:
                tape.append(stop)
        return factor, log_scale

    def backward(
        self,
        tape: list[Stop],
        features: Sequence[Tensor],
        derivative: Tensor,
        add: Callable[[Layout, int, Tensor, Tensor], None],
    ) -> None:
        """Take the derivative by the last factor back; ``add`` those by the embedded sites.

        Parameters
        ----------
        tape
            The stops of the forward pass; it is emptied.
        features
            One tensor (rows, feature) per site of the chain.
        derivative
            Derivative by the factor at the end.
        add
            Takes the layout, the site, its features and the derivative by the embedded site.
        """
        layout = self.layout
        while tape:
            stop = tape.pop()
            _, left, output, right = layout.shapes[stop.site]
            if stop.size is not None:
                derivative = derivative / layout.per_row(stop.size)
            before = layout.transposed(stop.factor)
            name = ("derivative", len(tape) % 2)
            if self.from_left:
                rank = layout.matrix_shape(stop.factor)[0]
                behind = layout.regrouped(derivative, rank, output * right)
                d_site = layout.multiply(before, behind, "d_site")
                if tape:
                    derivative = layout.multiply(behind, layout.transposed(stop.embedded), name)
            else:
                rank = layout.matrix_shape(stop.factor)[1]
                behind = layout.regrouped(derivative, left * output, rank)
                d_site = layout.multiply(behind, before, "d_site")
                if tape:
                    embedded = layout.regrouped(stop.embedded, left * output, right)
                    derivative = layout.multiply(layout.transposed(embedded), behind, name)
            add(layout, stop.site, features[stop.site], d_site)
