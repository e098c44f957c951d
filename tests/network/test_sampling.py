"""Draws follow the density they claim to follow; densities are densities."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from oracle import dense_matrix, product_features
from scipy import stats

from pulps.network import sampling
from pulps.network.basis import CosineBasis, OneHotBasis, SineBasis, SphereBasis
from pulps.network.cosines import evaluate, from_midpoints, midpoints
from pulps.network.lps import ChainShape
from pulps.network.sampling import Chains, conditionals, draw, log_masses, pair_density

NAN = float("nan")
LAYOUTS = {
    "numbers": ([CosineBasis(4), SineBasis(3)], [None, None]),
    "mixed": ([CosineBasis(3), OneHotBasis(3), SineBasis(2)], [None, 3, None]),
    "codes": ([OneHotBasis(2), OneHotBasis(3), OneHotBasis(2)], [2, 3, 2]),
    "codes as waves": ([CosineBasis(3), OneHotBasis(2), CosineBasis(4)], [4, 2, None]),
    "repeated numbers": (
        [CosineBasis(3), SineBasis(2), SineBasis(2), CosineBasis(3)],
        [None, None],
    ),
    "repeated codes": ([OneHotBasis(2), OneHotBasis(3)] * 2, [2, 3]),
    "repeated, mixed": (
        [CosineBasis(3), CosineBasis(3), SineBasis(2), OneHotBasis(4)],
        [None, 4],
    ),
}


def make(layout, seed=0, n_chains=1):
    bases, n_values = LAYOUTS[layout]
    shape = ChainShape(tuple(basis.dim for basis in bases), 3, 2, 2)
    generator = torch.Generator().manual_seed(seed)
    cores = [core.double() for core in shape.random_cores(n_chains, 1.0, generator)]
    return cores, bases, n_values


def blank(n_values, n_rows=1):
    return torch.full((n_rows, len(n_values)), NAN, dtype=torch.float64)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def dense_values(cores, bases, n_values, values):
    """Squared norms of one chain, with every matrix written out."""
    features = []
    for site, basis in enumerate(bases):
        attribute = site % len(n_values)
        at, count = values[:, attribute], n_values[attribute]
        if count is not None and not isinstance(basis, OneHotBasis):
            at = at / (count - 1)
        features.append(basis(at))
    dense = product_features(features) @ dense_matrix([core[0] for core in cores]).T
    return dense.square().sum(1)


def all_points(n_values, n_nodes=24):
    """Points and weights of a product rule: Gauss for numbers, all codes for categories."""
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    axes = [
        list(zip((nodes + 1) / 2, weights / 2, strict=True))
        if count is None
        else [(float(code), 1.0) for code in range(count)]
        for count in n_values
    ]
    grid = list(product(*axes))
    points = torch.tensor([[u for u, _ in point] for point in grid], dtype=torch.float64)
    return points, np.array([np.prod([w for _, w in point]) for point in grid])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_mass_is_the_integral_over_shared_values(layout):
    cores, bases, n_values = make(layout)
    points, weights = all_points(n_values)
    integral = weights @ dense_values(cores, bases, n_values, points).numpy()
    log_mass, exact = log_masses(Chains(cores, bases, n_values), blank(n_values), seeded())
    assert exact
    assert float(log_mass.exp()[0, 0]) == pytest.approx(integral, rel=1e-10)


def test_with_repeats_the_mass_is_not_the_frobenius_norm():
    cores, bases, n_values = make("repeated codes")
    chains = Chains(cores, bases, n_values)
    log_mass, _ = log_masses(chains, blank(n_values), seeded())
    assert float((log_mass - chains.log_values(blank(n_values))).abs()[0, 0]) > 0.1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_chain_rule_reproduces_the_joint_density(layout):
    cores, bases, n_values = make(layout, seed=2)
    chains = Chains(cores, bases, n_values)
    draws = draw(chains, blank(n_values), 6, seeded())
    log_mass, _ = log_masses(chains, blank(n_values), seeded())
    joint = dense_values(cores, bases, n_values, draws.values).log() - log_mass[0]
    torch.testing.assert_close(draws.log_density, joint, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("layout", LAYOUTS)
@given(seed=st.integers(0, 2**31))
def test_conditional_densities_are_densities(layout, seed):
    cores, bases, n_values = make(layout, seed, n_chains=2)
    chains = Chains(cores, bases, n_values)
    condition = blank(n_values)
    condition[0, 1] = 0.3 if n_values[1] is None else 1.0
    axis, coefficients = chains.axes[0], conditionals(chains, condition, 0)
    assert float(axis.totals(coefficients)[0]) == pytest.approx(1)
    at = torch.linspace(0, 1, 101, dtype=torch.float64) if n_values[0] is None else axis.nodes
    rows = coefficients.expand(len(at), -1)
    if n_values[0] is None:
        assert float(evaluate(rows, at).min()) > -1e-9
    else:
        assert float(coefficients.min()) >= 0


@pytest.mark.parametrize("layout", ["codes", "repeated codes"])
def test_frequencies_of_codes_match_their_probabilities(layout):
    cores, bases, n_values = make(layout, seed=4)
    points, _ = all_points(n_values)
    probability = dense_values(cores, bases, n_values, points)
    draws = draw(Chains(cores, bases, n_values), blank(n_values), 4000, seeded(1)).values
    counts = [int((draws == point).all(1).sum()) for point in points]
    expected = 4000 * (probability / probability.sum()).numpy()
    assert stats.chisquare(counts, expected).pvalue > 1e-3


def test_codes_in_waves_are_drawn_from_their_sum_not_their_integral():
    cores, bases, n_values = make("codes as waves", seed=1)
    points, weights = all_points(n_values)
    mass = weights * dense_values(cores, bases, n_values, points).numpy()
    expected = np.array([mass[points[:, 0] == code].sum() for code in range(4)]) / mass.sum()
    draws = draw(Chains(cores, bases, n_values), blank(n_values), 4000, seeded(2)).values
    counts = np.bincount(draws[:, 0].long(), minlength=4)
    assert stats.chisquare(counts, 4000 * expected).pvalue > 1e-3


@pytest.mark.parametrize("layout", ["numbers", "repeated numbers", "repeated, mixed"])
def test_numbers_follow_their_marginal(layout):
    cores, bases, n_values = make(layout, seed=3)
    points, weights = all_points([None, *n_values[1:]])
    total = weights @ dense_values(cores, bases, n_values, points).numpy()

    def cumulative(ends):
        parts = []
        for end in ends:
            stretched = points.clone()
            stretched[:, 0] *= end
            inside = dense_values(cores, bases, n_values, stretched).numpy()
            parts.append(end * (weights @ inside) / total)
        return np.array(parts)

    draws = draw(Chains(cores, bases, n_values), blank(n_values), 500, seeded(3)).values
    assert stats.kstest(draws[:, 0].numpy(), cumulative).pvalue > 1e-3


@pytest.mark.parametrize("layout", ["numbers", "repeated numbers"])
def test_the_second_number_follows_its_conditional(layout):
    cores, bases, n_values = make(layout, seed=5)
    draws = draw(Chains(cores, bases, n_values), blank(n_values), 300, seeded(4)).values
    nodes, weights = np.polynomial.legendre.leggauss(40)
    reached = []
    for first, second in draws.tolist():
        part = []
        for end in (second, 1.0):
            rows = torch.full((40, 2), first, dtype=torch.float64)
            rows[:, 1] = torch.tensor(end * (nodes + 1) / 2)
            inside = dense_values(cores, bases, n_values, rows).numpy()
            part.append(end * (weights @ inside))
        reached.append(part[0] / part[1])
    assert stats.kstest(reached, "uniform").pvalue > 1e-3


def test_resampling_reaches_the_exact_frequencies(monkeypatch):
    monkeypatch.setattr("pulps.network.chains.SWEEPS_ONCE", 1)
    cores, bases, n_values = make("repeated codes", seed=4)
    points, _ = all_points(n_values)
    probability = dense_values(cores, bases, n_values, points)
    chains = Chains(cores, bases, n_values)
    draws = draw(chains, blank(n_values), 20_000, seeded(5))
    assert draws.method == "resample"
    assert 0 < draws.efficiency < 1
    counts = np.array([int((draws.values == point).all(1).sum()) for point in points])
    expected = (probability / probability.sum()).numpy()
    np.testing.assert_allclose(counts / 20_000, expected, atol=0.015)
    log_mass, exact = log_masses(chains, blank(n_values), seeded(6))
    assert not exact
    assert float(log_mass.exp()[0, 0]) == pytest.approx(float(probability.sum()), rel=0.05)


def test_resampling_keeps_each_rows_condition(monkeypatch):
    monkeypatch.setattr("pulps.network.chains.SWEEPS_PER_ROW", 1)
    cores, bases, n_values = make("repeated codes", seed=4)
    condition = blank(n_values, 3000)
    condition[:, 0] = torch.arange(3000) % 2
    draws = draw(Chains(cores, bases, n_values), condition, 3000, seeded(7))
    assert draws.method == "resample"
    assert (draws.values[:, 0] == condition[:, 0]).all()
    points = torch.tensor([[1.0, code] for code in range(3)], dtype=torch.float64)
    expected = dense_values(cores, bases, n_values, points).numpy()
    counts = np.bincount(draws.values[1::2, 1].long(), minlength=3)
    np.testing.assert_allclose(counts / 1500, expected / expected.sum(), atol=0.05)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_conditioning_on_everything_returns_it(layout):
    cores, bases, n_values = make(layout)
    chains = Chains(cores, bases, n_values)
    rows = draw(chains, blank(n_values), 3, seeded()).values
    assert torch.equal(draw(chains, rows, 3, seeded()).values, rows)
    same = draw(chains, rows[:1], 5, seeded()).values
    assert torch.equal(same, rows[:1].expand(5, -1))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_condition_for_all_equals_the_same_condition_for_each(layout):
    cores, bases, n_values = make(layout, n_chains=2)
    chains = Chains(cores, bases, n_values)
    condition = blank(n_values)
    condition[0, -1] = 0.4 if n_values[-1] is None else 1.0
    shared = draw(chains, condition, 7, seeded(8))
    own = draw(chains, condition.repeat(7, 1), 7, seeded(8))
    torch.testing.assert_close(shared.values, own.values, rtol=0, atol=1e-7)
    torch.testing.assert_close(shared.log_density, own.log_density, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_an_ensemble_of_equals_draws_like_its_member(layout):
    cores, bases, n_values = make(layout)
    alone = draw(Chains(cores, bases, n_values), blank(n_values), 5, seeded())
    twice = Chains([torch.cat([core, core]) for core in cores], bases, n_values)
    torch.testing.assert_close(
        draw(twice, blank(n_values), 5, seeded()).values, alone.values, rtol=0, atol=1e-7
    )


def test_an_ensemble_averages_conditional_densities():
    cores, bases, n_values = make("codes", n_chains=2)
    condition = torch.tensor([[NAN, 1.0, NAN]], dtype=torch.float64)
    both = conditionals(Chains(cores, bases, n_values), condition, 0)
    each = [
        conditionals(Chains([core[g : g + 1] for core in cores], bases, n_values), condition, 0)
        for g in range(2)
    ]
    torch.testing.assert_close(both, (each[0] + each[1]) / 2)


@pytest.mark.parametrize("layout", ["mixed", "codes as waves", "repeated, mixed"])
def test_summing_a_pair_over_one_side_is_the_conditional_of_the_other(layout):
    cores, bases, n_values = make(layout, seed=6, n_chains=2)
    chains = Chains(cores, bases, n_values)
    pair = pair_density(chains, blank(n_values), (0, 1))
    single = conditionals(chains, blank(n_values), 0)[0]
    torch.testing.assert_close(chains.axes[1].totals(pair), single, rtol=1e-8, atol=1e-10)


def test_a_long_chain_stays_finite():
    bases = [CosineBasis(3)] * 200
    shape = ChainShape((3,) * 200, 2, 4, 2)
    cores = [core.double() for core in shape.random_cores(1, 2.0, seeded())]
    draws = draw(Chains(cores, bases, [None] * 200), blank([None] * 200), 4, seeded())
    assert draws.log_density.isfinite().all()
    assert ((draws.values >= 0) & (draws.values <= 1)).all()


@pytest.mark.parametrize("layout", ["numbers", "mixed", "codes", "repeated, mixed"])
def test_attributes_may_sit_in_any_order_along_the_chain(layout):
    cores, bases, n_values = make(layout, n_chains=2)
    n = len(n_values)
    order = list(range(n))[::-1]
    plain = Chains(cores, bases, n_values)
    turned = Chains(cores, bases, [n_values[a] for a in order], order)
    drawn = draw(plain, blank(n_values), 50, seeded())
    torch.testing.assert_close(
        turned.log_values(drawn.values[:, order]), plain.log_values(drawn.values)
    )
    for attribute in range(n):
        torch.testing.assert_close(
            conditionals(turned, blank(n_values), order[attribute]),
            conditionals(plain, blank(n_values), attribute),
        )
    given = blank(n_values)
    given[0, 0] = drawn.values[0, 0]
    masses, _ = log_masses(plain, given, seeded())
    torch.testing.assert_close(log_masses(turned, given[:, order], seeded())[0], masses)
    again = draw(turned, given[:, order], 20, seeded())
    assert again.values[:, order].isfinite().all()
    assert (again.values[:, order[0]] == given[0, 0]).all()


def test_even_draws_follow_the_density_more_closely_than_independent_ones():
    cores, bases, n_values = make("codes")
    chains = Chains(cores, bases, n_values)
    cells = torch.tensor(list(product(*map(range, n_values))), dtype=torch.float64)
    exact = torch.softmax(chains.log_values(cells)[0], dim=0)

    def error(even, seed):
        rows = draw(chains, blank(n_values), 1024, seeded(seed), even=even).values
        found = (rows[:, None] == cells).all(2).double().mean(0)
        return float((found - exact).abs().sum())

    even = [error(True, seed) for seed in range(8)]
    independent = [error(False, seed) for seed in range(8)]
    assert np.mean(even) < 0.3 * np.mean(independent)


def test_every_even_draw_alone_has_the_right_distribution():
    cores, bases, n_values = make("numbers")
    chains = Chains(cores, bases, n_values)
    first = [draw(chains, blank(n_values), 1, seeded(i), even=True).values[0] for i in range(400)]
    plain = draw(chains, blank(n_values), 4000, seeded(1)).values
    for attribute in range(2):
        test = stats.ks_2samp([float(row[attribute]) for row in first], plain[:, attribute])
        assert test.pvalue > 1e-3


def test_a_basis_that_is_no_sum_of_cosines_is_refused():
    core = torch.ones(1, 3, 1, 1, 1, dtype=torch.float64)
    with pytest.raises(ValueError, match="no sums of cosines"):
        sampling.Chains([core], [SphereBasis(3)], [None])


@pytest.mark.parametrize("basis", [CosineBasis(4), SineBasis(3)])
def test_the_degree_is_that_of_the_highest_cosine_in_a_product(basis):
    u = midpoints(64)
    products = torch.einsum("na,nb->nab", basis(u), basis(u)).flatten(1)
    coefficients = from_midpoints(64) @ products
    assert coefficients[basis.degree + 1 :].abs().max() < 1e-12
    assert coefficients[basis.degree].abs().max() > 0.1
