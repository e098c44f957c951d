"""The first guess of images: which are like any labeled one, as a whole or class by class."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits

from pulps.estimators.classes.image_guess import like_labeled
from pulps.estimators.images.guess import LinkedImages
from pulps.estimators.images.kinds import KINDS
from pulps.io.lazy_rows import LazyRows

DRAWN = [
    [228, 324, 603, 613, 626, 714, 887, 909, 919, 1043, 1053, 1355],
    [120, 135, 376, 692, 720, 791, 822, 847, 951, 1274, 1532, 1535],
    [253, 352, 426, 534, 554, 784, 816, 898, 899, 1327, 1685, 1763],
]


@pytest.fixture(scope="module")
def kinds():
    images = load_digits().images
    values = torch.as_tensor(images).float() / 16
    return [LinkedImages.of(LazyRows(values, kind), np.arange(len(images))) for kind in KINDS]


def found(kinds, digits, rows_of):
    """Share of the unlabeled digits that are rightly called like labeled ones or unlike them."""
    classes = load_digits().target
    known = np.full(len(classes), -1)
    for one, digit in enumerate(digits):
        known[rows_of(np.flatnonzero(classes == digit))[:12]] = one
    like = like_labeled(kinds, known)
    assert ((like >= 0) & (like <= 1)).all()
    return ((like > 0.5) == np.isin(classes, digits))[known < 0].mean()


def test_classes_that_are_no_group_together_are_cut_off_on_their_own(kinds):
    # A draw of labels of which the whole, cut off at once, would be half of all digits.
    drawn = dict(zip((4, 5, 8), DRAWN, strict=True))
    classes = load_digits().target
    assert found(kinds, (4, 5, 8), lambda rows: drawn[classes[rows[0]]]) > 0.9


def test_the_likeliest_groups_count_whatever_they_are_compared_by(kinds):
    drawn = {
        8: [18, 249, 255, 264, 274, 414, 515, 569, 664, 1057, 1271, 1789],
        6: [6, 82, 164, 262, 452, 792, 1245, 1252, 1393, 1519, 1623, 1771],
        9: [161, 293, 417, 555, 644, 675, 765, 805, 845, 1326, 1356, 1704],
    }
    classes = load_digits().target
    shares = [
        found(some, (8, 6, 9), lambda rows: drawn[classes[rows[0]]])
        for some in (kinds, kinds[:1], kinds[1:], kinds[::-1])
    ]
    assert shares[0] == shares[3] == max(shares) > 0.97


def test_labels_by_one_hand_do_not_shrink_the_classes(kinds):
    assert found(kinds, (3, 5, 9), lambda rows: rows) > 0.95
