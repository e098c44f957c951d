import numpy as np
import pytest

from pulps.datasets import make_pictures


def test_half_of_the_pictures_is_positive_and_some_of_these_are_labeled():
    X, y, y_true = make_pictures(30, size=20, n_labeled=4, random_state=0)
    assert X.shape == (30, 20, 20, 3)
    assert X.dtype == np.uint8
    assert y_true.sum() == 15
    assert y.sum() == 4
    assert (y <= y_true).all()
    np.testing.assert_array_equal(make_pictures(30, size=20, n_labeled=4, random_state=0).X, X)


def test_neither_a_color_nor_the_middle_tells_the_classes_apart():
    X, _, y_true = make_pictures(400, size=24, random_state=0)
    for number in (X.max(axis=(1, 2)).mean(axis=1), X[:, 12, 12, 0]):
        inside = [number[y_true == label].astype(float) for label in (0, 1)]
        between = abs(inside[0].mean() - inside[1].mean())
        assert between < 0.35 * np.concatenate(inside).std()


@pytest.mark.parametrize("wrong", [{"size": 8}, {"n_labeled": 200}, {"n_labeled": 0}])
def test_what_cannot_be_drawn_is_refused(wrong):
    with pytest.raises(ValueError, match="labels came; a picture has at least 16 x 16 pixels"):
        make_pictures(100, **wrong)
