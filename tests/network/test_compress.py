"""Truncated chains: never farther from the dense truth than the bound, small if they can be."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oracle import dense_matrix
from strategies import chains

from pulps.network import engine
from pulps.network.compress import (
    change_bounds,
    crossings,
    cut_bonds,
    log_distances,
    log_lengths,
    nothing_seen,
    truncate,
)
from pulps.network.lps import ChainShape


def single(cores, chain):
    return [core[chain] for core in cores]


def ones(batch):
    return torch.ones(batch.n_rows, dtype=torch.float64)


def inflated(cores, generator):
    """Return the same chains with twice the bonds they need."""
    cores = list(cores)
    for site in range(len(cores) - 1):
        n_chains, bond = len(cores[site]), cores[site].shape[4]
        wide = torch.randn(n_chains, bond, 2 * bond, generator=generator, dtype=torch.float64)
        cores[site] = torch.einsum("gslkr,grb->gslkb", cores[site], wide)
        back = torch.linalg.pinv(wide)
        cores[site + 1] = torch.einsum("gbl,gslkr->gsbkr", back, cores[site + 1])
    return cores


@given(chains(), st.floats(0, 1), st.booleans())
def test_no_row_changes_by_more_than_the_bound(chain, cutoff, weighted):
    cores, features, observed = chain
    weights = [torch.rand(core.shape[1], dtype=core.dtype) + 0.1 for core in cores]
    batch = engine.prepare(features, observed, weights if weighted else None)
    smaller = cut_bonds(cores, crossings(cores, batch, ones(batch)), cutoff)
    old, new = engine.log_norms(cores, batch), engine.log_norms(smaller, batch)
    bounds = change_bounds(old, log_lengths(batch), log_distances(cores, smaller))
    assert ((new - old).abs() <= bounds + 1e-6).all()


@given(chains(), st.floats(0, 1))
def test_the_distance_is_the_dense_one(chain, cutoff):
    cores, features, _ = chain
    batch = engine.prepare(features)
    smaller = cut_bonds(cores, crossings(cores, batch, ones(batch)), cutoff)
    found = log_distances(cores, smaller).exp()
    for g, distance in enumerate(found):
        dense = [dense_matrix(single(stack, g)) for stack in (cores, smaller)]
        expected = (dense[0] - dense[1]).norm()
        torch.testing.assert_close(distance, expected, rtol=1e-6, atol=1e-9)


@given(chains())
def test_the_length_of_a_row_is_that_of_its_features(chain):
    _cores, features, observed = chain
    lengths = log_lengths(engine.prepare(features, observed))
    sites = torch.stack([phi.norm(dim=1) for phi in features], dim=1)
    expected = torch.where(observed, sites, 1.0).log().sum(1)
    torch.testing.assert_close(lengths, expected)


@given(chains(), st.floats(0.001, 1))
def test_without_rows_it_is_the_truncation_of_the_frobenius_norm(chain, cutoff):
    """Every bond leaves out at most the cutoff of the norm, and such errors at most add up."""
    cores, _, _ = chain
    smaller = cut_bonds(cores, crossings(cores, nothing_seen(cores), torch.ones(1)), cutoff)
    share = (log_distances(cores, smaller) - engine.log_frobenius_norms(cores)).exp()
    assert (share <= cutoff * (len(cores) - 1) + 1e-6).all()


@pytest.mark.parametrize("rows", ["given", "none"])
def test_bonds_that_are_not_needed_go_and_nothing_changes(rows):
    generator = torch.Generator().manual_seed(0)
    shape = ChainShape((4,) * 8, bond_dim=3, spacing=3, output_dim=2)
    cores = [core.double() for core in shape.random_cores(3, 1.0, generator)]
    wide = inflated(cores, generator)
    features = [torch.randn(200, 4, generator=generator, dtype=torch.float64) for _ in cores]
    batch = engine.prepare(features)
    by = batch if rows == "given" else nothing_seen(cores)
    smaller = cut_bonds(wide, crossings(wide, by, ones(by)), 1e-6)
    assert [c.shape for c in smaller] == [c.shape for c in cores]
    torch.testing.assert_close(engine.log_norms(smaller, batch), engine.log_norms(cores, batch))


def test_chains_that_need_less_than_others_keep_the_same_bonds():
    generator = torch.Generator().manual_seed(1)
    shape = ChainShape((3,) * 5, bond_dim=3, spacing=2, output_dim=2)
    cores = [core.double() for core in shape.random_cores(2, 1.0, generator)]
    for core in cores:  # the first chain has one bond that carries something
        core[0, :, 1:] = 0
        core[0, ..., 1:] = 0
    features = [torch.randn(50, 3, generator=generator, dtype=torch.float64) for _ in cores]
    batch = engine.prepare(features)
    smaller = cut_bonds(cores, crossings(cores, batch, ones(batch)), 1e-6)
    assert [c.shape for c in smaller] == [c.shape for c in cores]
    torch.testing.assert_close(engine.log_norms(smaller, batch), engine.log_norms(cores, batch))


def test_more_is_left_out_as_the_cutoff_grows():
    generator = torch.Generator().manual_seed(2)
    shape = ChainShape((4,) * 8, bond_dim=6, spacing=2, output_dim=2)
    cores = [core.double() for core in shape.random_cores(2, 1.0, generator)]
    sides = crossings(cores, nothing_seen(cores), torch.ones(1))
    sizes, distances = [], []
    for cutoff in (1e-6, 0.05, 0.2, 0.5, 1.0):
        smaller = cut_bonds(cores, sides, cutoff)
        sizes.append(sum(core.numel() for core in smaller))
        distances.append(float(log_distances(cores, smaller).max()))
    assert sizes == sorted(sizes, reverse=True)
    assert distances == sorted(distances)
    assert all(core.shape[4] == 1 for core in smaller)


@given(chains(), st.floats(0.001, 1))
def test_truncation_keeps_to_its_cutoff_and_to_the_widest_bond(chain, cutoff):
    cores, features, observed = chain
    smaller = truncate(cores, cutoff)
    share = (log_distances(cores, smaller) - engine.log_frobenius_norms(cores)).exp()
    assert (share <= cutoff * (len(cores) - 1) + 1e-6).all()
    narrow = truncate(cores, 0.0, rows=engine.prepare(features, observed), max_bond=1)
    assert all(core.shape[2] == core.shape[4] == 1 for core in narrow)


def test_single_precision_finds_bonds_that_are_not_needed():
    shape = ChainShape((3,) * 6, bond_dim=8, spacing=3)
    cores = shape.random_cores(2, 1.0, torch.Generator().manual_seed(0))
    smaller = truncate(cores)
    assert smaller[0].dtype == torch.float32
    assert smaller[0].shape[4] == 3  # one site of three features before it, and no output
    torch.testing.assert_close(
        engine.log_frobenius_norms(smaller), engine.log_frobenius_norms(cores)
    )
    with pytest.raises(ValueError, match="a bond at least one"):
        truncate(cores, max_bond=0)
    with pytest.raises(ValueError, match="zero or more"):
        truncate(cores, float("nan"))
