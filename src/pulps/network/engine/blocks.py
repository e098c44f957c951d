r"""The sweep in PyTorch: one autograd function, block products, hand-written backward.

Both ends of the chain carry factors (:mod:`pulps.network.engine.factors`). Where these do not
meet, the middle carries environments. It is cut into *runs* of sites that have no output leg and
that every row of the chunk observes, and *joints*, all other sites. A run is multiplied into one
matrix :math:`M = X_1 \cdots X_n`, where :math:`X_i = \sum_s \phi_s(x_i) A_s`. Then, with
:math:`B` seen as bond × (output · bond),

====================  ===========================================  =======================
run                   :math:`E' = M^T E M`                         4 D³ flops, not 4 k D³
observed joint        :math:`E' = \sum_k B_k^T E B_k`              :math:`B = \sum_s \phi_s A_s`
traced joint          :math:`E' = \sum_{sk} A_{sk}^T E A_{sk}`     feature joins output leg
====================  ===========================================  =======================

All three have the form :math:`E' = Y^T E Y`. With :math:`G` twice the derivative by
:math:`E'`, which is symmetric, and :math:`H = Y G`, the derivatives by :math:`Y` and
:math:`E` are :math:`E H` and :math:`H Y^T / 2`; prefix products of the run lead on to each
site. Environments are divided by their trace and runs by their largest entry; the logs
are kept, and the divisors are constants in the backward pass, where the scale cancels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pulps.network.engine.factors import Side, are_vectors
from pulps.network.engine.frobenius import log_frobenius_norms
from pulps.network.engine.layouts import Arena, RowsLast, best_layout, layout_of_factors
from pulps.network.engine.route import Route, Step, find_route
from pulps.network.engine.rows import PreparedRows, free_bytes
from pulps.network.engine.tape import Gradients, Record, Tape
from pulps.network.engine.threads import side_by_side

__all__ = ["log_frobenius_norms", "log_norms"]

# Axes: n row · g chain · s feature · l, m left bonds · r, t right bonds · k output.

RESCALE_EVERY = 8  # sites of a run; even factors of 10⁴ a site stay within float32
ALONE = 200_000  # floats of a tape that one thread has done before another has started
CACHE_FLOATS = 2**19  # embedded floats of a site's whole chunk that stay in the cache


class Sweep:
    """The sweep of one chunk of rows through all chains."""

    def __init__(self, cores: Sequence[Tensor], arena: Arena) -> None:
        self.cores = cores
        self.layout = best_layout(cores)(cores, arena)
        self.of_factors = layout_of_factors(cores)(cores, arena)
        self.n_chains = len(cores[0])
        self.shapes = [core.shape[1:] for core in cores]
        self.tiny = torch.finfo(cores[0].dtype).tiny

    # All rows that miss a site meet the same core, so every product below is one a chain: rows
    # join a bond, (chain, row · bond, ...). The core is (chain, left, feature · output · right).

    def by_rows(self, env: Tensor, bond: int) -> Tensor:
        """Environments of rows, (row · chain, bond, bond), as (chain, row · bond, bond)."""
        env = env.view(-1, self.n_chains, bond, bond).transpose(0, 1)
        return env.reshape(self.n_chains, -1, bond)

    def from_rows(self, env: Tensor, bond: int) -> Tensor:
        """Turn them back."""
        env = env.view(self.n_chains, -1, bond, bond).transpose(0, 1)
        return env.reshape(-1, bond, bond)

    def traced(self, site: int, env: Tensor) -> Tensor:
        """Environments of rows that miss the site, rows first, before division."""
        _, left, _, right = self.shapes[site]
        core = self.cores[site].transpose(1, 2).flatten(2)
        half = torch.bmm(self.by_rows(env, left), core)
        half = half.view(self.n_chains, -1, core[0].numel() // right, right).mT
        half = half.reshape(self.n_chains, -1, core[0].numel() // right)
        return self.from_rows(torch.bmm(half, core.reshape(self.n_chains, -1, right)), right)

    def untraced(self, site: int, env: Tensor, half: Tensor, grads: Gradients) -> Tensor:
        """Walk back through a site that rows miss, rows first; add to the core's gradient."""
        feature, left, output, right = self.shapes[site]
        core = self.cores[site].transpose(1, 2).flatten(2)
        onward = torch.bmm(self.by_rows(half, right), core.reshape(self.n_chains, -1, right).mT)
        onward = onward.view(self.n_chains, -1, right, core[0].numel() // right).mT
        onward = onward.reshape(self.n_chains, -1, feature * output * right)
        d_core = torch.bmm(self.by_rows(env, left).mT, onward)
        d_core = d_core.view(self.n_chains, left, feature, output, right).transpose(1, 2)
        grads.add_traced(site, d_core)
        return self.from_rows(torch.bmm(onward, core.mT), left)

    def run(self, record: Record, features: Sequence[Tensor]) -> Tensor:
        """Absorb a run of sites; fill the record."""
        layout, sites, count = self.layout, record.step.sites, len(record.step.sites)
        product = layout.embed(sites[0], features[sites[0]], (record.tag, "factor", sites[0]))
        record.factors, record.prefixes = [product], [product]
        for i in range(1, count):
            site = sites[i]
            factor = layout.embed(site, features[site], (record.tag, "factor", site))
            product = layout.multiply(product, factor, (record.tag, "prefix", site))
            if i % RESCALE_EVERY == 0 or i == count - 1:
                size = layout.size(product).clamp_min_(self.tiny)
                record.divisors[i] = size
                product.div_(layout.per_row(size))
            record.factors.append(factor)
            record.prefixes.append(product)
        return layout.sandwich(record.env, product, self.shapes[sites[-1]][3])

    def joint(self, record: Record, features: Sequence[Tensor]) -> Tensor:
        """Absorb a site that some rows miss."""
        layout, step, site = self.layout, record.step, record.step.sites[0]
        right = self.shapes[site][3]
        assert step.missed is not None
        if step.seen is None:
            rows_first = layout.to_rows_first(record.env)
            return layout.from_rows_first(self.traced(site, rows_first))
        new = layout.empty_envs(record.env, right)
        name = (record.tag, "factor", site)
        record.factors = [layout.embed(site, features[site][step.seen], name)]
        env = layout.pick(record.env, step.seen)
        layout.put(new, step.seen, layout.sandwich(env, record.factors[0], right))
        env = layout.to_rows_first(layout.pick(record.env, step.missed))
        layout.put(new, step.missed, layout.from_rows_first(self.traced(site, env)))
        return new

    def forward(
        self, route: Route, features: Sequence[Tensor], tape: Tape | None, tag: int = 0
    ) -> Tensor:
        """Logarithms of the squared norms, (chains, rows); records steps if there is a tape."""
        if route.plain:
            return self.forward_plain(route, features, tape, tag)
        sides = self.of_factors
        stops = (None, None) if tape is None else (tape.left, tape.right)
        left, log_left = Side(sides, route.left, True).forward(features, stops[0], tag)
        right, log_right = Side(sides, route.right, False).forward(features, stops[1], tag)
        log_scale = sides.by_chain(log_left + log_right)
        if route.steps:
            env = sides.multiply(sides.transposed(left), left, (tag, "gram"))
            env = self.layout.from_rows_first(sides.to_rows_first(env))
            env, log_middle = self.walk(route.steps, features, env, tape, tag)
            env = sides.from_rows_first(self.layout.to_rows_first(env))
            log_scale = log_scale + log_middle
            joint = sides.multiply(env, right, (tag, "joint"))
            value = sides.total(joint * right).clamp_min_(self.tiny)
            share = 1 / value
        else:
            joint = sides.multiply(left, right, (tag, "joint"))
            size = sides.size(joint).clamp_min_(self.tiny)
            joint.div_(sides.per_row(size))
            value = sides.total(joint.square()).clamp_min_(self.tiny)
            share = 1 / (value * size)
            log_scale = log_scale + 2 * sides.by_chain(size.log())
        if tape is not None:
            # A row without length has no direction in which it would grow: no gradient.
            share = torch.where(value > self.tiny, share, 0)
            tape.factors, tape.joint, tape.share = (left, right), joint, share
        return log_scale + sides.by_chain(value.log())

    def walk(
        self,
        steps: Sequence[Step],
        features: Sequence[Tensor],
        env: Tensor,
        tape: Tape | None,
        tag: int,
        to_the_end: bool = False,
    ) -> tuple[Tensor, Tensor]:
        """Take environments through the middle; return them and the logarithms of their scales."""
        layout = self.layout
        log_scale = self.cores[0].new_zeros(self.n_chains * len(features[0]))
        for step in steps:
            record = Record(step, env, tag)
            env = (self.run if step.missed is None else self.joint)(record, features)
            for size in record.divisors.values():
                log_scale.add_(size.log(), alpha=2)
            # Rounding can make a diagonal entry of a nearly vanishing environment negative;
            # its size still is the right divisor. At the end of the chain it is the norm.
            diagonal = layout.diagonal(env)
            ends = to_the_end and step is steps[-1]
            record.trace = (diagonal if ends else diagonal.abs()).sum(1).clamp_min_(self.tiny)
            log_scale.add_(record.trace.log())
            env.div_(layout.per_row(record.trace))
            if tape is not None:
                tape.records.append(record)
        return env, layout.by_chain(log_scale)

    def walk_back(
        self, tape: Tape, features: Sequence[Tensor], half: Tensor, grads: Gradients
    ) -> Tensor:
        """Take twice the derivative by the last environment back to the first."""
        while tape.records:
            record = tape.records.pop()
            half = half / self.layout.per_row(record.trace)
            back = self.backward_run if record.step.missed is None else self.backward_joint
            half = back(record, features, half, grads)
        return half

    def forward_plain(
        self, route: Route, features: Sequence[Tensor], tape: Tape | None, tag: int
    ) -> Tensor:
        """Do the same where environments go all the way."""
        ones = self.layout.ones(len(features[0]))
        return self.walk(route.steps, features, ones, tape, tag, to_the_end=True)[1]

    def backward_plain(
        self, tape: Tape, features: Sequence[Tensor], grad: Tensor, grads: Gradients
    ) -> None:
        """Walk back where environments went all the way."""
        # A row without length has no direction in which it would grow: no gradient.
        length = tape.records[-1].trace
        half = torch.where(length > self.tiny, self.layout.by_row(grad), 0)
        half = half.view(self.layout.ones(grad.shape[1]).shape)
        self.walk_back(tape, features, half, grads)

    def backward(
        self, route: Route, tape: Tape, features: Sequence[Tensor], grad: Tensor, grads: Gradients
    ) -> None:
        """Add the gradients of a chunk, given those of its log-norms; empties the tape."""
        sides, layout = self.of_factors, self.layout
        if route.plain:
            return self.backward_plain(tape, features, grad, grads)
        left, right = tape.factors
        share = sides.per_row(tape.share * sides.by_row(grad))
        joint = tape.joint * share
        if route.steps:
            d_right = joint
            # Twice the derivative by the last environment.
            half = sides.multiply(right, sides.transposed(right), "gram") * share
            half = layout.from_rows_first(sides.to_rows_first(half))
            half = self.walk_back(tape, features, half, grads)
            half = sides.from_rows_first(layout.to_rows_first(half))
            d_left = sides.multiply(left, half, "d_left")
        else:
            d_left = sides.multiply(joint, sides.transposed(right), "d_left")
            d_right = sides.multiply(sides.transposed(left), joint, "d_right")
        Side(sides, route.left, True).backward(tape.left, features, d_left, grads.add)
        Side(sides, route.right, False).backward(tape.right, features, d_right, grads.add)

    def backward_run(
        self, record: Record, features: Sequence[Tensor], half: Tensor, grads: Gradients
    ) -> Tensor:
        """Walk back through one run; return the gradient by the environment it met."""
        layout, factors, prefixes = self.layout, record.factors, record.prefixes
        half, d_prefix = layout.unsandwich(record.env, prefixes[-1], half)
        for i in range(len(factors) - 1, -1, -1):
            site = record.step.sites[i]
            d_factor = d_prefix
            if i:
                if i in record.divisors:
                    d_prefix = d_prefix / layout.per_row(record.divisors[i])
                back = layout.transposed(factors[i])
                d_factor = layout.multiply(layout.transposed(prefixes[i - 1]), d_prefix, "d_site")
                d_prefix = layout.multiply(d_prefix, back, ("d_prefix", i % 2))
            grads.add(layout, site, features[site], d_factor)
        return half

    def backward_joint(
        self, record: Record, features: Sequence[Tensor], half: Tensor, grads: Gradients
    ) -> Tensor:
        """Walk back through a site that some rows miss."""
        layout, step, site = self.layout, record.step, record.step.sites[0]
        assert step.missed is not None
        if step.seen is None:
            env, half = layout.to_rows_first(record.env), layout.to_rows_first(half)
            return layout.from_rows_first(self.untraced(site, env, half, grads))
        new = torch.empty_like(record.env)
        env, part = layout.pick(record.env, step.seen), layout.pick(half, step.seen)
        back, d_factor = layout.unsandwich(env, record.factors[0], part)
        layout.put(new, step.seen, back)
        grads.add(layout, site, features[site][step.seen], d_factor)
        env = layout.to_rows_first(layout.pick(record.env, step.missed))
        part = layout.to_rows_first(layout.pick(half, step.missed))
        back = self.untraced(site, env, part, grads)
        layout.put(new, step.missed, layout.from_rows_first(back))
        return new


def rows_at_once(cores: Sequence[Tensor], memory_budget: int) -> int:
    """Rows of a chunk: as many as the cache holds on a CPU, as memory holds elsewhere."""
    n_chains, itemsize = len(cores[0]), cores[0].element_size()
    floats = [math.prod(core.shape[2:]) for core in cores]
    if cores[0].device.type == "cpu":
        largest = CACHE_FLOATS * 4 // (itemsize * n_chains * max(floats))
        if best_layout(cores) is RowsLast:
            return max(1, 1024 // n_chains, largest)  # long vectors matter more than the cache
        if are_vectors(cores):
            largest *= 2  # so they do where factors meet
        return min(1024, max(32, largest))
    return max(32, memory_budget // (6 * n_chains * sum(floats) * itemsize))


def tape_bytes(cores: Sequence[Tensor], n_rows: int) -> int:
    """Memory of the tape: embedded sites, prefix products and environments."""
    floats = sum(a * k * b + a * b for _, _, a, k, b in [core.shape for core in cores])
    return len(cores[0]) * n_rows * floats * cores[0].element_size()


def cut(features: list[Tensor], rows: slice) -> list[Tensor]:
    """Features of a chunk of rows."""
    if rows.start == 0 and rows.stop >= len(features[0]):
        return features
    return [phi[rows] for phi in features]


class Share:
    """The rows of one thread: a sweep with memory of its own, and the tapes of its chunks."""

    def __init__(self, batch: PreparedRows, cores: list[Tensor], rows: range) -> None:
        self.batch = batch
        # Rows that miss nothing do not share a chunk with rows that do.
        inner = [border for border in batch.borders if rows.start < border < rows.stop]
        self.chunks = [
            slice(start, min(start + rows.step, stop))
            for first, stop in pairwise([rows.start, *inner, rows.stop])
            for start in range(first, stop, rows.step)
        ]
        self.sweep = Sweep(cores, self.borrow_arena())
        self.shapes = [tuple(core.shape[1:]) for core in cores]
        self.tapes: dict[int, tuple[Route, Tape | None]] = {}

    def borrow_arena(self) -> Arena:
        """Take the memory of an earlier sweep of the batch, if no other sweep has taken it."""
        arenas = self.batch.kept.setdefault("arenas", [])
        assert isinstance(arenas, list)
        return arenas.pop() if arenas else Arena()

    def return_arena(self) -> None:
        """Leave memory for the next sweep of the batch."""
        arenas = self.batch.kept["arenas"]
        assert isinstance(arenas, list)
        arenas.append(self.sweep.layout.arena)
        self.sweep.layout.arena = self.sweep.of_factors.arena = None

    @torch.no_grad()
    def forward(self, lean: bool, needs_grad: bool) -> Tensor:
        """Sweep chunk by chunk; keep tapes unless lean."""
        parts = []
        for rows in self.chunks:
            observed = None if self.batch.observed is None else self.batch.observed[rows]
            route = find_route(self.shapes, observed)
            tape = Tape() if needs_grad and not lean else None
            features = cut(self.batch.features, rows)
            tag = 0 if tape is None else rows.start
            parts.append(self.sweep.forward(route, features, tape, tag))
            if needs_grad:
                self.tapes[rows.start] = route, tape
        if not needs_grad or lean:
            self.return_arena()
        return torch.cat(parts, dim=1)

    @torch.no_grad()
    def backward(self, grad: Tensor) -> Gradients:
        """Walk back through every chunk, sweeping it again first if the tape was not kept."""
        sweep = self.sweep
        grads = Gradients()
        for rows in self.chunks:
            route, tape = self.tapes[rows.start]
            self.tapes[rows.start] = route, None
            features = cut(self.batch.features, rows)
            if tape is None:
                if sweep.layout.arena is None:
                    sweep.layout.arena = sweep.of_factors.arena = self.borrow_arena()
                tape = Tape()
                sweep.forward(route, features, tape)
            sweep.backward(route, tape, features, grad[:, rows], grads)
        self.return_arena()
        return grads


class LogNorms(torch.autograd.Function):
    """Log-norms of stacked chains, with the backward pass described above."""

    @staticmethod
    def forward(
        ctx: torch.autograd.function.FunctionCtx,
        batch: PreparedRows,
        chunk: int,
        lean: bool,
        needs_grad: bool,
        *cores: Tensor,
    ) -> Tensor:
        """Sweep the shares of all threads."""
        plain = [core.detach().contiguous() for core in cores]
        shares = [Share(batch, plain, rows) for rows in shares_of(batch, plain, chunk, lean)]
        logs = torch.cat(side_by_side(lambda s: s.forward(lean, needs_grad), shares), dim=1)
        ctx.batch, ctx.shares = batch, shares  # type: ignore[attr-defined]
        ctx.save_for_backward(*cores)
        return batch.restored(logs.mul_(0.5))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """Walk back through the shares of all threads and add what they found."""
        _ = ctx.saved_tensors  # raises if a core was changed in place since the forward pass
        grad = ctx.batch.sorted(grad)
        found = side_by_side(lambda share: share.backward(grad), ctx.shares)
        shaped = [
            sum((more.of_core(site, core) for more in found[1:]), found[0].of_core(site, core))
            for site, core in enumerate(ctx.saved_tensors)
        ]
        return None, None, None, None, *shaped


def shares_of(batch: PreparedRows, cores: list[Tensor], chunk: int, lean: bool) -> list[range]:
    """Cut the rows into one range per thread; its step is the size of a chunk.

    Threads each hold a chunk; where memory is scarce their chunks are smaller.
    """
    n_shares = 1
    if cores[0].device.type == "cpu":
        work = tape_bytes(cores, batch.n_rows) / cores[0].element_size()
        n_shares = max(1, min(torch.get_num_threads(), int(work // ALONE), batch.n_rows))
    bounds = [batch.n_rows * i // n_shares for i in range(n_shares + 1)]
    step = max(1, chunk // n_shares) if lean else chunk
    return [range(a, b, step) for a, b in pairwise(bounds)]


def log_norms(
    cores: Sequence[Tensor],
    batch: PreparedRows,
    *,
    memory_budget: int | None = None,
    chunk: int | None = None,
) -> Tensor:
    """Log-norms of stacked chains, shape (chains, rows); see ``engine.log_norms``.

    Parameters
    ----------
    cores, batch, memory_budget
        See ``engine.log_norms``; the rows are prepared.
    chunk
        Rows of a chunk; None means :func:`rows_at_once`.

    Returns
    -------
    Tensor
    """
    needed = tape_bytes(cores, batch.n_rows)
    if memory_budget is None:
        # Asking the system takes longer than a small sweep; 16 MB are always there.
        memory_budget = 2**24 if needed < 2**24 else free_bytes(cores[0].device) // 4
    lean = needed > memory_budget
    chunk = chunk or rows_at_once(cores, memory_budget)
    needs_grad = torch.is_grad_enabled() and any(core.requires_grad for core in cores)
    return LogNorms.apply(batch, chunk, lean, needs_grad, *cores)
