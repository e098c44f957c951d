"""Labels that are random are seldom doubted, also among mistakes; chosen ones are."""

import numpy as np
import pytest

from pulps.decision.random_labels import labels_look_random


def draw(seed, *, mistakes, n_labeled=60, n_hidden=140, n_columns=3):
    """Rows called positive: labeled positives, and hidden ones with some negatives among them."""
    rng = np.random.default_rng(seed)
    positive = rng.normal(size=(n_labeled + n_hidden, n_columns))
    wrong = (np.arange(len(positive)) >= n_labeled) & (rng.random(len(positive)) < mistakes)
    values = np.where(wrong[:, None], positive - 2.0, positive)
    return values, np.arange(len(values)) < n_labeled, np.ones(len(values), dtype=bool)


@pytest.mark.parametrize("mistakes", [0.0, 0.15, 0.4])
def test_random_labels_are_doubted_in_at_most_one_of_twenty(mistakes):
    doubted = 0
    for seed in range(100):
        rows = draw(seed, mistakes=mistakes)
        found = labels_look_random(*rows, precision=1 - mistakes, n_permutations=60)
        doubted += not found.look_random
    assert doubted <= 5


def test_mistakes_that_are_not_allowed_for_would_be_doubted():
    doubted = [
        not labels_look_random(
            *draw(seed, mistakes=0.4), precision=1.0, n_permutations=60
        ).look_random
        for seed in range(10)
    ]
    assert np.mean(doubted) > 0.7


def test_labels_chosen_by_a_column_are_doubted_and_the_column_is_named():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 4))
    labeled = (values[:, 2] > 0) & (rng.random(300) < 0.6)
    found = labels_look_random(values, labeled, np.ones(300, bool), precision=0.9)
    assert not found.look_random
    assert found.column == 2
    assert found.p_value < 0.02
    assert found.effect == pytest.approx(found.distances[2] - 0.1)


def test_categories_and_holes_are_compared_too():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, 300).astype(float)
    holes = np.where(rng.random(300) < 0.5, np.nan, rng.random(300))
    values = np.column_stack([codes, holes])
    called, kinds = np.ones(300, bool), np.array([True, False])
    by_code = (codes == 1) | (rng.random(300) < 0.1)
    by_hole = np.isnan(holes) & (rng.random(300) < 0.5)
    for labeled, column in ((by_code, 0), (by_hole, 1)):
        found = labels_look_random(values, labeled, called, precision=1.0, categorical=kinds)
        assert not found.look_random
        assert found.column == column


def test_rows_that_are_not_called_positive_do_not_count():
    values, labeled, called = draw(0, mistakes=0.0)
    far = np.full((500, 3), 50.0)
    more = (
        np.r_[values, far],
        np.r_[labeled, np.zeros(500, bool)],
        np.r_[called, np.zeros(500, bool)],
    )
    assert labels_look_random(*more, precision=1.0).distances == pytest.approx(
        labels_look_random(values, labeled, called, precision=1.0).distances
    )


def test_too_few_rows_tell_nothing():
    values, labeled, called = draw(0, mistakes=0.0)
    assert labels_look_random(values, labeled, called & ~labeled, precision=1.0) is None


def test_the_same_seed_gives_the_same_answer_and_large_tables_are_thinned():
    rows = draw(0, mistakes=0.1, n_labeled=2500, n_hidden=2500)
    first, again = (
        labels_look_random(*rows, precision=0.9, n_permutations=5, random_state=1)
        for _ in range(2)
    )
    assert first.p_value == again.p_value
    np.testing.assert_array_equal(first.distances, again.distances)
