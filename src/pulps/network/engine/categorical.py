r"""The categorical shortcut: rows that agree on a stretch of sites share its work. Exact.

Seen as a map of environments, a stretch of sites is a *transfer matrix*, the product of
those of its sites, :math:`\sum_k B_k \otimes B_k`. Environments are symmetric, so of their
D² entries D (D + 1) / 2 are kept, and a transfer matrix maps these. It depends on the
values at its sites only, and tables of categories have few combinations of them. So the
chain is cut into stretches; each distinct combination of a stretch gets one transfer matrix; and
rows that agree on everything up to a stretch share one environment. The same is done from
the right end, and the two sides meet where that is cheapest:

.. math:: \|P\Phi(x)\|^2 = \langle E_{\text{left}}(x), E_{\text{right}}(x) \rangle.

A missing attribute is one more value of its site. Which stretches to use is planned once a
data set (:func:`plan`). The work that is left is small, so autograd does the gradients;
threads share the chains.

Environments are carried here, not factors (:mod:`pulps.network.engine.factors`). Where legs are as
wide as features, as in the paper's chains, the first leg already fills the rank, and factors would
be no smaller. Where ranks are low, as in the default's, what is left to share is less than what
moving it costs: on the 12,960 rows of nursery, whose two halves have 240 and 54 combinations,
sixteen default chains took 127 ms by environments and 83 ms by shared factors, but 49 ms in the
native kernel, which shares nothing and looks up the matrices of every value. So :func:`plan`
leaves such chains to the other engines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pulps.network.engine.factors import multiplications
from pulps.network.engine.rows import PreparedRows
from pulps.network.engine.threads import side_by_side

# Axes: g chain · p distinct prefix (or suffix) · v value · s feature · l, m left bonds ·
# r, t right bonds · k output. A transfer matrix is (l m, r t), an environment (l m), both
# with l ≤ m and r ≤ t only.

LONGEST = 8  # sites of a stretch
MOST_VALUES = 64  # of a discrete site
MOST_NUMBERS = 2**22  # in the transfer matrices of a stretch, for one chain
# Costs, in multiplications of the other engines, measured on tables of 400 to 13,000 rows.
MULTIPLY = 2.5  # one multiplication here, in small batched products
MOVE = 7.0  # moving one number, there and back
OVERHEAD = 1e6  # the calls for one more site
CHAINS_A_THREAD = 8  # the operations are small: with fewer chains one thread is faster than two
GAIN = 0.7  # plan only if the shortcut takes at most this share of the time


@dataclass(frozen=True)
class Site:
    """Distinct values of one site, and which one each row has."""

    features: Tensor  # (values, feature)
    missed: Tensor  # (values,), whether the value is "missing"
    codes: Tensor  # (rows,)


@dataclass(frozen=True)
class Link:
    """Combinations one site longer: which shorter one, and which value, each is made of."""

    parents: Tensor
    values: Tensor


@dataclass(frozen=True)
class Stretch:
    """Sites whose transfer matrices are multiplied, and how they meet the environments.

    Rows are dealt in tiles that share a combination, so that one batched product serves
    all: ``gather`` fills the tiles with environments, ``combinations`` names the transfer
    matrix of each, ``scatter`` finds every result.
    """

    sites: range
    links: list[Link]
    tile: int
    gather: Tensor | None
    combinations: Tensor
    scatter: Tensor


@dataclass(frozen=True)
class Plan:
    """Stretches from both ends, and the environments each row reads where they meet."""

    left: list[Stretch]
    right: list[Stretch]
    left_of_row: Tensor
    right_of_row: Tensor


def find_sites(batch: PreparedRows) -> list[Site] | None:
    """Distinct values of every site; None if a site has too many to be discrete.

    Parameters
    ----------
    batch
        Prepared rows.

    Returns
    -------
    list of Site or None
        One per site.
    """
    probe = torch.Generator().manual_seed(0)
    sites = []
    for i, phi in enumerate(batch.features):
        seen = phi.new_ones(len(phi), 1) if batch.observed is None else batch.observed[:, i, None]
        marked = torch.cat([phi.masked_fill(seen == 0, 0), seen.to(phi.dtype)], dim=1)
        # Sorting one number a row is fast; that equal numbers mean equal rows is checked.
        weights = torch.rand(marked.shape[1], generator=probe, dtype=torch.float64)
        number = marked.double() @ weights.to(phi.device)
        values, codes = torch.unique(number, return_inverse=True)
        if len(values) > min(MOST_VALUES, max(1, len(phi) // 4)):
            return None
        first = torch.empty_like(values, dtype=torch.int64)
        first[codes] = torch.arange(len(codes), device=codes.device)
        if not torch.equal(marked[first[codes]], marked):
            return None
        sites.append(Site(marked[first, :-1], marked[first, -1] == 0, codes))
    return sites


def extend(ids: Tensor, site: Site) -> tuple[Tensor, Link]:
    """Make the combinations of each row one site longer."""
    n_values = len(site.features)
    pairs, codes = torch.unique(ids * n_values + site.codes, return_inverse=True)
    return codes, Link(pairs // n_values, pairs % n_values)


class Planner:
    """Find the cheapest stretches; costs are those of one chain."""

    def __init__(self, sites: list[Site], shapes: Sequence[tuple[int, ...]]) -> None:
        self.sites = sites
        self.n_rows = len(sites[0].codes)
        # entries of an environment
        self.bonds = [shape[1] * (shape[1] + 1) // 2 for shape in shapes] + [1]

    def side(self, order: Sequence[int]) -> tuple[list[float], list[list[Stretch]], list[Tensor]]:
        """Cheapest cost, stretches and distinct prefixes up to every site, in a given order.

        From the right end the sites are walked backwards, and matrices are transposed.
        """
        n = len(order)
        backwards = n > 1 and order[0] > order[1]
        entries = [self.bonds[i + backwards] for i in order]
        entries.append(self.bonds[order[-1] + (not backwards)])
        rows = torch.zeros(self.n_rows, dtype=torch.int64, device=self.sites[0].codes.device)
        prefixes = [rows]
        for i in order:
            prefixes.append(extend(prefixes[-1], self.sites[i])[0])
        counts = [int(p.max()) + 1 for p in prefixes]
        cost = [0.0] + [float("inf")] * n
        cut: list[tuple[int, list[Link], Tensor]] = [(0, [], rows)] * (n + 1)
        for a in range(n):
            ids, links, build = rows, [], 0.0
            for b in range(a + 1, n + 1 if a == 0 else min(n, a + LONGEST) + 1):
                ids, link = extend(ids, self.sites[order[b - 1]])
                links.append(link)
                size = len(link.values)
                numbers = size * entries[a] * entries[b]
                if a and (size > max(1, counts[b] // 2) or numbers > MOST_NUMBERS):
                    break
                if b > a + 1:
                    factors = size * entries[b - 1] * entries[b]
                    build += factors * entries[a] * MULTIPLY + 3 * factors * MOVE
                build += 8 * numbers * MOVE
                # From the end itself (a = 0) the products are the environments.
                meet = 2 * counts[b] * entries[b] * MOVE
                if a:
                    meet = counts[b] * entries[a] * entries[b] * MULTIPLY
                    meet += 6 * counts[b] * (entries[a] + entries[b]) * MOVE
                    meet += 3 * (size + counts[b] / 32) * entries[a] * entries[b] * MOVE
                total = cost[a] + build + meet
                if total < cost[b]:
                    cost[b], cut[b] = total, (a, list(links), ids)
        stretches: list[list[Stretch]] = [[]]
        for b in range(1, n + 1):
            a, links, ids = cut[b]
            sites = range(order[a], order[b - 1] + 1 - 2 * backwards, 1 - 2 * backwards)
            stretch = deal(sites, links, ids, prefixes[a], prefixes[b], a == 0)
            stretches.append([*stretches[a], stretch])
        return cost, stretches, prefixes

    def best(self) -> tuple[Plan, float]:
        """Return the cheapest plan and its cost."""
        n = len(self.sites)
        left_cost, left, left_ids = self.side(range(n))
        right_cost, right, right_ids = self.side(range(n - 1, -1, -1))
        total = [
            left_cost[m] + right_cost[n - m] + 6 * self.n_rows * self.bonds[m] * MOVE
            for m in range(n + 1)
        ]
        m = min(range(n + 1), key=total.__getitem__)
        leaves = sum(
            8 * len(site.features) * self.bonds[i] * self.bonds[i + 1] * MOVE + OVERHEAD
            for i, site in enumerate(self.sites)
        )
        plan = Plan(left[m], right[n - m], left_ids[m], right_ids[n - m])
        return plan, total[m] + leaves


def deal(
    sites: range, links: list[Link], ids: Tensor, before: Tensor, after: Tensor, first: bool
) -> Stretch:
    """Deal distinct prefixes into tiles that share a combination of the stretch."""
    n_after, n_rows = int(after.max()) + 1, len(after)
    some_row = torch.empty(n_after, dtype=torch.int64, device=ids.device)
    some_row[after] = torch.arange(n_rows, device=ids.device)
    combination, parent = ids[some_row], before[some_row]
    if first:
        return Stretch(sites, links, 1, None, combination, combination)
    sizes = torch.bincount(combination)
    tile = max(4, min(64, int(sizes.double().mean())))
    tiles = (sizes + tile - 1) // tile
    order = torch.argsort(combination, stable=True)
    start = torch.cumsum(sizes, 0) - sizes
    first_tile = torch.cumsum(tiles, 0) - tiles
    rank = torch.arange(n_after, device=ids.device) - start[combination[order]]
    scatter = torch.empty_like(order)
    scatter[order] = first_tile[combination[order]] * tile + rank
    gather = torch.zeros(int(tiles.sum()) * tile, dtype=torch.int64, device=ids.device)
    gather[scatter] = parent
    of_tile = torch.repeat_interleave(torch.arange(len(sizes), device=ids.device), tiles)
    return Stretch(sites, links, tile, gather, of_tile, scatter)


def forgo(batch: PreparedRows) -> None:
    """Make no plan for these rows.

    Parameters
    ----------
    batch
        Prepared rows; they remember it.
    """
    batch.kept["sites"] = None


def plan(batch: PreparedRows, shapes: Sequence[tuple[int, ...]]) -> Plan | None:
    """Plan the shortcut for cores (feature, left, output, right); None if it does not pay.

    Parameters
    ----------
    batch
        Prepared rows; they remember the plan.
    shapes
        One shape per site.

    Returns
    -------
    Plan or None
    """
    if "sites" not in batch.kept:
        batch.kept["sites"] = find_sites(batch)
    sites = batch.kept["sites"]
    if sites is None:
        return None
    name = ("plan", tuple(shapes))
    if name not in batch.kept:
        found, cost = Planner(sites, shapes).best()
        pays = cost < GAIN * batch.n_rows * multiplications(shapes)
        batch.kept[name] = found if pays else None
    return batch.kept[name]


def site_transfers(core: Tensor, site: Site) -> Tensor:
    """Transfer matrices of a site's values, (g, v, l m, r t)."""
    chains, _, left, output, right = core.shape
    x = torch.einsum("vs,gslkr->gvlrk", site.features, core)
    x = x.reshape(chains * len(site.features), left * right, output)
    t = (x @ x.mT).view(chains, -1, left, right, left, right)
    if bool(site.missed.any()):
        y = core.permute(0, 2, 4, 1, 3).reshape(chains, left * right, -1)
        summed = (y @ y.mT).view(chains, 1, left, right, left, right)
        t = torch.where(site.missed.view(1, -1, 1, 1, 1, 1), summed, t)
    return symmetric(t.transpose(3, 4))


