r"""Densities on the unit interval that are finite sums of cosines.

Squares of sines and products of cosines are cosines again, so the density of a numeric
attribute is

.. math:: p(u) = \sum_{m=0}^{M} c_m \cos(m \pi u),

whatever the state. Its values at M + 1 midpoints fix the coefficients, the antiderivative
is known in closed form, and midpoint sums with more than M / 2 nodes are exact integrals.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

TOLERANCE = 1e-12
ROUNDING = 1e-15
MAX_STEPS = 60


def midpoints(n_nodes: int) -> Tensor:
    """Midpoints of equal cells; their mean is the integral of cosines below ``2 n_nodes``.

    Parameters
    ----------
    n_nodes
        Number of cells.

    Returns
    -------
    Tensor of shape (n_nodes,)

    Examples
    --------
    >>> midpoints(2)
    tensor([0.2500, 0.7500], dtype=torch.float64)
    """
    return (torch.arange(n_nodes, dtype=torch.float64) + 0.5) / n_nodes


def cosines(u: Tensor, degree: int) -> Tensor:
    r"""Values :math:`\cos(m \pi u)` for m up to ``degree``.

    Parameters
    ----------
    u
        Numbers of any shape.
    degree
        Largest m.

    Returns
    -------
    Tensor of shape (..., degree + 1)
    """
    m = torch.arange(degree + 1, dtype=u.dtype)
    return torch.cos(math.pi * m * u.unsqueeze(-1))


def from_midpoints(n_nodes: int) -> Tensor:
    """Matrix that turns values at midpoints into coefficients (a discrete cosine transform).

    Parameters
    ----------
    n_nodes
        Number of midpoints.

    Returns
    -------
    Tensor of shape (n_nodes, n_nodes)

    Examples
    --------
    >>> values = 3 + 2 * torch.cos(math.pi * midpoints(4))
    >>> (from_midpoints(4) @ values).round(decimals=6) + 0.0
    tensor([3., 2., 0., 0.], dtype=torch.float64)
    """
    waves = cosines(midpoints(n_nodes), n_nodes - 1).mT
    waves[1:] *= 2
    return waves / n_nodes


def evaluate(coefficients: Tensor, u: Tensor) -> Tensor:
    """Value of the sum at u.

    Parameters
    ----------
    coefficients
        Shape (..., M + 1).
    u
        Shape (...).

    Returns
    -------
    Tensor of the shape of u
    """
    return (coefficients * cosines(u, coefficients.shape[-1] - 1)).sum(-1)


def integrals(u: Tensor, degree: int) -> Tensor:
    r"""Integrals of :math:`\cos(m \pi t)` over t from 0 to u.

    Parameters
    ----------
    u
        Numbers of any shape.
    degree
        Largest m.

    Returns
    -------
    Tensor of shape (..., degree + 1)
    """
    m = torch.arange(1, degree + 1, dtype=u.dtype)
    waves = torch.sin(math.pi * m * u.unsqueeze(-1)) / (math.pi * m)
    return torch.cat([u.unsqueeze(-1), waves], dim=-1)


def cumulative(coefficients: Tensor, u: Tensor) -> Tensor:
    """Integral of the sum from 0 to u.

    Parameters
    ----------
    coefficients
        Shape (..., M + 1).
    u
        Shape (...).

    Returns
    -------
    Tensor of the shape of u
    """
    return (coefficients * integrals(u, coefficients.shape[-1] - 1)).sum(-1)


def invert(coefficients: Tensor, level: Tensor) -> Tensor:
    """Solve ``cumulative(coefficients, u) = level * total`` for u.

    A table of the cumulative function brackets every root; Newton's steps that leave the
    bracket are replaced by bisection, so the result does not depend on the table.

    Parameters
    ----------
    coefficients
        Non-negative densities, shape (rows, M + 1); they need not be normalized.
    level
        Numbers between 0 and 1, shape (rows,).

    Returns
    -------
    Tensor of shape (rows,)
        The values u.
    """
    degree = coefficients.shape[1] - 1
    target = level * coefficients[:, 0]
    table = torch.linspace(0, 1, 2 * degree + 3, dtype=coefficients.dtype)
    heights = (coefficients @ integrals(table, degree).mT).cummax(dim=1).values
    right = torch.searchsorted(heights, target[:, None], right=True)[:, 0]
    right = right.clamp(1, len(table) - 1)
    low, high = table[right - 1], table[right]
    u = 0.5 * (low + high)
    active = torch.arange(len(u))
    for _ in range(MAX_STEPS):
        part = coefficients[active]
        excess = cumulative(part, u[active]) - target[active]
        above = excess > 0
        high[active] = torch.where(above, u[active], high[active])
        low[active] = torch.where(above, low[active], u[active])
        step = u[active] - excess / evaluate(part, u[active])
        inside = (step > low[active]) & (step < high[active])
        new = torch.where(inside, step, 0.5 * (low[active] + high[active]))
        new = torch.where(excess.abs() > ROUNDING * part[:, 0], new, u[active])
        moved = (new - u[active]).abs() > TOLERANCE
        u[active] = new
        active = active[moved]
        if not len(active):
            break
    return u
