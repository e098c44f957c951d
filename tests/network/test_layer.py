"""The layer of PyTorch: the engine's numbers, gradients where they are wanted."""

import pytest
import torch

from pulps.network import (
    CosineBasis,
    LPSLayer,
    OneHotBasis,
    SphereBasis,
    embed,
    log_frobenius_norms,
    log_norms,
    truncate,
)

BASES = [CosineBasis(3), OneHotBasis(4), CosineBasis(2), CosineBasis(3)]


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def some_rows(n=12, dtype=torch.float64):
    rows = torch.rand(n, 4, generator=seeded(1), dtype=dtype)
    rows[:, 1] = torch.randint(4, (n,), generator=seeded(2)).to(dtype)
    rows[2, 0] = rows[3, 1] = rows[4, :] = torch.nan
    return rows


def new_layer(**options):
    return LPSLayer(BASES, 3, bond_dim=3, spacing=2, generator=seeded(), **options).double()


def test_rows_have_the_log_norms_of_the_chains():
    layer, rows = new_layer(noise=1.0), some_rows()
    expected = log_norms(list(layer.cores), *embed(BASES, rows)).T
    torch.testing.assert_close(layer(rows), expected)
    torch.testing.assert_close(layer(layer.prepare(rows)), expected)
    torch.testing.assert_close(
        layer(rows)[4], log_frobenius_norms(list(layer.cores)), msg="nothing is seen"
    )
    torch.testing.assert_close(layer.log_frobenius_norms(), layer(rows)[4])


def test_without_noise_every_row_has_norm_one():
    layer = new_layer(noise=0.0)
    rows = some_rows()[5:]
    torch.testing.assert_close(layer(rows), torch.zeros(len(rows), 3).double())


@pytest.mark.parametrize("holes", [False, True])
def test_gradients_reach_cores_and_inputs(holes):
    layer, rows = new_layer(noise=1.0), some_rows()
    rows = rows[2:4] if holes else rows[5:7]
    layer(rows).sum().backward()
    by_engine = [core.grad.clone() for core in layer.cores]
    layer.zero_grad()
    rows.requires_grad_()
    layer(rows).sum().backward()
    for core, expected in zip(layer.cores, by_engine, strict=True):
        torch.testing.assert_close(core.grad, expected)
    moved = rows.detach().clone()
    moved[:, 3] += 1e-6
    with torch.no_grad():
        slope = (layer(moved) - layer(rows)).sum(1) / 1e-6
    torch.testing.assert_close(rows.grad[:, 3], slope, rtol=1e-4, atol=1e-4)


def test_it_learns_inside_a_module_and_comes_back_from_a_state_dict():
    rows = torch.rand(60, 4, generator=seeded(3))
    target = (rows[:, 0] > rows[:, 2]).long()
    model = torch.nn.Sequential(
        LPSLayer([CosineBasis(4)] * 4, 6, bond_dim=3, generator=seeded()), torch.nn.Linear(6, 2)
    )
    torch.nn.init.eye_(model[1].weight)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(40):
        loss = torch.nn.functional.cross_entropy(model(rows), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert (model(rows).argmax(1) == target).float().mean() > 0.95
    again = torch.nn.Sequential(
        LPSLayer([CosineBasis(4)] * 4, 6, bond_dim=3), torch.nn.Linear(6, 2)
    )
    again.load_state_dict(model.state_dict())
    torch.testing.assert_close(again(rows), model(rows), rtol=0, atol=0)


def test_smaller_cores_make_a_layer_again():
    layer, rows = new_layer(noise=1.0), some_rows()
    smaller = LPSLayer(BASES, cores=truncate(list(layer.cores)))
    assert sum(p.numel() for p in smaller.parameters()) <= sum(
        p.numel() for p in layer.parameters()
    )
    torch.testing.assert_close(smaller(rows), layer(rows), atol=1e-5, rtol=0)
    assert "n_sites=4, n_chains=3, widest_bond=3" in repr(layer)


def test_sites_may_hold_several_numbers():
    layer = LPSLayer([SphereBasis(4)] * 2, 2, bond_dim=2, generator=seeded())
    assert layer(torch.zeros(5, 2, 3)).shape == (5, 2)


def test_what_does_not_fit_is_refused():
    layer = new_layer()
    with pytest.raises(ValueError, match=r"\(rows, 4\) is wanted"):
        layer(torch.zeros(3, 5).double())
    with pytest.raises(ValueError, match="one basis per core"):
        LPSLayer(BASES[:3], cores=list(layer.cores))
