"""Points of the half sphere follow their quadratic forms, and patches their chains."""

import math

import numpy as np
import pytest
import torch
from oracle import dense_matrix
from scipy import integrate, stats

from pulps.images import PatchBook, draw_images, draw_patches, draw_points, mode
from pulps.images import sphere_sampling as module
from pulps.network.basis import SphereBasis, embed
from pulps.network.lps import ChainShape, log_frobenius_norms, log_norms

BASIS = SphereBasis(3, scale=0.8)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def form(dim, rank, seed=0):
    root = torch.randn(dim, rank, generator=seeded(seed), dtype=torch.float64)
    return root @ root.T


def second_moment(matrix):
    """Mean of the outer product of a point with itself."""
    dim = len(matrix)
    identity = torch.eye(dim, dtype=matrix.dtype)
    return dim / (dim + 2) * (identity + 2 * matrix / matrix.trace())


def chain(n_sites=4, seed=0, n_chains=1):
    shape = ChainShape((3,) * n_sites, bond_dim=2, spacing=2, output_dim=2)
    return [core.double() for core in shape.random_cores(n_chains, 1.0, seeded(seed))]


def test_the_closed_second_moment_is_the_integral():
    nodes, weights = np.polynomial.legendre.leggauss(20)
    height, weight = torch.tensor((nodes + 1) / 2), torch.tensor(weights / 2)
    turn = 2 * math.pi * torch.arange(20, dtype=torch.float64) / 20
    ring = torch.stack([turn.cos(), turn.sin()], dim=1)
    radius = (1 - height**2).sqrt() / height / BASIS.scale
    points = BASIS((radius[:, None, None] * ring).flatten(0, 1))
    weight = weight.repeat_interleave(20) / 20
    matrix = form(3, 2)
    density = weight * ((points @ matrix) * points).sum(1) / matrix.trace()
    assert float(density.sum()) == pytest.approx(1)
    integral = points.T @ (density[:, None] * points)
    torch.testing.assert_close(integral, second_moment(matrix))


@pytest.mark.parametrize(("dim", "rank"), [(2, 2), (4, 1), (4, 3), (7, 7)])
def test_draws_have_the_second_moment_of_their_form(dim, rank):
    matrix = form(dim, rank)
    points = draw_points(matrix.expand(20_000, dim, dim), seeded())
    torch.testing.assert_close(points.norm(dim=1), torch.full((20_000,), dim**0.5).double())
    assert (points[:, 0] >= 0).all()
    outer = points[:, :, None] * points[:, None, :]
    error = (outer.mean(0) - second_moment(matrix)) / (outer.std(0) / math.sqrt(20_000))
    assert error.abs().max() < 5


@pytest.mark.parametrize("dim", [2, 5])
def test_under_a_form_of_rank_one_the_squared_cosine_is_beta(dim):
    axes = torch.nn.functional.normalize(torch.randn(2000, dim, generator=seeded(3)).double())
    points = draw_points(axes[:, :, None] * axes[:, None, :], seeded(1))
    cosine = (axes * points).sum(1) / math.sqrt(dim)
    law = stats.beta(1.5, (dim - 1) / 2)
    assert stats.kstest(cosine.square().numpy(), law.cdf).pvalue > 1e-3


def test_on_a_half_circle_angles_follow_their_density():
    matrix = form(2, 2, seed=5)
    points = draw_points(matrix.expand(3000, 2, 2), seeded(2))
    angles = torch.atan2(points[:, 1], points[:, 0]).numpy()
    grid = np.linspace(-math.pi / 2, math.pi / 2, 2001)
    at = math.sqrt(2) * np.stack([np.cos(grid), np.sin(grid)])
    density = np.einsum("ag,ab,bg->g", at, matrix.numpy(), at) / float(matrix.trace()) / math.pi
    heights = integrate.cumulative_simpson(density, x=grid, initial=0)
    assert heights[-1] == pytest.approx(1, abs=1e-9)
    assert stats.kstest(angles, lambda a: np.interp(a, grid, heights)).pvalue > 1e-3


