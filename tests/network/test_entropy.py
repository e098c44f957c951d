"""Entropies of bonds are those of the dense Schmidt values."""

import math

import torch
from hypothesis import given
from strategies import chains

from pulps.network import ChainShape, bond_entropies, bond_spectra, canonicalize, prepare


def dense_half(cores):
    """Write the left part of one chain out, shape (all its legs, bond)."""
    state = torch.ones(1, 1, dtype=cores[0].dtype)
    for core in cores:
        state = torch.einsum("vl,slkr->vskr", state, core).flatten(0, 2)
    return state


def schmidt_shares(cores, bond):
    """Squared Schmidt values of one chain that is cut behind a site."""
    left = dense_half(cores[: bond + 1])
    right = dense_half([core.permute(0, 3, 2, 1) for core in cores[:bond:-1]])
    squares = torch.linalg.svdvals(left @ right.T).square()
    return squares / squares.sum()


@given(chains())
def test_shares_are_squared_schmidt_values(chain):
    cores, _, _ = chain
    entropies = bond_entropies(cores)
    assert entropies.shape == (len(cores[0]), len(cores) - 1)
    for bond, shares in enumerate(bond_spectra(cores)):
        for g, share in enumerate(shares):
            expected = schmidt_shares([core[g] for core in cores], bond)
            n = min(len(expected), len(share))
            torch.testing.assert_close(share[:n], expected[:n], atol=1e-7, rtol=1e-6)
            entropy = torch.special.entr(expected).sum()
            torch.testing.assert_close(entropies[g, bond], entropy, atol=1e-5, rtol=1e-5)


@given(chains())
def test_the_form_of_a_chain_does_not_matter(chain):
    cores, _, _ = chain
    moved = bond_entropies(canonicalize(cores, -1))
    torch.testing.assert_close(moved, bond_entropies(cores), atol=1e-6, rtol=1e-6)


def test_rows_that_need_one_direction_send_nothing_else():
    """Two sites share one of three codes; rows know but the first of them."""
    delta = torch.zeros(1, 3, 3, 1, 3, dtype=torch.float64)
    for code in range(3):
        delta[0, code, code, 0, code] = 1
    ends = torch.ones(1, 1, 1, dtype=torch.float64)
    first = torch.einsum("gal,gslkr->gsakr", ends.expand(1, 1, 3), delta)
    last = torch.einsum("gslkr,grb->gslkb", delta, ends.expand(1, 3, 1))
    cores = [first, last]
    torch.testing.assert_close(bond_entropies(cores).item(), math.log(3))
    seen = torch.eye(3, dtype=torch.float64)[:1].repeat(5, 1)
    torch.testing.assert_close(bond_entropies(cores, prepare([seen, seen])).item(), 0.0)
    both = torch.eye(3, dtype=torch.float64)[:2]
    rows, weights = prepare([both, both]), torch.tensor([3.0, 1.0], dtype=torch.float64)
    torch.testing.assert_close(bond_entropies(cores, rows).item(), math.log(2))
    uneven = bond_spectra(cores, rows, weights)[0][0]
    torch.testing.assert_close(uneven[:2], torch.tensor([0.9, 0.1], dtype=torch.float64))


def test_one_site_has_no_bond():
    cores = ChainShape((3,)).random_cores(2, 1.0, torch.Generator())
    assert bond_entropies(cores).shape == (2, 0)
