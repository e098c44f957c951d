"""The sweep equals the dense truth, for every pattern of observed, traced and open sites."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oracle import dense_log_norms, dense_matrix, dense_operator, product_features
from strategies import chains

from pulps.network.basis import CosineBasis
from pulps.network.lps import ChainShape, density_forms, log_frobenius_norms, log_norms


def single(cores, chain):
    return [core[chain] for core in cores]


@given(chains())
def test_log_norm_equals_the_dense_norm(chain):
    cores, features, _ = chain
    for g, row_norms in enumerate(log_norms(cores, features)):
        dense = (product_features(features) @ dense_matrix(single(cores, g)).T).norm(dim=1).log()
        torch.testing.assert_close(row_norms, dense)


@given(chains())
def test_log_frobenius_norm_equals_the_dense_norm(chain):
    cores, _, _ = chain
    dense = torch.stack(
        [dense_matrix(single(cores, g)).norm().log() for g in range(len(cores[0]))]
    )
    torch.testing.assert_close(log_frobenius_norms(cores), dense)


@given(chains())
def test_any_missing_pattern_equals_the_dense_marginal(chain):
    cores, features, observed = chain
    norms = log_norms(cores, features, observed)
    for g in range(len(cores[0])):
        torch.testing.assert_close(norms[g], dense_log_norms(single(cores, g), features, observed))


@given(chains())
def test_all_missing_equals_the_frobenius_norm(chain):
    cores, features, observed = chain
    norms = log_norms(cores, features, torch.zeros_like(observed))
    torch.testing.assert_close(norms, log_frobenius_norms(cores)[:, None].expand_as(norms))


@given(chains(), st.data())
def test_open_site_equals_the_dense_form(chain, data):
    cores, features, observed = chain
    site = data.draw(st.integers(0, len(cores) - 1))
    forms = density_forms(cores, features, observed, site)
    dims = [core.shape[1] for core in cores]
    for g in range(len(cores[0])):
        gram = dense_matrix(single(cores, g))
        gram = gram.T @ gram
        for row in range(len(observed)):
            dense = torch.empty(dims[site], dims[site], dtype=gram.dtype)
            for a in range(dims[site]):
                for b in range(dims[site]):
                    parts = torch.ones(1, 1, dtype=gram.dtype)
                    for i, d in enumerate(dims):
                        if i == site:
                            local = torch.zeros(d, d, dtype=gram.dtype)
                            local[a, b] = 1
                        else:
                            local = dense_operator(
                                [features[i][row]], [bool(observed[row, i])], [d]
                            )
                        parts = torch.kron(parts, local)
                    dense[a, b] = (gram * parts).sum()
            dense = 0.5 * (dense + dense.T) / dense.trace()
            torch.testing.assert_close(forms[g, row], dense, rtol=1e-6, atol=1e-8)


def test_integrating_an_attribute_out_equals_tracing_its_site():
    basis = CosineBasis(4)
    grid = torch.linspace(0, 1, 20001, dtype=torch.float64)
    generator = torch.Generator().manual_seed(0)
    cores = [
        c.double()
        for c in ChainShape((4,) * 5, bond_dim=3, spacing=2).random_cores(1, 1, generator)
    ]
    row = torch.rand(5, generator=generator, dtype=torch.float64)
    features = [basis(row[site].expand(len(grid))) for site in range(5)]
    features[2] = basis(grid)
    integral = torch.trapezoid((2 * log_norms(cores, features)[0]).exp(), grid)
    observed = torch.tensor([[True, True, False, True, True]])
    marginal = log_norms(cores, [f[:1] for f in features], observed)
    torch.testing.assert_close(integral, (2 * marginal).exp()[0, 0], rtol=1e-7, atol=0)


@given(chains())
def test_a_stacked_chain_equals_the_same_chain_alone(chain):
    cores, features, observed = chain
    stacked = log_norms(cores, features, observed)
    for g in range(len(cores[0])):
        alone = log_norms([core[g : g + 1] for core in cores], features, observed)
        torch.testing.assert_close(stacked[g : g + 1], alone)


@given(chains())
def test_float32_agrees_with_float64(chain):
    cores, features, observed = chain
    single_precision = log_norms(
        [c.float() for c in cores], [f.float() for f in features], observed
    )
    torch.testing.assert_close(
        single_precision.double(), log_norms(cores, features, observed), rtol=1e-4, atol=1e-3
    )


@pytest.mark.parametrize("scale", [0.05, 1.0, 20.0])
def test_three_thousand_sites_stay_finite_in_float32(scale):
    generator = torch.Generator().manual_seed(0)
    shape = ChainShape((2,) * 3000, bond_dim=4, spacing=10)
    cores = [c.requires_grad_() for c in shape.random_cores(2, scale, generator)]
    features = [torch.rand(3, 2, generator=generator) for _ in cores]
    total = log_norms(cores, features).sum() + log_frobenius_norms(cores).sum()
    total.backward()
    assert total.isfinite()
    assert all(core.grad.isfinite().all() for core in cores)


def test_output_legs_sit_on_every_spacing_th_site_and_the_last():
    shape = ChainShape((5,) * 7, bond_dim=2, spacing=3, output_dim=4)
    assert [output for _, _, output, _ in shape.core_shapes()] == [1, 1, 4, 1, 1, 4, 4]


def test_the_paper_lets_the_output_dimension_be_the_feature_dimension():
    assert ChainShape((2, 3), spacing=1).core_shapes() == [(2, 1, 2, 8), (3, 8, 3, 1)]


def test_near_identity_without_noise_gives_every_row_norm_one():
    shape = ChainShape((3, 4, 2), bond_dim=3, spacing=2, output_dim=2)
    bases = [CosineBasis(d) for d in shape.feature_dims]
    cores = shape.near_identity_cores([b.constant() for b in bases], 2, 0.0, torch.Generator())
    features = [b(torch.rand(5)) for b in bases]
    torch.testing.assert_close(log_norms(cores, features), torch.zeros(2, 5))
