"""Trees that descend a PU risk: the criterion by hand, and where they cut."""

import math

import numpy as np
import pytest

from pulps.views import risk_tree
from pulps.views.risk_tree import grow_tree, node_risk, tied_columns


def test_the_split_criterion_equals_the_hand_value():
    quadratic = {"loss": "quadratic", "non_negative": True}
    assert node_risk([0.1], [0.4], **quadratic) == pytest.approx(4 * 0.4 * 0.25 * 0.75)
    entropy = -0.4 * (0.25 * math.log(0.25) + 0.75 * math.log(0.75))
    assert node_risk([0.1], [0.4], loss="logistic", non_negative=True) == pytest.approx(entropy)
    assert node_risk([0.6], [0.4], **quadratic) == 0
    unbiased = node_risk([0.6], [0.4], loss="quadratic", non_negative=False)
    assert unbiased == pytest.approx(4 * 0.4 * 1.5 * (1 - 1.5))


def test_a_tree_splits_where_labeled_rows_end():
    x = np.arange(20.0)[:, None]
    labeled = x[:, 0] < 5
    tree = grow_tree(
        x,
        labeled * (0.25 / 5),
        np.full(20, 1 / 20),
        tied=tied_columns(x),
        n_candidates=1,
        loss="quadratic",
        non_negative=True,
        max_depth=None,
        min_samples_split=2,
        rng=np.random.RandomState(0),
    )
    np.testing.assert_array_equal(tree.predict(x) > 0.5, labeled)
    assert tree.predict(np.array([[-9.0], [99.0]])).tolist() == [1, 0]


def tree_of(rows, tied):
    labeled = np.arange(len(rows)) % 3 == 0
    return grow_tree(
        rows,
        labeled * (0.4 / labeled.sum()),
        np.full(len(rows), 1 / len(rows)),
        tied=tied,
        n_candidates=2,
        loss="quadratic",
        non_negative=True,
        max_depth=None,
        min_samples_split=2,
        rng=np.random.RandomState(3),
    )


@pytest.fixture(scope="module")
def some_rows():
    """Columns without ties, with many, and one that never varies."""
    draw = np.random.RandomState(0).standard_normal((120, 4))
    return np.column_stack([draw[:, 0], np.round(draw[:, 1:3]), draw[:, 3], np.ones(120)])


def test_columns_known_to_have_no_ties_are_split_as_if_they_had(some_rows):
    np.testing.assert_array_equal(tied_columns(some_rows), [1, 2, 4])
    quick, searched = tree_of(some_rows, np.array([1, 2, 4])), tree_of(some_rows, np.arange(5))
    for some, same in zip(quick, searched, strict=True):
        np.testing.assert_array_equal(some, same)


def test_no_node_is_split_where_nothing_varies(some_rows):
    tree = tree_of(some_rows, tied_columns(some_rows))
    assert 4 not in tree.feature
    equal = tree_of(np.ones((30, 2)), np.arange(2))
    assert len(equal.value) == 1


def test_candidates_in_parts_are_as_good_as_all_at_once(some_rows, monkeypatch):
    whole = tree_of(some_rows, tied_columns(some_rows))
    monkeypatch.setattr(risk_tree, "MOST_AT_ONCE", 1)
    for some, same in zip(tree_of(some_rows, tied_columns(some_rows)), whole, strict=True):
        np.testing.assert_array_equal(some, same)
