"""The sweep over arrays equals the clear one, with the kernel and without."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from pulps.kernel import sweep
from pulps.kernel.library import load
from pulps.network import engine


@st.composite
def swept(draw):
    """Cores, features, what is observed, and weights, of a small stack of chains."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    n_sites, n_chains, n_rows = draw(st.tuples(*[st.integers(1, 5)] * 3))
    dims = [draw(st.integers(1, 4)) for _ in range(n_sites)]
    bonds = [1, *(draw(st.integers(1, 4)) for _ in range(n_sites - 1)), 1]
    outputs = [draw(st.integers(1, 2)) for _ in range(n_sites)]
    cores = [
        rng.normal(size=(n_chains, dims[i], bonds[i], outputs[i], bonds[i + 1]))
        for i in range(n_sites)
    ]
    features = [rng.normal(size=(n_rows, dim)) for dim in dims]
    observed = rng.random((n_rows, n_sites)) < draw(st.sampled_from([0.5, 1.0]))
    return cores, features, observed, [rng.random(dim) + 0.1 for dim in dims]


@pytest.mark.parametrize("with_kernel", [True, False])
@settings(max_examples=25)
@given(case=swept())
def test_a_sweep_over_arrays_equals_the_engine(with_kernel, case):
    if with_kernel and load()[0] is None:
        pytest.skip("there is no kernel")
    cores, features, observed, weights = case
    tensors = [[torch.as_tensor(one) for one in part] for part in (cores, features, weights)]
    wanted = engine.log_norms(tensors[0], tensors[1], torch.as_tensor(observed), tensors[2])
    with pytest.MonkeyPatch.context() as patch:
        if not with_kernel:
            patch.setattr(sweep, "load", lambda: (None, ""))
        found = sweep.log_norms(cores, features, observed, weights)
    np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-9, atol=1e-9)


def test_rows_that_do_not_fit_are_refused():
    core, phi = np.ones((1, 2, 1, 1, 1)), np.ones((3, 2))
    with pytest.raises(ValueError, match="1 sites, but features of 2"):
        sweep.log_norms([core], [phi, phi])
    with pytest.raises(ValueError, match=r"features of site 0 have shape \(3, 3\)"):
        sweep.log_norms([core], [np.ones((3, 3))])
    with pytest.raises(ValueError, match=r"must be .* and hold booleans"):
        sweep.log_norms([core], [phi], np.ones((3, 1)))
    assert sweep.log_norms([core], [phi[:0]]).shape == (1, 0)


def test_cores_that_are_no_chain_are_refused():
    """The kernel would read past their end."""
    phi, ends = np.ones((3, 2)), (np.ones((1, 2, 1, 1, 3)), np.ones((1, 2, 2, 1, 1)))
    with pytest.raises(ValueError, match="Before site 1 a bond of 3 meets one of 2"):
        sweep.log_norms(ends, [phi, phi])
    with pytest.raises(ValueError, match="site 0 has shape"):
        sweep.log_norms([np.ones((2, 1, 1))], [phi])
    with pytest.raises(ValueError, match="1, 2 chains"):
        sweep.log_norms([np.ones((1, 2, 1, 1, 1)), np.ones((2, 2, 1, 1, 1))], [phi, phi])


def test_more_than_the_kernel_counts_is_refused():
    """It counts in 32 bits: rows times features of a site, and the numbers of a core."""
    core, rows = np.ones((1, 2, 1, 1, 1)), np.broadcast_to(np.ones(2), (2**30, 2))
    with pytest.raises(ValueError, match="1073741824 rows are too many at once"):
        sweep.log_norms([core], [rows])
    vast = [np.broadcast_to(1.0, (1, 2, 1, 1, 2**15)), np.broadcast_to(1.0, (1, 2, 2**15, 1, 1))]
    with pytest.raises(ValueError, match=r"site 0 .* more than the kernel counts"):
        sweep.log_norms(vast, [np.ones((1, 2))] * 2)


@pytest.mark.parametrize(("told", "expected"), [("3", 3), ("2,1", 2)])
def test_the_environment_says_how_many_threads(monkeypatch, told, expected):
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    assert sweep.n_threads() == expected
    monkeypatch.setenv("OMP_NUM_THREADS", "many")
    assert sweep.n_threads() >= 1
