"""The sizes the engine is measured at: chains, rows, and the arithmetic they need."""

from __future__ import annotations

import csv
import gzip
import itertools
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from pulps.network.basis import CosineBasis
from pulps.network.lps import ChainShape

NURSERY_VALUES = (3, 5, 4, 4, 3, 2, 3, 3)
CHESS_VALUES = (2,) * 14 + (3,) + (2,) * 21


@dataclass(frozen=True)
class Size:
    """Chains and rows of one measurement."""

    name: str
    what: str
    n_sites: int
    feature_dim: int
    bond_dim: int
    spacing: int
    n_rows: int
    n_chains: int = 2
    values: tuple[int, ...] = ()  # categories of each attribute; none if continuous

    @property
    def shape(self) -> ChainShape:
        """Shape of the chains."""
        return ChainShape((self.feature_dim,) * self.n_sites, self.bond_dim, self.spacing)

    def cores(self) -> list[Tensor]:
        """Random cores that want gradients."""
        generator = torch.Generator().manual_seed(0)
        return [c.requires_grad_() for c in self.shape.random_cores(self.n_chains, 1.0, generator)]

    def columns(self, nursery: Path | None = None) -> Tensor:
        """Attributes from 0 to 1, a row a site: real ones for nursery if there is the file."""
        generator = torch.Generator().manual_seed(1)
        if self.name == "NU":
            attributes = nursery_rows(nursery, self.n_rows, generator)
        elif self.values:
            draws = [torch.randint(v, (self.n_rows,), generator=generator) for v in self.values]
            attributes = [d / (v - 1) for d, v in zip(draws, self.values, strict=True)]
        else:
            attributes = list(torch.rand(self.n_sites, self.n_rows, generator=generator))
        return torch.stack(attributes * (self.n_sites // len(attributes))).float()

    def features(self, nursery: Path | None = None) -> list[Tensor]:
        """Embedded rows."""
        basis = CosineBasis(self.feature_dim)
        return [basis(u).contiguous() for u in self.columns(nursery)]

    def flops(self) -> float:
        """Floating point operations of forward and backward in the order of blocks.py.

        Embedding costs two passes (no gradient by features), products three, and an output
        site or the meeting of a block with its environment five products. Symmetric
        results are counted in full, recomputing is not counted.
        """
        total, run = 0, 0
        for feature, left, output, right in self.shape.core_shapes():
            total += 2 * 2 * feature * left * output * right
            if output == 1:
                total += 3 * 2 * left * right * left * (run > 0)
                run = left
            if output > 1:
                if run:
                    total += 5 * 2 * left**3
                total += 5 * 2 * output * left * right * max(left, right)
                run = 0
        return float(total) * self.n_rows * self.n_chains


def nursery_rows(path: Path | None, n_rows: int, generator: torch.Generator) -> list[Tensor]:
    """Rows of the two largest classes of nursery, or of its full cross product of values."""
    if path is None:
        codes = torch.tensor(list(itertools.product(*map(range, NURSERY_VALUES))))
    else:
        with gzip.open(path, "rt", newline="") as file:
            rows = [r for r in csv.reader(file) if r[-1] in ("not_recom", "priority")]
        names = [sorted(set(column)) for column in list(zip(*rows, strict=True))[:-1]]
        codes = torch.tensor(
            [[n.index(v) for n, v in zip(names, row[:-1], strict=True)] for row in rows]
        )
    some = codes[torch.randperm(len(codes), generator=generator)[:n_rows]]
    return [some[:, i] / (v - 1) for i, v in enumerate(NURSERY_VALUES)]


SIZES = [
    Size("M", "MNIST", 400, 6, 20, 10, 512),
    Size("SP", "spambase", 114, 12, 12, 10, 4140),
    Size("CH", "chess", 72, 20, 6, 4, 2876, values=CHESS_VALUES),
    Size("NU", "nursery", 16, 20, 6, 4, 7700, values=NURSERY_VALUES),
    Size("TOY", "toy", 18, 12, 12, 3, 1000),
    Size("IR", "iris", 8, 4, 2, 4, 90),
]
