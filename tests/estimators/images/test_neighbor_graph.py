"""Labels that spread: the equation they solve, and scores without one's own label."""

import numpy as np
import pytest

from pulps.estimators.images.neighbor_graph import MOST_PARTS, NeighborGraph


@pytest.fixture(scope="module")
def points():
    return np.random.default_rng(0).normal(size=(160, 2))


def test_labels_spread_along_a_ring_before_they_jump():
    angle = np.linspace(0, 2 * np.pi, 200, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    points = np.concatenate([ring, 3 * ring])
    scores = NeighborGraph.of(points).spread(np.arange(400) == 0, 0.99).scores
    assert scores[:200].min() > scores[200:].max()
    across = np.linalg.norm(points[100] - points[0]), np.linalg.norm(points[200] - points[0])
    assert across[0] == pytest.approx(across[1])  # as far away, on the other ring


def test_spreading_solves_its_equation(points):
    points, n = points[:30], 30
    distance = np.linalg.norm(points[:, None] - points, axis=-1)
    links = np.zeros((n, n))
    for row, order in enumerate(np.argsort(distance, axis=1)):
        links[row, order[1:5]] = 1
    links = np.maximum(links, links.T)
    root = np.sqrt(links.sum(1))
    inverse = np.linalg.inv(np.eye(n) - 0.9 * links / np.outer(root, root))
    expected = np.log(inverse[:, :3].sum(1)) - np.log(inverse.sum(1))
    spread = NeighborGraph.of(points, 4).spread(np.arange(n) < 3, 0.9)
    np.testing.assert_allclose(spread.scores, expected, rtol=1e-6)


def test_an_honest_score_is_the_one_without_the_label(points):
    graph, labeled = NeighborGraph.of(points, 6), np.arange(160) < 8
    spread = graph.spread(labeled, 0.99)
    for row in range(8):
        without = graph.spread(labeled & (np.arange(160) != row), 0.99).scores[row]
        assert spread.honest[row] == pytest.approx(without + np.log(8 / 7), abs=1e-5)
    np.testing.assert_array_equal(spread.honest[8:], spread.scores[8:])


def test_many_labels_are_left_out_in_parts(points):
    graph, labeled = NeighborGraph.of(points, 6), np.arange(160) < 2 * MOST_PARTS
    spread = graph.spread(labeled, 0.99)
    others = labeled & ~np.isin(np.arange(160), [3, 3 + MOST_PARTS])
    without = graph.spread(others, 0.99).scores[3] + np.log(MOST_PARTS / (MOST_PARTS - 1))
    assert spread.honest[3] == pytest.approx(without, abs=1e-5)


def test_the_only_label_has_no_honest_score(points):
    spread = NeighborGraph.of(points, 6).spread(np.arange(160) == 5, 0.99)
    assert np.flatnonzero(np.isnan(spread.honest)).tolist() == [5]
    assert np.isfinite(spread.scores).all()
