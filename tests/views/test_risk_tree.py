"""Trees that descend a PU risk: the criterion by hand, and where they cut."""

import math

import numpy as np
import pytest

from pulps.views.risk_tree import grow_tree, node_risk


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
        n_candidates=1,
        loss="quadratic",
        non_negative=True,
        max_depth=None,
        min_samples_split=2,
        rng=np.random.RandomState(0),
    )
    np.testing.assert_array_equal(tree.predict(x) > 0.5, labeled)
    assert tree.predict(np.array([[-9.0], [99.0]])).tolist() == [1, 0]
