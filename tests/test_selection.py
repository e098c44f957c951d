"""Agreement and its guards."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from pulps.selection import agreement_matrix, kappa_matrix, select_members

LABELED = np.array([True, True] + [False] * 6)
GOOD = [1, 1, 1, 1, 1, 0, 0, 0]
NEAR = [1, 1, 1, 1, 0, 0, 0, 0]
ALL = [1] * 8
LOST = [0, 0, 1, 1, 1, 0, 0, 0]


def test_constant_twins_are_not_chosen_although_they_agree_perfectly():
    choice = select_members([ALL, GOOD, ALL, NEAR], LABELED)
    assert sorted(choice.chosen) == [1, 3]
    assert choice.agreement == pytest.approx(7 / 8)
    assert choice.sound.tolist() == [False, True, False, True]


def test_a_member_that_loses_the_labeled_rows_is_not_chosen():
    assert sorted(select_members([LOST, LOST, GOOD, NEAR], LABELED).chosen) == [2, 3]


def test_if_all_are_degenerate_the_result_says_so():
    choice = select_members([ALL, ALL], LABELED)
    assert not choice.sound.any()
    assert len(choice.chosen) == 2


def test_one_sound_member_has_no_agreement():
    choice = select_members([ALL, GOOD], LABELED)
    assert choice.chosen.tolist() == [1]
    assert np.isnan(choice.agreement)


def test_members_join_in_order_of_agreement_with_those_chosen():
    far = [1, 1, 0, 0, 0, 1, 1, 1]
    assert select_members([GOOD, far, NEAR], LABELED, size=3).chosen.tolist() == [0, 2, 1]
    assert len(select_members([GOOD, far, NEAR], LABELED, size=None).chosen) == 3


predictions = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(0, 1), min_size=n, max_size=n), min_size=2, max_size=4)
)


@given(predictions)
def test_agreement_is_symmetric_and_one_with_oneself(rows):
    matrix = agreement_matrix(rows)
    assert (matrix == matrix.T).all()
    assert (np.diag(matrix) == 1).all()


@given(predictions)
def test_kappa_equals_scikit_learns_where_that_is_defined(rows):
    ours = kappa_matrix(rows)
    for i, a in enumerate(rows):
        for j, b in enumerate(rows):
            if len({*a, *b}) == 2:
                assert ours[i, j] == pytest.approx(cohen_kappa_score(a, b))
            else:
                assert ours[i, j] == 0
