"""The kernel refuses what it would misread."""

from itertools import pairwise

import pytest
import torch

from pulps.network.engine import native
from pulps.network.engine.rows import PreparedRows

pytestmark = pytest.mark.skipif(native.load()[0] is None, reason="there is no kernel")


def chain(bonds=(1, 3, 2, 1), n_chains=2, dtype=torch.float64):
    sizes = pairwise(bonds)
    return [torch.ones(n_chains, 2, left, 1, right, dtype=dtype) for left, right in sizes]


def rows(n_rows=4, dim=2, dtype=torch.float64, observed=None):
    return PreparedRows([torch.ones(n_rows, dim, dtype=dtype) for _ in range(3)], observed, None)


def other(cores, site, core):
    return [*cores[:site], core, *cores[site + 1 :]]


def test_a_sound_call_is_swept():
    observed = torch.ones(4, 3, dtype=torch.bool)
    assert native.log_norms(chain(), rows(observed=observed)).shape == (2, 4)


CORES = {
    "bonds that differ": (
        other(chain(), 1, torch.ones(2, 2, 5, 1, 2).double()),
        "3 meets",
    ),
    "an open end": (chain((1, 3, 2, 2)), "Before site 3 a bond of 2"),
    "an open start": (chain((2, 3, 2, 1)), "Before site 0"),
    "chains that differ": (other(chain(), 2, torch.ones(1, 2, 2, 1, 1).double()), "1, 2 chains"),
    "no chain": (chain(n_chains=0), "at least one"),
    "an axis too few": (other(chain(), 0, torch.ones(2, 2, 1, 3).double()), "site 0 has shape"),
    "another type": (other(chain(), 1, chain()[1].float()), "site 1 holds torch.float32"),
}


@pytest.mark.parametrize("case", CORES)
def test_cores_that_are_no_chain_are_refused(case):
    cores, message = CORES[case]
    with pytest.raises(ValueError, match=message):
        native.log_norms(cores, rows())
    with pytest.raises(ValueError, match=message):
        native.log_frobenius_norms(cores)


BATCHES = {
    "another dimension": (rows(dim=3), "features of site 0"),
    "another type": (rows(dtype=torch.float32), "features of site 0"),
    "a site too few": (PreparedRows(rows().features[:2], None, None), "features of 2 came"),
    "rows that differ": (
        PreparedRows([*rows().features[:2], torch.ones(3, 2).double()], None, None),
        "features of site 2",
    ),
    "a mask of numbers": (rows(observed=torch.ones(4, 3)), "hold booleans"),
    "a mask too short": (rows(observed=torch.ones(3, 3, dtype=torch.bool)), "hold booleans"),
    "a mask too narrow": (rows(observed=torch.ones(4, 2, dtype=torch.bool)), "hold booleans"),
    "more than 32 bits": (
        PreparedRows([torch.ones(1, 2).double().expand(2**30, 2)] * 3, None, None),
        "fewer rows at once",
    ),
}


@pytest.mark.parametrize("case", BATCHES)
def test_rows_that_do_not_fit_are_refused(case):
    batch, message = BATCHES[case]
    with pytest.raises(ValueError, match=message):
        native.log_norms(chain(), batch)


def test_a_batch_that_fits_some_chains_is_looked_at_again_for_others():
    batch = rows()
    native.log_norms(chain(), batch)
    with pytest.raises(ValueError, match="features of site 0"):
        native.log_norms(chain(dtype=torch.float32), batch)
