r"""Where the row axis lies: first for batched matrix products, last for tiny matrices.

Both layouts offer the same few operations on one small matrix a row and chain. *Rows
first* hands them to batched matrix multiplication. That is the better way on every device
but for matrices of 4 × 4 to 7 × 7 on a CPU, where the library multiplies one matrix at a
time with scalar code; there *rows last* turns each product into a few long elementwise
operations.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import torch
from torch import Tensor

MOST_OUTPUTS = 4  # of a site, for factors with rows last

# Axes: n row · g chain · s feature · l, m left bonds · r, t right bonds · k output.


class Arena:
    """Memory by name. Asking the system for fresh pages costs more than the arithmetic on them."""

    def __init__(self) -> None:
        self.memory: dict[Hashable, tuple[Tensor, Tensor]] = {}  # all of it, and as last used

    def room(self, name: Hashable, shape: tuple[int, ...], like: Tensor) -> Tensor:
        """Memory of a shape; what an earlier result of the same name held is lost.

        Parameters
        ----------
        name
            Names the result.
        shape
            Shape of the result.
        like
            A tensor of the same type, on the same device.

        Returns
        -------
        Tensor
            Not filled.
        """
        whole, used = self.memory.get(name, (None, None))
        if used is not None and used.shape == shape and used.dtype == like.dtype:
            return used
        size = math.prod(shape)
        if whole is None or whole.numel() < size or whole.dtype != like.dtype:
            whole = like.new_empty(size)
        self.memory[name] = whole, whole[:size].view(shape)
        return self.memory[name][1]


class RowsFirst:
    """Matrices are (n g, l, r); embedding is one product (n, s) × (s, g l k r)."""

    def __init__(self, cores: Sequence[Tensor], arena: Arena) -> None:
        self.arena: Arena | None = arena
        self.cores = cores
        self.n_chains = len(cores[0])
        self.shapes = [core.shape[1:] for core in cores]
        self.arranged: dict[int, Tensor] = {}

    def weight(self, site: int) -> Tensor:
        """Core of a site as embedding wants it, arranged when it is first asked for."""
        if site not in self.arranged:
            core = self.cores[site]
            self.arranged[site] = core.transpose(0, 1).flatten(1)
        return self.arranged[site]

    def ones(self, n_rows: int) -> Tensor:
        """Matrices at the ends of the chain."""
        return self.cores[0].new_ones(n_rows * self.n_chains, 1, 1)

    def regrouped(self, values: Tensor, rows: int, columns: int) -> Tensor:
        """Matrices of another shape from the same numbers in the same order."""
        return values.reshape(-1, rows, columns)

    def matrix_shape(self, values: Tensor) -> torch.Size:
        """Rows and columns of each matrix."""
        return values.shape[1:]

    def zero_gradient(self, site: int) -> Tensor:
        """Room for the gradient by the weights of a site."""
        return torch.zeros_like(self.weight(site))

    def room(self, name: Hashable, shape: tuple[int, ...]) -> Tensor:
        """Memory for a result."""
        assert self.arena is not None, "the arena was returned"
        return self.arena.room(name, shape, self.cores[0])

    def embed(self, site: int, phi: Tensor, name: Hashable) -> Tensor:
        """Embedded sites, (n g, l, k r)."""
        _, left, output, right = self.shapes[site]
        weight = self.weight(site)
        out = self.room(name, (phi.shape[0], weight.shape[1]))
        return torch.mm(phi, weight, out=out).view(-1, left, output * right)

    def add_weight_grad(self, grad: Tensor, phi: Tensor, d_factor: Tensor) -> None:
        """Add the gradient by a site's weights."""
        grad.addmm_(phi.T, d_factor.view(phi.shape[0], -1))

    def as_core(self, weight: Tensor, site: int) -> Tensor:
        """Bring weights back to the axes of a core, (g, s, l, k, r)."""
        feature, *rest = self.shapes[site]
        return weight.view(feature, self.n_chains, *rest).transpose(0, 1)

    def multiply(self, a: Tensor, b: Tensor, name: Hashable) -> Tensor:
        """Matrix products; a result lives until the next of its name."""
        return torch.bmm(a, b, out=self.room(name, (*a.shape[:2], b.shape[2])))

    def transposed(self, a: Tensor) -> Tensor:
        """Transposed matrices."""
        return a.mT

    def total(self, a: Tensor) -> Tensor:
        """Add all entries, (n g)."""
        return a.flatten(1).sum(1)

    def size(self, a: Tensor) -> Tensor:
        """Largest entries, (n g)."""
        return a.abs().flatten(1).amax(1)

    def diagonal(self, a: Tensor) -> Tensor:
        """Diagonals, (n g, bond)."""
        return a.diagonal(dim1=1, dim2=2)

    def per_row(self, values: Tensor) -> Tensor:
        """Numbers (n g), shaped to scale matrices."""
        return values[:, None, None]

    def by_chain(self, values: Tensor) -> Tensor:
        """Bring numbers (n g) to (g, n)."""
        return values.view(-1, self.n_chains).T

    def by_row(self, values: Tensor) -> Tensor:
        """Bring numbers (g, n) to (n g)."""
        return values.T.reshape(-1)

    def sandwich(self, env: Tensor, factor: Tensor, right: int) -> Tensor:
        """Return :math:`Y^T E Y`, contracted over left bonds and outputs."""
        batch = env.shape[0]
        half = self.multiply(env, factor, "half").view(batch, -1, right)
        return torch.bmm(half.mT, factor.view(batch, -1, right))

    def unsandwich(self, env: Tensor, factor: Tensor, half: Tensor) -> tuple[Tensor, Tensor]:
        """Return :math:`Y G Y^T` and :math:`E Y G`."""
        batch, left, _ = env.shape
        onward = self.multiply(factor.view(batch, -1, half.shape[-1]), half, "onward")
        onward, factor = onward.view(batch, left, -1), factor.view(batch, left, -1)
        return torch.bmm(onward, factor.mT), self.multiply(env, onward, "d_factor")

    def pick(self, values: Tensor, rows: Tensor) -> Tensor:
        """Matrices of some rows."""
        return values.view(-1, self.n_chains, *values.shape[1:])[rows].flatten(0, 1)

    def put(self, into: Tensor, rows: Tensor, values: Tensor) -> None:
        """Write matrices of some rows."""
        matrix = values.shape[1:]
        into.view(-1, self.n_chains, *matrix)[rows] = values.view(-1, self.n_chains, *matrix)

    def to_rows_first(self, values: Tensor) -> Tensor:
        """Bring matrices to (n g, l, r)."""
        return values

    def from_rows_first(self, values: Tensor) -> Tensor:
        """Bring matrices from (n g, l, r)."""
        return values

    def empty_envs(self, env: Tensor, bond: int) -> Tensor:
        """Room for environments of another bond dimension."""
        return env.new_empty(len(env), bond, bond)


