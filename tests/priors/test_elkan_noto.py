"""Elkan and Noto: right where the classes do not overlap, too large where they do."""

import numpy as np
import pytest
from populations import draw_gaussians, draw_scores
from prior_estimators import SCENARIOS, error, make
from sklearn.tree import DecisionTreeClassifier

from pulps.priors import ElkanNoto, elkan_noto
from pulps.priors.elkan_noto import label_share_of_scores
from pulps.priors.intervals import interval_around

NINE = np.arange(1, 10) / 10


def chance_of_a_label(scores, prior, distance, n_labeled=300, n_unlabeled=1200):
    """What the best classifier would say: the chance to be labeled, given the score."""
    positive, negative = np.exp(-((scores - distance) ** 2) / 2), np.exp(-(scores**2) / 2)
    unlabeled = n_unlabeled * (prior * positive + (1 - prior) * negative)
    return n_labeled * positive / (n_labeled * positive + unlabeled)


def test_elkan_noto_by_hand():
    found = elkan_noto([0.4, 0.6], [0.5, 0.5, 0.5, 0.0, 0.0])
    assert found.prior_of_unlabeled == pytest.approx(2 / 5 * (1 - 0.5) / 0.5)
    assert found.diagnostics == {"label_share": 0.5, "mean_unlabeled_score": 0.3}
    variance = 0.4 * 0.6 / 5 + (2 / 5 / 0.25) ** 2 * 0.02 / 2
    assert found.interval == interval_around(0.4, variance**0.5, 0.9)


@pytest.mark.parametrize("prior", NINE)
def test_elkan_noto_is_right_for_classes_apart_and_too_large_for_classes_that_overlap(prior):
    errors = []
    for distance in (8.0, 3.0, 1.5):
        labeled, unlabeled, _ = draw_scores(prior, distance)
        chances = (chance_of_a_label(s, prior, distance) for s in (labeled, unlabeled))
        errors.append(elkan_noto(*chances).prior_of_unlabeled - prior)
    assert errors[0] == pytest.approx(0, abs=0.01)
    assert errors[2] > errors[1] > 0.001
    assert errors[2] > 0.05 or prior > 0.8


def test_the_interval_of_elkan_noto_covers_roughly():
    covered = 0
    for seed in range(20):
        labeled, unlabeled, truth = draw_scores(0.4, 8.0, seed=seed)
        chances = (chance_of_a_label(s, truth.mean(), 8.0) for s in (labeled, unlabeled))
        low, high = elkan_noto(*chances).interval
        covered += low <= 0.4 <= high
    assert covered >= 15


def test_elkan_noto_wants_probabilities():
    with pytest.raises(ValueError, match=r"ranges from -1 to .*; expected probabilities"):
        elkan_noto([0.5, -1.0], [0.1, 0.2])


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("share", np.arange(1, 10) / 10)
def test_elkan_noto_finds_any_share_with_a_classifier_that_has_a_plateau(share, scenario):
    X, y, truth = draw_gaussians(share, scenario, distance=8, n_columns=1)
    stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    model = ElkanNoto(stump, scenario=scenario, random_state=0)
    assert error(model, X, y, truth) == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_where_classes_overlap_elkan_noto_overestimates_most(share, scenario):
    near, far = (draw_gaussians(share, scenario, distance=distance) for distance in (1.5, 3))
    model = make("elkan-noto", scenario=scenario)
    errors = [error(model, *far), error(model, *near)]
    assert 0.05 < errors[0] < errors[1]
    bound = error(make("bbe", scenario=scenario), *near)
    assert 0.02 < bound < errors[1]


def test_the_three_estimators_of_the_label_frequency_agree_without_overlap():
    labeled = np.repeat([True, False], [40, 160])
    f = np.repeat([0.4, 0.0], [100, 100])
    f[:100], f[100:] = 0.4, 0.0  # a hundred positives, of which forty are labeled
    assert [label_share_of_scores(f, labeled, kind) for kind in ("mean", "ratio", "max")] == [
        pytest.approx(0.4)
    ] * 3
