import itertools

import numpy as np
import pytest
import torch

from pulps.network import lps
from pulps.network.basis import OneHotBasis, embed
from pulps.network.code_likelihood import fit_code_chains
from pulps.network.likelihood import LikelihoodRecipe

N_CODES, N_SITES = 3, 4
EVERY = torch.tensor(list(itertools.product(range(N_CODES), repeat=N_SITES)))
SMALL = LikelihoodRecipe(
    bond_dim=3, output_dim=1, n_members=1, max_epochs=30, learning_rate=0.03, held_out=0.1
)


@pytest.fixture(scope="module")
def truth():
    """The last code is the first one, nine times of ten; the others are free and uneven."""
    same = EVERY[:, 0] == EVERY[:, -1]
    weights = torch.where(same, 0.9, 0.05) * torch.tensor([0.7, 0.2, 0.1])[EVERY[:, 1]]
    return (weights / weights.sum()).double()


def drawn(shares, n_rows, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return EVERY[torch.multinomial(shares, n_rows, replacement=True, generator=generator)]


def probabilities(cores, rows):
    """By the slow sweep, of every combination of codes."""
    features, _ = embed([OneHotBasis(N_CODES)] * N_SITES, rows.double())
    cores = [core.double() for core in cores]
    return (2 * (lps.log_norms(cores, features) - lps.log_frobenius_norms(cores)[:, None])).exp()


def test_the_chain_is_a_density_near_the_true_one(truth):
    cores = fit_code_chains(drawn(truth, 3000), N_CODES, SMALL, torch.Generator().manual_seed(0))
    found = probabilities(cores, EVERY)[0]
    assert found.sum().item() == pytest.approx(1.0, abs=1e-5)
    assert 0.5 * (found - truth).abs().sum() < 0.1  # the rows themselves are .06 away
    # What no product of sites could know: the ends agree.
    ends = found[EVERY[:, 0] == EVERY[:, -1]].sum()
    assert ends.item() == pytest.approx(0.9, abs=0.03)


def test_without_a_step_codes_have_their_own_frequencies(truth):
    """The start is the product of the sites, but for its noise."""
    recipe = LikelihoodRecipe(bond_dim=1, output_dim=1, n_members=40, max_epochs=0, held_out=0)
    rows = drawn(truth, 2000)
    cores = fit_code_chains(rows, N_CODES, recipe, torch.Generator().manual_seed(0))
    for site in range(N_SITES):
        shares = torch.bincount(rows[:, site], minlength=N_CODES) / len(rows)
        squares = cores[site][:, :, 0, 0, 0].square()
        mean = (squares / squares.sum(1, keepdim=True)).mean(0)
        np.testing.assert_allclose(mean, shares, atol=0.1)


def test_it_is_kept_as_it_was_when_rows_it_did_not_see_were_likeliest(truth):
    """Few rows, many steps: held-out rows bring it nearer to the truth than none."""
    rows = drawn(truth, 60)
    errors = {}
    for share in (0.4, 0.0):
        size = {"bond_dim": 6, "output_dim": 1, "n_members": 3}
        recipe = LikelihoodRecipe(**size, max_epochs=120, held_out=share)
        cores = fit_code_chains(rows, N_CODES, recipe, torch.Generator().manual_seed(1))
        surprise = -(truth * probabilities(cores, EVERY).log()).sum(1)
        errors[share] = surprise.mean().item()
    assert errors[0.4] < errors[0.0]


def test_every_pass_is_told_and_a_seed_decides(truth):
    rows, told = drawn(truth, 200), []
    first, again = (
        fit_code_chains(
            rows, N_CODES, SMALL, torch.Generator().manual_seed(3), lambda: told.append(1)
        )
        for _ in range(2)
    )
    assert len(told) == 2 * SMALL.max_epochs
    for one, other in zip(first, again, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)