def symmetric(t: Tensor) -> Tensor:
    """Transfer matrices (g, v, l, m, r, t) of symmetric environments, (g, v, l m, r t).

    An entry off the diagonal stands for two equal ones, so it acts as both of them.
    """
    left, right = t.shape[2], t.shape[4]
    row, column = torch.triu_indices(left, left, device=t.device)
    above = t.flatten(2, 3).index_select(2, row * left + column)
    below = t.flatten(2, 3).index_select(2, column * left + row)
    both = above + below * (row < column).to(t.dtype).view(-1, 1, 1)
    row, column = torch.triu_indices(right, right, device=t.device)
    return both.flatten(3).index_select(3, row * right + column)


def rescaled(values: Tensor, log_scale: Tensor) -> tuple[Tensor, Tensor]:
    """Divide (g, p, ...) by the largest entry of each; add its logarithm to the scale."""
    size = values.detach().abs().flatten(2).amax(2)
    size = size.clamp_min(torch.finfo(values.dtype).tiny)
    return values / size.view(*size.shape, *[1] * (values.ndim - 2)), log_scale + size.log()


def batched(a: Tensor, b: Tensor) -> Tensor:
    """Matrix products over two leading axes."""
    return torch.bmm(a.flatten(0, 1), b.flatten(0, 1)).unflatten(0, a.shape[:2])


