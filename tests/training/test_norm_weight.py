"""The norm weight: bounds, directions, damping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulps.training.norm_weight import NormWeight

recalls = st.lists(st.floats(0, 1) | st.just(1.0), max_size=200)


@given(recalls)
def test_it_never_leaves_its_interval(history):
    weight = NormWeight()
    for recall in history:
        weight = weight.after_epoch(recall)
        assert weight.low <= weight.value <= weight.high


@given(recalls)
def test_it_grows_only_when_all_labeled_rows_are_found_and_shrinks_only_below_the_limit(history):
    weight = NormWeight()
    for recall in history:
        after = weight.after_epoch(recall)
        if recall == 1:
            assert after.value > weight.value or after.value == weight.high
        elif recall < 0.95:
            assert after.value < weight.value or after.value == weight.low
        else:
            assert after is weight
        weight = after


def test_each_turn_damps_the_factor_about_to_be_used():
    weight = NormWeight().after_epoch(1.0)
    assert (weight.grow, weight.shrink) == (1.1, 0.9)
    weight = weight.after_epoch(0.5)
    assert weight.shrink == pytest.approx(0.9**0.8)
    assert weight.grow == 1.1
    weight = weight.after_epoch(0.5)
    assert weight.shrink == pytest.approx(0.9**0.8)
    weight = weight.after_epoch(1.0)
    assert weight.grow == pytest.approx(1.1**0.8)
    weight = weight.after_epoch(0.0)
    assert weight.shrink == pytest.approx(0.9 ** (0.8 * 0.8))


def test_a_standstill_between_is_no_turn():
    weight = NormWeight().after_epoch(1.0).after_epoch(0.97).after_epoch(1.0)
    assert weight.value == pytest.approx(1.1**2)