class RowsLast:
    """Matrices are (l, r, g n); embedding is one product (l k r g, s) × (s, n)."""

    def __init__(self, cores: Sequence[Tensor], arena: Arena) -> None:
        self.arena: Arena | None = arena
        self.cores = cores
        self.n_chains = len(cores[0])
        self.shapes = [core.shape[1:] for core in cores]
        self.arranged: dict[int, Tensor] = {}

    def weight(self, site: int) -> Tensor:
        """Core of a site as embedding wants it, arranged when it is first asked for."""
        if site not in self.arranged:
            core = self.cores[site]
            self.arranged[site] = core.permute(2, 3, 4, 0, 1).flatten(0, 3)
        return self.arranged[site]

    def ones(self, n_rows: int) -> Tensor:
        """Matrices at the ends of the chain."""
        return self.cores[0].new_ones(1, 1, self.n_chains * n_rows)

    def regrouped(self, values: Tensor, rows: int, columns: int) -> Tensor:
        """Matrices of another shape from the same numbers in the same order."""
        return values.reshape(rows, columns, -1)

    def matrix_shape(self, values: Tensor) -> torch.Size:
        """Rows and columns of each matrix."""
        return values.shape[:2]

    def zero_gradient(self, site: int) -> Tensor:
        """Room for the gradient by the weights of a site; features come first."""
        weight = self.weight(site)
        return weight.new_zeros(weight.shape[1], weight.shape[0])

    def room(self, name: Hashable, shape: tuple[int, ...]) -> Tensor:
        """Memory for a result."""
        assert self.arena is not None, "the arena was returned"
        return self.arena.room(name, shape, self.cores[0])

    def embed(self, site: int, phi: Tensor, name: Hashable) -> Tensor:
        """Embedded sites, (l, k r, g n)."""
        _, left, output, right = self.shapes[site]
        weight = self.weight(site)
        out = self.room(name, (weight.shape[0], phi.shape[0]))
        return torch.mm(weight, phi.T, out=out).view(left, output * right, -1)

    def add_weight_grad(self, grad: Tensor, phi: Tensor, d_factor: Tensor) -> None:
        """Add the gradient by a site's weights."""
        # A product with few rows takes a quarter of the time of one with few columns.
        grad.addmm_(phi.T, d_factor.reshape(-1, phi.shape[0]).T)

    def as_core(self, weight: Tensor, site: int) -> Tensor:
        """Bring weights back to the axes of a core, (g, s, l, k, r)."""
        feature, *rest = self.shapes[site]
        return weight.view(feature, *rest, self.n_chains).permute(4, 0, 1, 2, 3)

    def multiply(self, a: Tensor, b: Tensor, name: Hashable) -> Tensor:
        """Matrix products; a result lives until the next of its name."""
        out = self.room(name, (len(a), *b.shape[1:]))
        columns, rows = a.unsqueeze(2).unbind(1), b.unbind(0)
        torch.mul(columns[0], rows[0], out=out)
        for column, row in zip(columns[1:], rows[1:], strict=True):
            out.addcmul_(column, row)
        return out

    def transposed(self, a: Tensor) -> Tensor:
        """Transposed matrices."""
        return a.transpose(0, 1)

    def total(self, a: Tensor) -> Tensor:
        """Add all entries, (g n)."""
        return a.flatten(0, 1).sum(0)

    def size(self, a: Tensor) -> Tensor:
        """Largest entries, (g n)."""
        return a.abs().flatten(0, 1).amax(0)

    def diagonal(self, a: Tensor) -> Tensor:
        """Diagonals, (g n, bond)."""
        return a.diagonal()

    def per_row(self, values: Tensor) -> Tensor:
        """Numbers (g n), shaped to scale matrices."""
        return values

    def by_chain(self, values: Tensor) -> Tensor:
        """Bring numbers (g n) to (g, n)."""
        return values.view(self.n_chains, -1)

    def by_row(self, values: Tensor) -> Tensor:
        """Bring numbers (g, n) to (g n)."""
        return values.reshape(-1)

    def sandwich(self, env: Tensor, factor: Tensor, right: int) -> Tensor:
        """Return :math:`Y^T E Y`, contracted over left bonds and outputs; half by symmetry."""
        half = self.multiply(env, factor, "half").view(-1, right, factor.shape[-1])
        factor = factor.view(half.shape)
        out = self.empty_envs(env, right)
        product = self.room("product", factor.shape)
        for r in range(right):
            part = torch.mul(half[:, r, None], factor[:, r:], out=product[:, r:])
            part = part.sum(0)
            out[r, r:], out[r:, r] = part, part
        return out

    def unsandwich(self, env: Tensor, factor: Tensor, half: Tensor) -> tuple[Tensor, Tensor]:
        """Return :math:`Y G Y^T` and :math:`E Y G`; the first half by symmetry."""
        rows = factor.view(-1, len(half), factor.shape[-1])
        onward = self.multiply(rows, half, "onward").view(factor.shape)
        back = torch.empty_like(env)
        product = self.room("product", factor.shape)
        for left in range(len(env)):
            part = torch.mul(onward[left], factor[left:], out=product[left:])
            part = part.sum(1)
            back[left, left:], back[left:, left] = part, part
        return back, self.multiply(env, onward, "d_factor")

    def pick(self, values: Tensor, rows: Tensor) -> Tensor:
        """Matrices of some rows."""
        return values.unflatten(-1, (self.n_chains, -1))[..., rows].flatten(-2)

    def put(self, into: Tensor, rows: Tensor, values: Tensor) -> None:
        """Write matrices of some rows."""
        into.unflatten(-1, (self.n_chains, -1))[..., rows] = values.unflatten(
            -1, (self.n_chains, -1)
        )

    def to_rows_first(self, values: Tensor) -> Tensor:
        """Bring matrices to (n g, l, r)."""
        return values.unflatten(-1, (self.n_chains, -1)).permute(3, 2, 0, 1).flatten(0, 1)

    def from_rows_first(self, values: Tensor) -> Tensor:
        """Bring matrices from (n g, l, r)."""
        return values.unflatten(0, (-1, self.n_chains)).permute(2, 3, 1, 0).flatten(2)

    def empty_envs(self, env: Tensor, bond: int) -> Tensor:
        """Room for environments of another bond dimension."""
        return env.new_empty(bond, bond, env.shape[-1])


Layout = RowsFirst | RowsLast


def layout_of_factors(cores: Sequence[Tensor]) -> type[RowsFirst] | type[RowsLast]:
    """Choose the layout for factors: matrices of one, two or four rows are tiny.

    With many outputs a factor has as many rows as its bond soon after the first of them; batched
    products are the better way then, and save the change of layout where factors end.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    type
        :class:`RowsFirst` or :class:`RowsLast`.
    """
    bond = max(core.shape[4] for core in cores)
    if cores[0].device.type != "cpu" or bond > 16:
        return RowsFirst
    few_rows = max(core.shape[3] for core in cores) <= MOST_OUTPUTS
    return RowsLast if few_rows else best_layout(cores)


def best_layout(cores: Sequence[Tensor]) -> type[RowsFirst] | type[RowsLast]:
    """Choose the layout for chains of this bond dimension on this device.

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    type
        :class:`RowsFirst` or :class:`RowsLast`.
    """
    bond = max(core.shape[4] for core in cores)
    return RowsLast if cores[0].device.type == "cpu" and 4 <= bond <= 7 else RowsFirst
