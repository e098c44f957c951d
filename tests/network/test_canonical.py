"""Canonical form: the same chains, isometries on both sides, the norm in the center."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oracle import dense_matrix
from strategies import chains

from pulps.network import ChainShape, canonicalize, log_frobenius_norms, log_norms


@given(chains(), st.data())
def test_the_chain_stays_and_the_norm_is_in_the_center(chain, data):
    cores, _, _ = chain
    center = data.draw(st.integers(-len(cores), len(cores) - 1))
    made = canonicalize(cores, center)
    for g in range(len(cores[0])):
        expected, found = (dense_matrix([core[g] for core in one]) for one in (cores, made))
        torch.testing.assert_close(found, expected)
    for site, core in enumerate(made):
        if site == center % len(cores):
            size = core.flatten(1).norm(dim=1).log()
            torch.testing.assert_close(size, log_frobenius_norms(cores))
            continue
        apart = "gslkr,gslkt->grt" if site < center % len(cores) else "gslkr,gsmkr->glm"
        gram = torch.einsum(apart, core, core)
        torch.testing.assert_close(gram, torch.eye(gram.shape[1]).to(gram).expand_as(gram))


def test_norms_that_no_number_holds_can_be_divided_out():
    shape = ChainShape((3,) * 200, bond_dim=4, spacing=2)
    cores = [3 * core for core in shape.random_cores(2, 1.0, torch.Generator().manual_seed(0))]
    with pytest.raises(ValueError, match=r"log-norm .* normalize=True"):
        canonicalize(cores, 100)
    made = canonicalize(cores, 100, normalize=True)
    torch.testing.assert_close(log_frobenius_norms(made), torch.zeros(2), atol=1e-4, rtol=0)
    features = [torch.randn(5, 3, generator=torch.Generator().manual_seed(1)) for _ in cores]
    moved = log_norms(cores, features) - log_norms(made, features)
    expected = log_frobenius_norms(cores)[:, None].expand_as(moved)
    torch.testing.assert_close(moved, expected, atol=1e-2, rtol=0)


def test_a_site_that_is_not_there_is_refused():
    cores = ChainShape((2, 2)).random_cores(1, 1.0, torch.Generator())
    with pytest.raises(ValueError, match="center is 2, but the chains have 2 sites"):
        canonicalize(cores, 2)
