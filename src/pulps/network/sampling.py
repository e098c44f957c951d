r"""Draws and densities read off chains of cores.

The density of a row under a chain is :math:`p(x) = \|P\Phi(x)\|^2 / Z` with
:math:`Z = \int \|P\Phi(x)\|^2 dx`. It is drawn one attribute after the other,
:math:`p(x_1)\, p(x_2 | x_1) \cdots`, and three ways lead there:

=============  =====================================================================
``sweep``      every attribute sits at one site. Integrating an attribute out is
               tracing its site, so one sweep from the right serves all draws. Exact.
``grid``       attributes sit at several sites, which must all take the same value.
               What is not drawn yet is summed over nodes that integrate it exactly.
``resample``   as before, but with too many attributes for a grid. Copies of what is
               not drawn yet are traced as if they were independent; the error is a known
               weight, and draws are resampled by it. Exact in the limit of many draws.
=============  =====================================================================

An attribute is a number in the unit interval or one of finitely many codes. Several chains
(the members of an ensemble) are drawn together: the next value follows the *average of
their conditional densities* and is handed to all of them.

Every row takes one uniform number per attribute. Independent numbers give independent rows;
the points of a scrambled Sobol sequence fill the unit cube evenly, and the rows then fill
their density evenly: each row alone is distributed as before, but the frequencies of many
are closer to the probabilities than those of independent rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, prod
from typing import NamedTuple

import torch
from torch import Tensor

from pulps.network.axis import Axis
from pulps.network.basis import embed
from pulps.network.chains import SWEEPS_AT_ONCE, Chains
from pulps.network.lps import observe

# Axes: g chain · n row · c node or category · s feature · l, m left bonds · r, t right
# bonds · k output.

ROWS_AT_ONCE = 2048
PROPOSALS = 4


class Draws(NamedTuple):
    """Rows that were drawn.

    Parameters
    ----------
    values
        Shape (rows, attributes).
    log_density
        Logarithm of the density each row was drawn from, the product of the averaged conditional
        densities.
    method
        ``"sweep"``, ``"grid"`` or ``"resample"``.
    efficiency
        One for the exact methods. For ``"resample"`` the effective share of the proposals, four
        for every row drawn under one condition: 1 / sum of squared weights, over the number of
        weights.
    """

    values: Tensor
    log_density: Tensor
    method: str
    efficiency: float


def draw(
    chains: Chains,
    given: Tensor,
    n_rows: int,
    generator: torch.Generator,
    *,
    even: bool = False,
    method: str | None = None,
) -> Draws:
    """Draw what is missing in rows, given the rest of each row.

    Parameters
    ----------
    chains
        The densities to draw from.
    given
        Values of all attributes, NaN where one is to be drawn. Shape (1, attributes), one
        condition for all draws, or (n_rows, attributes). With repeats all rows must
        miss the same attributes.
    n_rows
        Number of draws.
    generator
        Source of randomness.
    even
        Spread the draws evenly instead of drawing every row independently.
    method
        ``"resample"`` is far quicker than a large grid; None takes the most exact way.

    Returns
    -------
    Draws
        The rows, their density, and how they were drawn.
    """
    shared = len(given) == 1
    missing = given.isnan().any(0).nonzero()[:, 0].tolist()
    method = method or chains.method(missing, per_row=not shared)
    if method == "resample":
        return _resample(chains, given, missing, n_rows, generator, even=even)
    levels = _levels(n_rows, chains.n_attributes, generator, even=even)
    if method == "sweep":
        draws = [
            _sweep(chains, given if shared else given[rows], levels[rows])
            for rows in torch.arange(n_rows).split(ROWS_AT_ONCE)
        ]
        values, log_density = (torch.cat(parts) for parts in zip(*draws, strict=True))
        return Draws(values, log_density, method, 1.0)
    return Draws(*_in_turn(chains, given, missing, levels), method, 1.0)


def log_masses(chains: Chains, given: Tensor, generator: torch.Generator) -> tuple[Tensor, bool]:
    r"""Logarithms of :math:`\int \|P\Phi(x)\|^2` over what is missing.

    With repeats all rows must miss the same attributes; where a grid would be too large, the
    integral is estimated from weighted draws.

    Parameters
    ----------
    chains
        The densities.
    given
        Shape (rows, attributes), NaN where missing.
    generator
        Source of the draws.

    Returns
    -------
    Tensor of shape (chains, rows), bool
        The logarithms, and whether they are exact.
    """
    missing = given.isnan().any(0).nonzero()[:, 0].tolist()
    method = chains.method(missing, per_row=len(given) > 1)
    if method == "sweep" or not missing:
        return chains.log_values(given), True
    if method == "grid":
        first, *rest = missing
        values = _on_nodes(chains, given, first, rest, chains.axes[first].sums)
        return _log_mean(values) + log(chains.axes[first].measure), True
    n_draws = 64 * PROPOSALS if len(given) > 1 else 4096
    masses = []
    for row in given.split(1):
        levels = _levels(n_draws, chains.n_attributes, generator)
        values, log_proposal = _in_turn(chains, row, missing, levels, traced=True)
        masses.append(_log_mean(chains.log_values(values) - log_proposal))
    return torch.stack(masses, dim=1), False


def conditionals(chains: Chains, given: Tensor, attribute: int) -> Tensor:
    """Coefficients of the density of one attribute given others, averaged over chains.

    The method must not be ``resample``.

    Parameters
    ----------
    chains
        The densities.
    given
        Shape (rows, attributes); what is missing is integrated over.
    attribute
        The attribute.

    Returns
    -------
    Tensor of shape (rows, nodes of the attribute's axis)
    """
    rest = given.isnan().any(0)
    rest[attribute] = False
    axis = chains.axes[attribute]
    missing = rest.nonzero()[:, 0].tolist() if chains.n_repeats > 1 else []
    return _average(axis, _on_nodes(chains, given, attribute, missing, axis.nodes))


def pair_density(chains: Chains, given: Tensor, pair: tuple[int, int]) -> Tensor:
    """Coefficients of the joint density of two attributes, averaged over chains.

    The method must not be ``resample``.

    Parameters
    ----------
    chains
        The densities.
    given
        One row; what is missing is integrated over.
    pair
        The two attributes.

    Returns
    -------
    Tensor of shape (nodes of the first axis, nodes of the second)
    """
    first, second = (chains.axes[a] for a in pair)
    rows = given.repeat(len(first.nodes), 1)
    rows[:, pair[0]] = first.nodes
    rest = given.isnan()[0]
    rest[list(pair)] = False
    missing = rest.nonzero()[:, 0].tolist() if chains.n_repeats > 1 else []
    logs = _on_nodes(chains, rows, pair[1], missing, second.nodes)
    values = (logs - logs.amax((1, 2), keepdim=True)).exp()
    coefficients = first.read @ values @ second.read.mT
    totals = first.totals(second.totals(coefficients))
    return (coefficients / totals[:, None, None]).mean(0)


def _average(axis: Axis, logs: Tensor) -> Tensor:
    """Turn log-values at nodes (g, n, c) into coefficients of the average density (n, c)."""
    values = (logs - logs.amax(-1, keepdim=True)).exp()
    coefficients = values @ axis.read.mT
    return (coefficients / axis.totals(coefficients)[..., None]).mean(0)


def _log_mean(logs: Tensor) -> Tensor:
    """Logarithm of the mean over the last axis."""
    return logs.logsumexp(-1) - log(logs.shape[-1])


def _levels(
    n_rows: int, n_attributes: int, generator: torch.Generator, *, even: bool = False
) -> Tensor:
    """Uniform numbers, shape (rows, attributes): independent, or points of a Sobol sequence."""
    if not even:
        return torch.rand(n_rows, n_attributes, generator=generator, dtype=torch.float64)
    seed = int(torch.randint(2**31, (), generator=generator))
    points = torch.quasirandom.SobolEngine(n_attributes, scramble=True, seed=seed)
    return points.draw(n_rows, dtype=torch.float64)


def _sweep(chains: Chains, given: Tensor, levels: Tensor) -> tuple[Tensor, Tensor]:
    """Draw from left to right; the environments of the right are shared by all draws."""
    rights = right_environments(chains.cores, *embed(chains.bases, given[:, chains.order]))
    shared, n_rows = len(given) == 1, len(levels)
    values = given.expand(n_rows, -1).clone()
    log_density = torch.zeros(n_rows, dtype=torch.float64)
    left = torch.ones(len(chains.cores[0]), n_rows, 1, 1, dtype=torch.float64)
    for site, (core, basis, attribute) in enumerate(
        zip(chains.cores, chains.bases, chains.order, strict=True)
    ):
        axis = chains.axes[attribute]
        rows = values[:, attribute].isnan().nonzero()[:, 0]
        if len(rows):
            half = torch.einsum("gslkr,cs->gclkr", core, basis(axis.nodes))
            if shared:
                coefficients = _read_shared(left, half, rights[site][:, 0], axis)
            else:
                coefficients = _read_own(left[:, rows], half, rights[site][:, rows], axis)
            coefficients = (coefficients / axis.totals(coefficients)[..., None]).mean(0)
            drawn = axis.draw(coefficients, levels[rows, attribute])
            values[rows, attribute] = drawn
            log_density[rows] += axis.density(coefficients, drawn).log()
        left = observe(left, core, basis(values[:, attribute]))
        left = left / left.abs().amax((2, 3), keepdim=True)
    return values, log_density


def right_environments(
    cores: Sequence[Tensor], features: Sequence[Tensor], observed: Tensor
) -> list[Tensor]:
    """Environment to the right of every site, scaled.

    Parameters
    ----------
    cores, features, observed
        As in :func:`pulps.network.lps.sweep`; what is not observed is traced.

    Returns
    -------
    list of Tensor
        One tensor (chains, rows of the condition, right, right) per site.
    """
    env = cores[0].new_ones(len(cores[0]), len(observed), 1, 1)
    rights = [env]
    for site in range(len(cores) - 1, 0, -1):
        core = cores[site].permute(0, 1, 4, 3, 2)  # the chain read from its other end
        seen = observed[:, site]
        known = unknown = env
        if seen.any():
            known = observe(env, core, features[site])
        if not seen.all():
            unknown = torch.einsum("gnlm,gslkr->gnsmkr", env, core)
            unknown = torch.einsum("gnsmkr,gsmkt->gnrt", unknown, core)
        if seen.any() and not seen.all():
            env = torch.where(seen[:, None, None], known, unknown)
        else:
            env = known if seen.any() else unknown
        env = env / env.abs().amax((2, 3), keepdim=True)
        rights.append(env)
    return rights[::-1]


def _read_shared(left: Tensor, half: Tensor, right: Tensor, axis: Axis) -> Tensor:
    """Coefficients (g, n, c) where all rows have one right environment (g, r, t)."""
    table = torch.einsum("gclkr,grt->gclkt", half, right)
    table = torch.einsum("gclkt,gcmkt->gclm", table, half)
    table = torch.einsum("dc,gclm->glmd", axis.read, table)
    return left.flatten(2) @ table.flatten(1, 2)


def _read_own(left: Tensor, half: Tensor, right: Tensor, axis: Axis) -> Tensor:
    """Coefficients (g, n, c) where every row has its own right environment (g, n, r, t)."""
    values = []
    for node in half.unbind(1):
        below = torch.einsum("gnlm,glkr->gnmkr", left, node)
        above = torch.einsum("gnrt,gmkt->gnmkr", right, node)
        values.append((below * above).sum((2, 3, 4)))
    return torch.stack(values, dim=-1) @ axis.read.mT


def _on_nodes(
    chains: Chains, given: Tensor, attribute: int, rest: Sequence[int], nodes: Tensor
) -> Tensor:
    """Log-values (g, n, nodes) with one attribute on nodes and others averaged out.

    The average over ``rest`` is over their summation nodes, so that the result is the
    integral up to the constant factor of their measures.
    """
    grids = torch.cartesian_prod(*(chains.axes[a].sums for a in rest)) if rest else None
    n_rest = 1 if grids is None else len(grids)
    measure = prod(chains.axes[a].measure for a in rest)
    blocks = []
    for rows in given.split(max(1, SWEEPS_AT_ONCE // (len(nodes) * n_rest))):
        block = rows[:, None, None, :].repeat(1, len(nodes), n_rest, 1)
        block[..., attribute] = nodes[:, None]
        if grids is not None:
            block[..., list(rest)] = grids.reshape(n_rest, len(rest))
        logs = chains.log_values(block.flatten(0, 2))
        blocks.append(_log_mean(logs.unflatten(1, (len(rows), len(nodes), n_rest))))
    return torch.cat(blocks, dim=1) + log(measure)


def _in_turn(
    chains: Chains,
    given: Tensor,
    missing: Sequence[int],
    levels: Tensor,
    *,
    traced: bool = False,
) -> tuple[Tensor, Tensor]:
    """Draw one attribute after the other, all of its copies at once.

    What is not drawn yet is summed over a grid, or, if ``traced``, traced copy by copy.
    """
    values, n_rows = given.clone(), len(levels)
    log_density = torch.zeros(n_rows, dtype=torch.float64)
    for position, attribute in enumerate(missing):
        axis = chains.axes[attribute]
        rest = () if traced else missing[position + 1 :]
        coefficients = _average(axis, _on_nodes(chains, values, attribute, rest, axis.nodes))
        coefficients = coefficients.expand(n_rows, -1)
        drawn = axis.draw(coefficients, levels[:, attribute])
        values = values.expand(n_rows, -1).clone()
        values[:, attribute] = drawn
        log_density += axis.density(coefficients, drawn).log()
    return values.expand(n_rows, -1), log_density


def _resample(
    chains: Chains,
    given: Tensor,
    missing: Sequence[int],
    n_rows: int,
    generator: torch.Generator,
    *,
    even: bool,
) -> Draws:
    """Draw several proposals for every row and choose among them by importance weight.

    The target is the average of the normalized densities of the chains. Under one condition
    all proposals compete, otherwise those of one row do.
    """
    shared = len(given) == 1
    n_proposals = PROPOSALS * n_rows if shared else 16 * PROPOSALS * n_rows
    if not shared:
        given = given.repeat_interleave(n_proposals // n_rows, dim=0)
    levels = _levels(n_proposals, chains.n_attributes, generator, even=even)
    values, log_proposal = _in_turn(chains, given, missing, levels, traced=True)
    ratios = (chains.log_values(values) - log_proposal).unflatten(1, (1 if shared else n_rows, -1))
    log_weights = _log_mean((ratios - _log_mean(ratios)[..., None]).movedim(0, -1))
    weights = (log_weights - log_weights.amax(1, keepdim=True)).exp()
    weights = weights / weights.sum(1, keepdim=True)
    efficiency = float((1 / weights.square().sum(1)).mean()) / weights.shape[1]
    if shared:
        chosen = _systematic(weights[0], n_rows, generator)
    else:
        offsets = torch.arange(n_rows) * weights.shape[1]
        chosen = torch.multinomial(weights, 1, generator=generator)[:, 0] + offsets
    log_density = log_proposal + log_weights.flatten()
    return Draws(values[chosen], log_density[chosen], "resample", efficiency)


def _systematic(weights: Tensor, n_rows: int, generator: torch.Generator) -> Tensor:
    """Choose rows in proportion to their weights, as evenly as possible, in random order."""
    levels = (torch.arange(n_rows) + torch.rand(1, generator=generator)) / n_rows
    chosen = torch.searchsorted(weights.cumsum(0), levels).clamp_max(len(weights) - 1)
    return chosen[torch.randperm(n_rows, generator=generator)]
