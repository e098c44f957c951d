"""Cuts of a graph: what they cost, which one the labels mean, and how sure that is."""

import numpy as np
import pytest

from pulps.estimators.images.graph_cut import _normalized_cuts, graph_cuts, log_odds
from pulps.estimators.images.neighbor_graph import NeighborGraph


def groups(*sizes, apart=6.0, seed=0):
    """Round groups of points side by side, and the group of each."""
    rng = np.random.default_rng(seed)
    of_point = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=(len(of_point), 2)) + apart * of_point[:, None], of_point


def cut(points, labeled):
    graph = NeighborGraph.of(points)
    spread = graph.spread(labeled, 0.999)
    return graph_cuts(graph, spread.scores, labeled, spread.honest), spread.scores


def test_the_cost_of_a_cut_is_what_counting_links_gives():
    points, _ = groups(20, 25)
    graph = NeighborGraph.of(points, 4)
    order = np.random.default_rng(1).permutation(45)
    links, costs = graph.links.toarray(), _normalized_cuts(graph, order)
    for size in (1, 7, 20, 44):
        inside = np.isin(np.arange(45), order[:size])
        crossed = links[inside][:, ~inside].sum()
        expected = crossed / links[inside].sum() + crossed / links[~inside].sum()
        assert costs[size] == pytest.approx(expected)


@pytest.mark.parametrize("n_positive", [60, 200, 400])
def test_the_share_of_a_group_is_found_and_not_assumed(n_positive):
    points, of_point = groups(n_positive, 600 - n_positive, apart=4.0)
    labeled = np.isin(np.arange(600), np.arange(0, 20, 2))
    cuts, scores = cut(points, labeled)
    found = scores > cuts.cuts[cuts.best]
    assert np.mean(found == (of_point == 0)) > 0.98
    assert cuts.shares[cuts.best] == pytest.approx((n_positive - 10) / 590, abs=0.02)
    assert cuts.odds @ cuts.expected_agreement(cuts.shares[cuts.best]) > 0.95


def test_labels_in_two_groups_mean_both():
    points, of_point = groups(150, 150, 300)
    one, two = np.arange(600) < 8, np.isin(np.arange(600), [0, 1, 2, 3, 150, 151, 152, 153])
    for labeled, meant in ((one, of_point == 0), (two, of_point < 2)):
        cuts, scores = cut(points, labeled)
        assert np.mean((scores > cuts.cuts[cuts.best]) == meant) > 0.97


def test_one_label_leaves_doubt_and_more_take_it_away():
    points, _ = groups(150, 150, 300, apart=3.0)
    unsure, sure = (cut(points, np.arange(600) < n)[0] for n in (1, 30))
    agreement = [
        cuts.odds @ cuts.expected_agreement(cuts.shares[cuts.best]) for cuts in (unsure, sure)
    ]
    assert np.isnan(unsure.recalls).all()
    assert agreement[0] < 0.95 < agreement[1]
    for cuts in (unsure, sure):
        assert cuts.odds.sum() == pytest.approx(1)


@pytest.mark.parametrize("seed", range(4))
def test_groups_that_overlap_are_cut_between_and_the_overlap_is_told(seed):
    """Labels on the far side do not make the larger set the one that is meant."""
    rng = np.random.default_rng(seed)
    points, of_point = groups(1000, 1000, apart=1.6, seed=seed)
    labeled = np.zeros(2000, bool)
    labeled[rng.permutation(1000)[:100]] = True
    cuts, scores = cut(points, labeled)
    right = np.mean((scores > cuts.cuts[cuts.best]) == (of_point == 0))
    assert right > 0.8
    told = 1 - cuts.expected_overlap[cuts.best]
    assert told == pytest.approx(right, abs=0.1)


def test_groups_that_are_apart_are_told_to_be():
    points, _ = groups(300, 300)
    cuts, _ = cut(points, np.arange(600) < 50)
    assert cuts.expected_overlap[cuts.best] < 0.01
    alone, _ = cut(points, np.arange(600) < 1)
    assert (alone.expected_overlap == 0).all()


def test_sets_of_one_label_are_as_likely_as_before_it_was_asked_how_many_lie_outside():
    shares, links = np.array([0.2, 0.5]), np.array([0.1, 0.1])
    known = log_odds(shares, links, 1, 1)
    assert known[0] - known[1] == pytest.approx(np.log((0.16 / 0.2) / (0.25 / 0.5)))
