r"""Draws of patches from chains whose sites are half spheres.

A chain gives the patch of one site, the others observed or traced, a density with respect to
the uniform measure of the half sphere of :class:`~pulps.network.basis.SphereBasis`,

.. math:: p(\phi) = \phi^T M \phi / \mathrm{tr}\, M,

with a positive semi-definite matrix M of d × d numbers; it integrates to one because the mean of
:math:`\phi \phi^T` is the identity. It is drawn exactly, without a grid. With eigenvalues
:math:`\lambda_i` and eigenvectors :math:`v_i` of M it is a mixture,

.. math:: p(\phi) = \sum_i \frac{\lambda_i}{\mathrm{tr}\, M} \, (v_i^T \phi)^2,

so draw i first. Under the part i, :math:`t = v_i^T \phi / \sqrt d` has the density
:math:`\propto t^2 (1 - t^2)^{(d - 3)/2}`, that is :math:`t^2` follows the law
Beta(3/2, (d - 1)/2), and the rest of the vector has no preferred direction. A vector of normal
numbers whose coordinate along :math:`v_i` is replaced by the length of three more of them, and
which is then brought to length :math:`\sqrt d`, is just that: its :math:`t^2` is
:math:`\chi^2_3 / (\chi^2_3 + \chi^2_{d - 1})`. Last, a point of the lower half is replaced by its
opposite, which has the same density.

Moments follow from :math:`E[u_a u_b u_c u_e] = (\delta_{ab} \delta_{ce} + \delta_{ac} \delta_{be}
+ \delta_{ae} \delta_{bc}) / (d (d + 2))` of uniform unit vectors u:

.. math:: E[\phi \phi^T] = \frac{d}{d + 2} \left(I + \frac{2 M}{\mathrm{tr}\, M}\right).

However sharp M is, these densities are wide: a matrix of rank one has :math:`E[t^2] = 3/(d + 2)`.
And near the equator the numbers of a patch grow without bound: their law has heavy tails.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, NamedTuple, get_args

import torch
from torch import Tensor

from pulps.images.patches import PatchBook
from pulps.network.basis import SphereBasis, embed
from pulps.network.lps import observe
from pulps.network.sampling import right_environments

# Axes: g chain · n row · s, u feature · l, m left bonds · r, t right bonds · k output.

NUMBERS_AT_ONCE = 2**24
How = Literal["draw", "mode", "clear"]


class PatchDraws(NamedTuple):
    """Patches that were drawn.

    Parameters
    ----------
    coefficients
        Shape (images, sites, K).
    log_density
        Shape (images,): the product of the averaged conditional densities, each with respect to
        the uniform measure of the half sphere, as a logarithm. Patches that were given have no
        part in it.
    """

    coefficients: Tensor
    log_density: Tensor


def draw_points(forms: Tensor, generator: torch.Generator) -> Tensor:
    r"""Draw a point of the half sphere for each matrix.

    Parameters
    ----------
    forms
        Positive semi-definite, shape (rows, d, d); they need not be normalized.
    generator
        Source of randomness.

    Returns
    -------
    points
        Shape (rows, d), of length :math:`\sqrt d`, the first coordinate not negative.

    Examples
    --------
    >>> forms = torch.eye(3).expand(5, 3, 3)
    >>> draw_points(forms, torch.Generator().manual_seed(0)).norm(dim=1)
    tensor([1.7321, 1.7321, 1.7321, 1.7321, 1.7321])
    """
    values, vectors = torch.linalg.eigh(forms)
    part = torch.multinomial(values.clamp_min(0), 1, generator=generator)[:, 0]
    axis = vectors[torch.arange(len(forms)), :, part]
    normal = torch.randn(len(forms), forms.shape[-1] + 3, generator=generator, dtype=forms.dtype)
    three, rest = normal[:, :3], normal[:, 3:]
    coordinate = three.norm(dim=1) - (rest * axis).sum(1)
    return _on_half_sphere(rest + coordinate[:, None] * axis)


def draw_directions(forms: Tensor, generator: torch.Generator) -> Tensor:
    r"""Draw a principal direction of each matrix, in proportion to its squared eigenvalue.

    This is not a draw from the density, which is wide around each direction, but shows what
    it is wide around: images stay clear.

    Parameters
    ----------
    forms
        Positive semi-definite, shape (rows, d, d).
    generator
        Source of randomness.

    Returns
    -------
    Tensor of shape (rows, d)

    Examples
    --------
    >>> forms = torch.diag(torch.tensor([4.0, 0.0])).expand(3, 2, 2)
    >>> draw_directions(forms, torch.Generator().manual_seed(0))[0].abs()
    tensor([1.4142, 0.0000])
    """
    values, vectors = torch.linalg.eigh(forms)
    part = torch.multinomial(values.clamp_min(0).square(), 1, generator=generator)[:, 0]
    return _on_half_sphere(vectors[torch.arange(len(forms)), :, part])


def mode(forms: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """Point of highest density for each matrix: its top eigenvector, scaled.

    Parameters
    ----------
    forms
        Positive semi-definite, shape (..., d, d).
    generator
        Not used.

    Returns
    -------
    Tensor of shape (..., d)

    Examples
    --------
    >>> mode(torch.diag(torch.tensor([4.0, 1.0, 1.0, 1.0])))
    tensor([2., 0., 0., 0.])
    """
    return _on_half_sphere(torch.linalg.eigh(forms)[1][..., -1])


CHOICES = {"draw": draw_points, "mode": mode, "clear": draw_directions}


def draw_patches(
    cores: Sequence[Tensor],
    basis: SphereBasis,
    n_images: int,
    generator: torch.Generator,
    *,
    given: Tensor | None = None,
    how: How = "draw",
    limits: tuple[Tensor, Tensor] | None = None,
) -> PatchDraws:
    """Draw the missing patches of images one after the other, given the rest of each image.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site. Several chains are members
        of one ensemble: a patch follows the average of their conditional densities.
    basis
        The basis of every site.
    n_images
        Number of draws.
    generator
        Source of randomness.
    given
        Coefficients of patches, NaN where a patch is to be drawn: shape (1, sites, K), one
        condition for all draws, or (n_images, sites, K). None draws everything.
    how
        ``"draw"`` is exact; ``"mode"`` takes the patch of highest density, given those before
        it, instead of a random one; ``"clear"`` a random one of the directions that the density
        is wide around, see :func:`draw_directions`.
    limits
        Smallest and largest coefficients, shape (K,) each; patches drawn are brought between
        them.

    Returns
    -------
    PatchDraws
        The patches, and the logarithm of their density.

    Examples
    --------
    >>> from pulps.network.lps import ChainShape
    >>> generator = torch.Generator().manual_seed(0)
    >>> cores = ChainShape((3,) * 4, bond_dim=2).random_cores(1, 1.0, generator)
    >>> draw_patches(cores, SphereBasis(3), 5, generator).coefficients.shape
    torch.Size([5, 4, 2])
    """
    if how not in get_args(How):
        ways = ", ".join(map(repr, get_args(How)))
        raise ValueError(f"There is no way {how!r} to choose patches; there are {ways}.")
    shape = (len(cores), basis.dim - 1)
    if given is None:
        given = torch.full((1, *shape), math.nan)
    if tuple(given.shape[1:]) != shape or len(given) not in (1, n_images):
        raise ValueError(
            f"Given patches have the shape (1 or {n_images}, {shape[0]}, {shape[1]}) for "
            f"{n_images} images, but {tuple(given.shape)} came."
        )
    cores, given = [core.to(torch.float64) for core in cores], given.to(torch.float64)
    at_once = max(1, NUMBERS_AT_ONCE // max(core.numel() for core in cores))
    draws = [
        _sweep(
            cores,
            basis,
            given if len(given) == 1 else given[rows],
            len(rows),
            partial(CHOICES[how], generator=generator),
            limits,
        )
        for rows in torch.arange(n_images).split(at_once)
    ]
    return PatchDraws(*(torch.cat(parts) for parts in zip(*draws, strict=True)))


def draw_images(
    cores: Sequence[Tensor],
    basis: SphereBasis,
    book: PatchBook,
    n_images: int,
    generator: torch.Generator,
    *,
    given: Tensor | None = None,
    how: How = "draw",
    limits: tuple[Tensor, Tensor] | None = None,
) -> Tensor:
    """Draw images, or what is missing in them.

    A patch with a missing pixel is drawn as a whole; pixels that are there stay as they are.

    Parameters
    ----------
    cores, basis, n_images, generator, how, limits
        As in :func:`draw_patches`.
    book
        Cuts images into patches.
    given
        One image, or ``n_images`` of them, NaN where a pixel is missing. None draws everything.

    Returns
    -------
    Tensor
        Images.
    """
    if given is None:
        return book.inverse_transform(
            draw_patches(cores, basis, n_images, generator, how=how, limits=limits).coefficients
        )
    patches = book.transform(given)
    drawn = draw_patches(cores, basis, n_images, generator, given=patches, how=how, limits=limits)
    images = book.inverse_transform(drawn.coefficients)
    return torch.where(given.isnan(), images, given)


def _on_half_sphere(vectors: Tensor) -> Tensor:
    """Scale vectors to their radius; replace those of the lower half by their opposite."""
    points = math.sqrt(vectors.shape[-1]) * torch.nn.functional.normalize(vectors, dim=-1)
    return torch.where(points[..., :1] < 0, -points, points)


def _sweep(
    cores: list[Tensor],
    basis: SphereBasis,
    given: Tensor,
    n_rows: int,
    choose: Callable[[Tensor], Tensor],
    limits: tuple[Tensor, Tensor] | None,
) -> tuple[Tensor, Tensor]:
    """Draw from left to right; the environments of the right are found first."""
    features, observed = embed([basis] * len(cores), given)
    rights = right_environments(cores, features, observed)
    values = given.expand(n_rows, -1, -1).clone()
    log_density = values.new_zeros(n_rows)
    left = values.new_ones(len(cores[0]), n_rows, 1, 1)
    for site, (core, known, seen, right) in enumerate(
        zip(cores, features, observed.T, rights, strict=True)
    ):
        points = known.expand(n_rows, -1).clone()
        rows = (~seen.expand(n_rows)).nonzero()[:, 0]
        if len(rows):
            forms = _forms(left[:, rows], core, right if len(given) == 1 else right[:, rows])
            points[rows] = choose(forms)
            values[rows, site] = basis.inverse(points[rows])
            if limits is not None:
                values[rows, site] = values[rows, site].clamp(*limits)
                points[rows] = basis(values[rows, site])
            density = torch.einsum("nsu,nu->ns", forms, points[rows]) * points[rows]
            log_density[rows] += density.sum(1).log()
        left = observe(left, core, points)
        left = left / left.abs().amax((2, 3), keepdim=True)
    return values, log_density


def _forms(left: Tensor, core: Tensor, right: Tensor) -> Tensor:
    """Matrices of one site (n, s, u), of trace one, averaged over chains.

    ``right`` is (g, n, r, t), or (g, 1, r, t) where all rows have one right environment.
    """
    if right.shape[1] == 1:
        above = torch.einsum("grt,gumkt->gumkr", right[:, 0], core)
        table = torch.einsum("gslkr,gumkr->gsulm", core, above)
        forms = torch.einsum("gnlm,gsulm->gnsu", left, table)
    else:
        below = torch.einsum("gnlm,gslkr->gnsmkr", left, core)
        above = torch.einsum("gnrt,gumkt->gnumkr", right, core)
        forms = torch.einsum("gnsmkr,gnumkr->gnsu", below, above)
    forms = 0.5 * (forms + forms.mT)
    return (forms / forms.diagonal(dim1=-2, dim2=-1).sum(-1)[..., None, None]).mean(0)