def test_around_its_axis_a_draw_has_no_direction():
    axis = torch.nn.functional.normalize(torch.randn(3, generator=seeded(4)).double(), dim=0)
    points = draw_points(torch.outer(axis, axis).expand(3000, 3, 3), seeded(5))
    points = points * (points @ axis).sign()[:, None]
    side = torch.linalg.cross(axis, torch.eye(3, dtype=torch.float64)[0])
    side = side / side.norm()
    other = torch.linalg.cross(axis, side)
    turns = torch.atan2(points @ other, points @ side) / (2 * math.pi) + 0.5
    assert stats.kstest(turns.numpy(), "uniform").pvalue > 1e-3


def test_no_point_is_denser_than_the_mode():
    forms = torch.stack([form(4, 4, seed) for seed in range(6)])
    best = mode(forms)
    torch.testing.assert_close(best.norm(dim=1), torch.full((6,), 2.0).double())
    assert (best[:, 0] >= 0).all()
    at_best = torch.einsum("nsu,ns,nu->n", forms, best, best)
    points = draw_points(torch.eye(4).double().expand(2000, 4, 4), seeded())
    elsewhere = torch.einsum("nsu,ps,pu->np", forms, points, points)
    assert (elsewhere <= at_best[:, None]).all()
    torch.testing.assert_close(at_best, 4 * torch.linalg.eigvalsh(forms)[:, -1])


