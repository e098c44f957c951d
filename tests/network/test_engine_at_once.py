"""Log-norms and Frobenius norms of one call equal those of two."""

import pytest
import torch

from pulps.network import engine
from pulps.network.engine import native
from pulps.network.lps import ChainShape

BUILT = ["torch", "native"] if native.load()[0] is not None else ["torch"]
SHAPE = ChainShape((3,) * 7, bond_dim=4, spacing=3, output_dim=2)


def sample(missing=0.0, n_rows=20, n_chains=2):
    """Draw cores, features and which sites are observed, in double."""
    generator = torch.Generator().manual_seed(0)
    cores = [core.double() for core in SHAPE.random_cores(n_chains, 1.0, generator)]
    features = [
        torch.rand(n_rows, d, generator=generator, dtype=torch.float64) + 0.1
        for d in SHAPE.feature_dims
    ]
    observed = torch.rand(n_rows, SHAPE.n_sites, generator=generator) >= missing
    return [core.requires_grad_() for core in cores], features, observed


@pytest.mark.parametrize("name", BUILT)
@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_norms_at_once_are_those_of_two_calls(monkeypatch, name, missing, weighted):
    monkeypatch.setenv("PULPS_ENGINE", name)
    cores, features, observed = sample(missing)
    common = [torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)] * 7 if weighted else None
    batch = engine.prepare(features, observed, common)
    row_weights = torch.linspace(-1, 1, batch.n_rows, dtype=torch.float64)

    def total(logs, frobenius):
        return (logs * row_weights).sum() + 3 * frobenius.sum()

    at_once = engine.all_log_norms(cores, batch)
    apart = engine.log_norms(cores, batch), engine.log_frobenius_norms(cores)
    for got, want in zip(at_once, apart, strict=True):
        torch.testing.assert_close(got, want)
    gradients = (torch.autograd.grad(total(*norms), cores) for norms in (at_once, apart))
    for got, want in zip(*gradients, strict=True):
        torch.testing.assert_close(got, want)


def test_the_gradient_of_one_of_all_norms_needs_none_of_the_other():
    cores, features, _ = sample()
    _, frobenius = engine.all_log_norms(cores, engine.prepare(features))
    wanted = torch.autograd.grad(engine.log_frobenius_norms(cores).sum(), cores)
    for got, want in zip(torch.autograd.grad(frobenius.sum(), cores), wanted, strict=True):
        torch.testing.assert_close(got, want)
