"""Toy sets."""

import numpy as np
import pandas as pd
import pytest

from pulps.datasets import (
    make_toy,
)


@pytest.mark.parametrize("name", ["moons", "circles", "blobs"])
def test_toy_sets_hide_labels_of_half_the_rows(name):
    X, y, y_true = make_toy(name, random_state=3)
    assert X.shape == (1000, 2)
    assert int(y.sum()) == 100
    assert int(y_true.sum()) == 500
    assert (y <= y_true).all()
    again = make_toy(name, random_state=3)
    pd.testing.assert_frame_equal(X, again.X)
    np.testing.assert_array_equal(y, again.y)