def walk(stretches: list[Stretch], transfers: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Environments (g, p, l m) at the end of the stretches, and the logs of their scales.

    Parameters
    ----------
    stretches
        Stretches of sites, from the end of the chain on.
    transfers
        Transfer matrices of each site, see :func:`site_transfers`.

    Returns
    -------
    env, scale
    """
    g = len(transfers[0])
    env = transfers[0].new_ones(g, 1, 1)
    scale = transfers[0].new_zeros(g, 1)
    for stretch in stretches:
        product = transfers[stretch.sites[0]].index_select(1, stretch.links[0].values)
        product, logs = rescaled(product, product.new_zeros(product.shape[:2]))
        for site, link in zip(stretch.sites[1:], stretch.links[1:], strict=True):
            factor = transfers[site].index_select(1, link.values)
            product = batched(product.index_select(1, link.parents), factor)
            product, logs = rescaled(product, logs.index_select(1, link.parents))
        if stretch.gather is None:  # from the end of the chain: these are environments
            env = product[:, :, 0].index_select(1, stretch.scatter)
            scale = logs.index_select(1, stretch.scatter)
            continue
        dealt = env.index_select(1, stretch.gather).unflatten(1, (-1, stretch.tile))
        dealt = batched(dealt, product.index_select(1, stretch.combinations))
        env = dealt.flatten(1, 2).index_select(1, stretch.scatter)
        logs = logs.index_select(1, stretch.combinations).repeat_interleave(stretch.tile, 1)
        logs = logs + scale.index_select(1, stretch.gather)
        env, scale = rescaled(env, logs.index_select(1, stretch.scatter))
    return env, scale


def sweep(cores: Sequence[Tensor], batch: PreparedRows, plan: Plan) -> Tensor:
    """Log-norms of sorted rows, shape (chains, rows), for autograd to go back through.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    batch, plan
        Prepared rows, and the plan for them.

    Returns
    -------
    Tensor
    """
    transfers = [
        site_transfers(core, site) for core, site in zip(cores, batch.kept["sites"], strict=True)
    ]
    left, left_scale = walk(plan.left, transfers)
    right, right_scale = walk(plan.right, [t.mT for t in transfers])
    value = left.index_select(1, plan.left_of_row) * right.index_select(1, plan.right_of_row)
    value = value.sum(2).clamp_min(torch.finfo(value.dtype).tiny)
    scale = left_scale.index_select(1, plan.left_of_row)
    scale = scale + right_scale.index_select(1, plan.right_of_row)
    return 0.5 * (value.log() + scale)


class LogNorms(torch.autograd.Function):
    """Log-norms of stacked chains, some chains a thread, each with a graph of its own."""

    @staticmethod
    def forward(
        ctx: Any, batch: PreparedRows, plan: Plan, n_shares: int, *cores: Tensor
    ) -> Tensor:
        """Sweep the shares of all threads."""
        bounds = [len(cores[0]) * i // n_shares for i in range(n_shares + 1)]
        ctx.shares = [
            [core.detach()[a:b].requires_grad_(core.requires_grad) for core in cores]
            for a, b in pairwise(bounds)
        ]

        def forward(share: list[Tensor]) -> Tensor:
            with torch.enable_grad():
                return sweep(share, batch, plan)

        ctx.parts = side_by_side(forward, ctx.shares)
        ctx.save_for_backward(*cores)
        return torch.cat([part.detach() for part in ctx.parts])

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """Go back through the graphs of all threads."""
        _ = ctx.saved_tensors  # raises if a core was changed in place since the forward pass
        needed = ctx.needs_input_grad[3:]
        lengths = [len(part) for part in ctx.parts]

        def backward(job: tuple[Tensor, list[Tensor], Tensor]) -> list[Tensor]:
            part, share, d_part = job
            wanted = [core for core, wants in zip(share, needed, strict=True) if wants]
            return list(torch.autograd.grad(part, wanted, d_part, retain_graph=True))

        jobs = list(zip(ctx.parts, ctx.shares, grad.split(lengths), strict=True))
        found = iter(zip(*side_by_side(backward, jobs), strict=True))
        return None, None, None, *[torch.cat(next(found)) if wants else None for wants in needed]


def log_norms(cores: Sequence[Tensor], batch: PreparedRows, plan: Plan) -> Tensor:
    """Log-norms of stacked chains, shape (chains, rows), along a plan for these rows.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.
    batch, plan
        Prepared rows, and the plan for them.

    Returns
    -------
    Tensor
    """
    needs_grad = torch.is_grad_enabled() and any(core.requires_grad for core in cores)
    if cores[0].device.type == "cpu" and needs_grad:
        n_shares = max(1, min(torch.get_num_threads(), len(cores[0]) // CHAINS_A_THREAD))
        return batch.restored(LogNorms.apply(batch, plan, n_shares, *cores))
    return batch.restored(sweep(cores, batch, plan))
