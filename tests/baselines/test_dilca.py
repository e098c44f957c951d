"""DILCA: values worked out by hand, and rows by a slow loop."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulps.baselines import DilcaDistance
from pulps.baselines._shared.codes import TableCoder
from pulps.baselines.others.dilca import choose_context, row_distances, symmetric_uncertainty
from pulps.tables.dependence import MISSING, pair_counts

SHOP = pd.DataFrame({"price": ["low", "low", "high"] * 4, "size": list("sml") * 4})


def test_dilca_equals_a_hand_computed_example():
    model = DilcaDistance().fit(SHOP)
    price, size = model.distances_
    # Given s, m or l the price is certain: (1 + 1 + 1) / 3.
    np.testing.assert_allclose(price, [[0, 1], [1, 0]])
    # P(l | high, low) = 1, 0; P(m | ·) = P(s | ·) = 0, ½: (1 + ¼) / 2 between l and the others.
    far = np.sqrt(0.625)
    np.testing.assert_allclose(size, [[0, far, far], [far, 0, 0], [far, 0, 0]])
    np.testing.assert_allclose(model.pairwise(SHOP[:1], SHOP[:3]), [[0, 0, np.sqrt(1.625)]])


def test_symmetric_uncertainty_by_hand():
    coder = TableCoder(missing="value")
    counts = pair_counts(coder.fit_transform(SHOP), coder.n_values_)
    alone = -(np.log(1 / 3) / 3 + 2 * np.log(2 / 3) / 3)  # the price; the size has log 3
    wanted = 2 * alone / (alone + np.log(3))  # the size tells the price: H(both) = log 3
    assert symmetric_uncertainty(counts, coder.n_values_)[0, 1] == pytest.approx(wanted)


def test_contexts_by_hand():
    uncertainty = np.array(
        [[0, 0.9, 0.6, 0.3], [0.9, 0, 0.7, 0.1], [0.6, 0.7, 0, 0.1], [0.3, 0.1, 0.1, 0]]
    )
    assert choose_context(uncertainty, 0, "sigma", 1.0).tolist() == [1, 2]  # mean 0.6
    assert choose_context(uncertainty, 0, "sigma", 0.4).tolist() == [1, 2, 3]
    # 1 is kept; 2 is closer to 1 than to 0; 3 is closer to 0 than to 1.
    assert choose_context(uncertainty, 0, "rr", 1.0).tolist() == [1, 3]


def test_an_attribute_nobody_speaks_for_has_the_overlap_distance():
    X = pd.DataFrame({"a": list("xxyy"), "b": list("uvuv")})
    model = DilcaDistance().fit(X)
    assert [context.tolist() for context in model.contexts_] == [[], []]
    np.testing.assert_allclose(model.pairwise(X[:1]), [[0]])
    np.testing.assert_allclose(model.pairwise(X[:1], X), [[0, 1, 1, np.sqrt(2)]])


cells = st.lists(
    st.tuples(st.integers(MISSING, 2), st.integers(MISSING, 1)), min_size=1, max_size=4
)


@given(cells, cells, st.integers(0, 100))
def test_rows_are_as_far_as_their_values(first, second, seed):
    rng = np.random.default_rng(seed)
    tables = [rng.random((3, 3)), rng.random((2, 2))]
    wanted = [
        [
            sum(
                0 if MISSING in (a, b) else table[a, b] ** 2
                for a, b, table in zip(one, other, tables, strict=True)
            )
            ** 0.5
            for other in second
        ]
        for one in first
    ]
    ours = row_distances(np.array(first), np.array(second), tables)
    np.testing.assert_allclose(ours, wanted, atol=1e-7)