def test_the_chain_rule_reproduces_the_joint_density():
    cores = chain()
    draws = draw_patches(cores, BASIS, 6, seeded())
    features, observed = embed([BASIS] * 4, draws.coefficients)
    joint = 2 * (log_norms(cores, features, observed) - log_frobenius_norms(cores)[:, None])
    torch.testing.assert_close(draws.log_density, joint[0], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("per_row", [False, True])
def test_conditional_draws_have_the_conditional_density(per_row):
    cores = chain(seed=1)
    given = torch.full((5, 4, 2), math.nan, dtype=torch.float64)
    given[:, [0, 2]] = torch.randn(5, 2, 2, generator=seeded(2), dtype=torch.float64)
    if per_row:
        given[3, 0] = math.nan
    else:
        given = given[:1]
    draws = draw_patches(cores, BASIS, 5, seeded(), given=given)
    known = given.expand(5, -1, -1)
    assert draws.coefficients.isfinite().all()
    assert torch.equal(draws.coefficients[~known.isnan()], known[~known.isnan()])
    parts = [log_norms(cores, *embed([BASIS] * 4, rows)) for rows in (draws.coefficients, known)]
    joint = 2 * (parts[0] - parts[1])[0]
    torch.testing.assert_close(draws.log_density, joint, rtol=1e-8, atol=1e-8)


def test_two_patches_have_the_joint_second_moments_of_their_chain():
    cores = chain(2, seed=6)
    draws = draw_patches(cores, BASIS, 40_000, seeded(7)).coefficients
    first, second = (BASIS(draws[:, site]) for site in range(2))
    products = torch.einsum("ns,nu,np,nq->nsupq", first, first, second, second)
    P = dense_matrix([core[0] for core in cores])
    dense = (P.T @ P).reshape(3, 3, 3, 3)  # first, second, first, second
    eye = torch.eye(3, dtype=torch.float64)
    by_first = (
        torch.einsum("apaq,su->supq", dense, eye)
        + torch.einsum("spuq->supq", dense)
        + torch.einsum("upsq->supq", dense)
    )
    expected = (
        torch.einsum("suaa,pq->supq", by_first, eye)
        + torch.einsum("supq->supq", by_first)
        + torch.einsum("suqp->supq", by_first)
    ) * (3 / 5) ** 2
    expected = expected / torch.einsum("abab->", dense)
    error = (products.mean(0) - expected) / (products.std(0) / math.sqrt(40_000))
    assert error.abs().max() < 5
    alone = torch.einsum("supp,aapq->supq", expected, expected) / 9
    assert ((alone - expected) / (products.std(0) / 200)).abs().max() > 20  # they do depend


def test_one_condition_for_all_equals_the_same_condition_for_each():
    cores = chain(n_chains=2)
    given = torch.full((1, 4, 2), math.nan, dtype=torch.float64)
    given[0, 2] = 0.5
    shared = draw_patches(cores, BASIS, 7, seeded(8), given=given)
    own = draw_patches(cores, BASIS, 7, seeded(8), given=given.repeat(7, 1, 1))
    torch.testing.assert_close(shared.coefficients, own.coefficients, rtol=1e-6, atol=1e-7)
    torch.testing.assert_close(shared.log_density, own.log_density)


def test_members_average_their_conditional_densities():
    cores = chain(1, n_chains=2)
    drawn = draw_patches(cores, BASIS, 5, seeded())
    features, observed = embed([BASIS], drawn.coefficients)
    logs = 2 * (log_norms(cores, features, observed) - log_frobenius_norms(cores)[:, None])
    torch.testing.assert_close(drawn.log_density, logs.exp().mean(0).log())


def test_in_its_mode_each_patch_is_the_densest_given_those_before():
    cores = chain(2, seed=3)
    best = draw_patches(cores, BASIS, 2, seeded(), how="mode")
    torch.testing.assert_close(best.coefficients[0], best.coefficients[1])
    others = draw_patches(cores, BASIS, 500, seeded())
    first = best.coefficients.repeat(250, 1, 1)
    for site in range(2):
        rows = first.clone()
        rows[:, site] = others.coefficients[:, site]
        rows[:, site + 1 :] = math.nan
        top = first[:1].clone()
        top[:, site + 1 :] = math.nan
        at_top = log_norms(cores, *embed([BASIS] * 2, top))
        assert (log_norms(cores, *embed([BASIS] * 2, rows)) <= at_top + 1e-9).all()


def test_draws_in_parts_follow_each_rows_condition(monkeypatch):
    monkeypatch.setattr(module, "NUMBERS_AT_ONCE", 1)
    given = torch.full((4, 4, 2), math.nan, dtype=torch.float64)
    given[:, 1] = torch.arange(4.0)[:, None]
    draws = draw_patches(chain(), BASIS, 4, seeded(), given=given)
    assert torch.equal(draws.coefficients[:, 1], given[:, 1])
    assert draws.log_density.shape == (4,)
    assert len(draws.coefficients[:, 0].unique(dim=0)) == 4


def test_a_long_chain_stays_finite():
    draws = draw_patches(chain(200), BASIS, 3, seeded())
    assert draws.log_density.isfinite().all()
    assert draws.coefficients.isfinite().all()


@pytest.mark.parametrize("how", ["draw", "clear", "mode"])
def test_no_coefficient_goes_beyond_its_limits(how):
    low, high = torch.tensor([-0.1, 0.0]), torch.tensor([0.1, 0.2])
    free = draw_patches(chain(), BASIS, 20, seeded(), how=how).coefficients
    assert not ((free >= low) & (free <= high)).all()
    held = draw_patches(chain(), BASIS, 20, seeded(), how=how, limits=(low, high)).coefficients
    assert ((held >= low) & (held <= high)).all()


@pytest.mark.parametrize("channels", [(), (3,)])
def test_images_are_drawn_around_the_pixels_that_are_there(channels):
    images = torch.rand(10, 4, 4, *channels, generator=seeded(), dtype=torch.float64)
    book = PatchBook(2, 2).fit(images)
    everything = draw_images(chain(), BASIS, book, 3, seeded())
    assert everything.shape == (3, 4, 4, *channels)
    coefficients = draw_patches(chain(), BASIS, 3, seeded()).coefficients
    torch.testing.assert_close(everything, book.inverse_transform(coefficients))
    holed = images[:3].clone()
    holed[:, :2, 2:] = math.nan
    filled = draw_images(chain(), BASIS, book, 3, seeded(), given=holed)
    there = ~holed.isnan()
    assert torch.equal(filled[there], images[:3][there])
    assert filled.isfinite().all()
    expected = draw_patches(chain(), BASIS, 3, seeded(), given=book.transform(holed))
    rebuilt = book.inverse_transform(expected.coefficients)
    torch.testing.assert_close(filled[~there], rebuilt[~there])


def test_what_does_not_fit_is_said():
    with pytest.raises(ValueError, match="'draw', 'mode', 'clear'"):
        draw_patches(chain(), BASIS, 2, seeded(), how="mean")
    with pytest.raises(ValueError, match=r"\(1 or 2, 4, 2\)"):
        draw_patches(chain(), BASIS, 2, seeded(), given=torch.zeros(3, 4, 2))
