"""Forests of attributes sum over what is missing."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulps.baselines._shared.dependency_tree import ROOT, log_likelihood
from pulps.tables.dependence import MISSING


@st.composite
def forests(draw):
    n_values = draw(st.lists(st.integers(2, 3), min_size=3, max_size=4))
    parents = [ROOT] + [draw(st.integers(ROOT, k - 1)) for k in range(1, len(n_values))]
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    tables = [
        np.log(rng.dirichlet(np.ones(r), size=1 if parent == ROOT else n_values[parent]))
        for r, parent in zip(n_values, parents, strict=True)
    ]
    row = [draw(st.integers(MISSING, r - 1)) for r in n_values]
    return np.array(parents), tables, n_values, row


@given(forests())
def test_missing_attributes_are_summed_over(forest):
    parents, tables, n_values, row = forest
    total = 0.0
    for cell in product(*(range(r) for r in n_values)):
        if all(seen in (MISSING, value) for seen, value in zip(row, cell, strict=True)):
            total += np.exp(
                sum(
                    tables[i][0 if parents[i] == ROOT else cell[parents[i]], cell[i]]
                    for i in range(len(cell))
                )
            )
    ours = log_likelihood(np.array([row]), parents, tables)[0]
    assert ours == pytest.approx(np.log(total), abs=1e-9)
