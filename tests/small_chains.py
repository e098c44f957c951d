"""Small chains and rows to train them on."""

from functools import partial

import torch

from pulps.network.basis import CosineBasis, embed
from pulps.network.lps import ChainShape
from pulps.training.batches import Batches
from pulps.training.loop import train

BASES = [CosineBasis(3)] * 4
SHAPE = ChainShape((3,) * 4, bond_dim=3, spacing=2, output_dim=2)


def rows(n_members=2, n_rows=24, n_labeled=6, **options):
    generator = torch.Generator().manual_seed(0)
    values = torch.rand(n_rows, 4, generator=generator, dtype=torch.float64)
    values[: n_rows // 2] *= 0.4
    labeled = torch.zeros(n_members, n_rows, dtype=torch.float64)
    labeled[:, :n_labeled] = 1
    embedding = partial(embed, BASES)
    return Batches(values, embedding, labeled, 1 - labeled, generator=generator, **options)


def start(n_members, seed=1, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    return [core.double() for core in SHAPE.random_cores(2 * n_members, scale, generator)]


def run(cores, batches, recipe):
    return list(train(cores, batches, recipe))
