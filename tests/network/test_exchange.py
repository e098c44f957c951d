"""Chains go to other libraries and come back with equal norms."""

import sys
from itertools import permutations
from types import ModuleType

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from strategies import chains

from pulps.network import (
    ChainShape,
    bond_entropies,
    from_arrays,
    log_frobenius_norms,
    log_norms,
    to_arrays,
    to_quimb,
    to_tensorkrowch,
)


def some_chain(n_sites=5, n_chains=2):
    shape = ChainShape((3, 2, 4, 3, 2)[:n_sites], bond_dim=3, spacing=2, output_dim=2)
    generator = torch.Generator().manual_seed(0)
    cores = [core.double() for core in shape.random_cores(n_chains, 1.0, generator)]
    dims = shape.feature_dims
    features = [torch.randn(3, d, generator=generator, dtype=torch.float64) for d in dims]
    return cores, features


@given(chains(), st.sampled_from([*permutations("gslkr")]))
def test_arrays_come_back_whatever_the_order_of_their_axes(chain, order):
    cores, _, _ = chain
    layout = "".join(order)
    back = from_arrays(to_arrays(cores, layout), layout)
    for core, again in zip(cores, back, strict=True):
        torch.testing.assert_close(again, core, rtol=0, atol=0)


def test_a_chain_of_a_stack_and_layouts_per_site():
    cores, features = some_chain()
    arrays = to_arrays(cores, "lskr", chain=1)
    layouts = ["skr", "lskr", "lsr", "lskr", "lsk"]
    short = [arrays[0][0], arrays[1], arrays[2][:, :, 0], arrays[3], arrays[4][..., 0]]
    back = from_arrays(short, layouts)
    torch.testing.assert_close(log_norms(back, features)[0], log_norms(cores, features)[1])


@pytest.mark.parametrize(
    ("arrays", "layout", "said"),
    [
        ([], "slkr", "No arrays"),
        ([np.ones((2, 1, 1))], "sxl", "layout is 'sxl'"),
        ([np.ones((2, 1, 1))], "ssl", "each once"),
        ([np.ones((1, 1))], "lr", "the feature s among them"),
        ([np.ones((2, 1, 1))] * 2, ["slr"], "2 arrays and 1 layouts"),
        ([np.ones((2, 1, 3)), np.ones((2, 4, 1))], "slr", "Site 1 has a left bond of 4"),
        ([np.ones((2, 3, 1))], "slr", "a chain begins with 1"),
        ([np.ones((2, 1, 3))], "slr", "a right bond of 3"),
        ([np.ones((2, 1, 1), dtype=complex)], "slr", "networks here are real"),
        ([np.ones((2, 1, 1), dtype=int)], "slr", "float32 or float64 is wanted"),
        ([np.full((2, 1, 1), np.nan)], "slr", "not finite"),
        ([np.ones((2, 1, 1, 1, 1))], "slr", "has 5 axes"),
        ([np.ones((2, 1, 3)), np.ones((2, 3, 1))], "slkr", "a layout per site"),
        ([np.ones((2, 1, 1)), np.ones((2, 1, 1), dtype="float32")], "slr", "in precision"),
    ],
)
def test_what_is_no_chain_is_refused(arrays, layout, said):
    with pytest.raises(ValueError, match=said):
        from_arrays(arrays, layout)


def test_an_axis_that_counts_is_not_dropped():
    cores, _ = some_chain()
    with pytest.raises(ValueError, match=r"no axis 'g'.*or name a chain"):
        to_arrays(cores, "slkr")
    with pytest.raises(ValueError, match="no axis 'k'"):
        to_arrays(cores, "slr", chain=0)


def test_arrays_are_copies():
    cores, _ = some_chain()
    arrays = to_arrays(cores, "gslkr")
    arrays[0][:] = 0
    again = from_arrays(arrays, "gslkr")
    arrays[1][:] = 0
    assert (cores[0] != 0).any()
    assert (again[1] != 0).any()


def test_the_norms_are_those_of_quimb():
    quimb = pytest.importorskip("quimb.tensor", reason="quimb is not installed")
    cores, features = some_chain()
    for chain in range(2):
        operator = to_quimb(cores, chain)
        size = np.log(np.abs(operator.norm()))
        np.testing.assert_allclose(size, log_frobenius_norms(cores)[chain])
        for row in range(3):
            state = quimb.MPS_product_state([phi[row].numpy() for phi in features])
            norm = np.log(np.abs(operator.apply(state).norm()))
            np.testing.assert_allclose(norm, log_norms(cores, features)[chain, row])


def test_a_state_of_quimb_comes_here_and_has_the_same_norm_and_entropies():
    quimb = pytest.importorskip("quimb.tensor", reason="quimb is not installed")
    state = quimb.MPS_rand_state(6, bond_dim=4, phys_dim=3, seed=0) * 2
    cores = from_arrays([np.array(array) for array in state.arrays], layout="lrs")
    np.testing.assert_allclose(log_frobenius_norms(cores).exp().item(), abs(state.norm()))
    state.normalize()
    theirs = [state.entropy(site) * np.log(2) for site in range(1, 6)]
    np.testing.assert_allclose(bond_entropies(cores)[0].numpy(), theirs, atol=1e-6)


def test_the_norms_are_those_of_tensorkrowch():
    pytest.importorskip("tensorkrowch", reason="tensorkrowch is not installed")
    cores, features = some_chain()
    for chain in range(2):
        module = to_tensorkrowch(cores, chain)
        assert isinstance(module, torch.nn.Module)
        vectors = module(features, inline_input=True, inline_mats=True).flatten(1)
        torch.testing.assert_close(vectors.norm(dim=1).log(), log_norms(cores, features)[chain])
        back = from_arrays(module.tensors, ["srk", *["lsrk"] * 3, "lsk"])
        found = log_frobenius_norms(back)[0]
        torch.testing.assert_close(found, log_frobenius_norms(cores)[chain])


@pytest.mark.parametrize("convert", [to_quimb, to_tensorkrowch])
def test_one_site_is_no_chain_elsewhere_and_a_missing_library_is_named(convert, monkeypatch):
    name = "quimb" if convert is to_quimb else "tensorkrowch"
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, f"{name}.tensor", None)
    with pytest.raises(ImportError, match=f"pip install {name}"):
        convert(some_chain()[0])
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, f"{name}.tensor", ModuleType(name))
    with pytest.raises(ValueError, match="has one site"):
        convert(some_chain(1)[0])
