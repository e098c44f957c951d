"""The first guess of images: shares that are found, doubts that are told, images left out."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from sklearn.metrics import f1_score

from pulps import ImageRecipe, LPSImageClassifier, hide_labels
from pulps.decision import AgreementWarning
from pulps.estimators.images import guess as image_guess
from pulps.estimators.images.guess import LinkedImages, guess_images, hints_of
from pulps.estimators.images.kinds import PREFERENCE, kinds_of
from pulps.images import ImageSource
from pulps.training.loss import LossWeights, pu_loss
from pulps.training.pseudo_labels import sure_log_odds

SMALL = {"size": None, "patch_size": 2, "feature_dim": 4, "bond_dim": 4, "n_steps": 60}


@pytest.fixture(scope="module")
def digits():
    images, classes = load_digits(return_X_y=True)
    return torch.as_tensor(images.reshape(-1, 8, 8)).float() / 16, classes


def guessed(images, truth, n_labeled, prior=None):
    labeled = hide_labels(truth.astype(int), n_labeled=n_labeled, random_state=0) == 1
    kinds = kinds_of(images, ImageSource(images.numpy()), None)
    return guess_images(kinds, labeled, prior, torch.Generator().manual_seed(0))


@pytest.mark.parametrize("digit", [0, 4, 6])
def test_one_digit_in_ten_is_found_without_being_told_so(digits, digit):
    images, classes = digits
    guess = guessed(images, classes == digit, 20)
    assert f1_score(classes == digit, guess.hints > 0) > 0.95
    assert not guess.known


def test_a_share_that_is_given_is_kept(digits):
    images, classes = digits
    guess = guessed(images, classes == 0, 20, prior=0.3)
    unlabeled = ~guess.labeled
    assert (guess.hints > 0)[unlabeled].mean() == pytest.approx(0.3, abs=0.002)
    assert guess.known


def test_edges_are_believed_where_pixels_explain_a_label_hardly_better(digits):
    images, classes = digits
    chosen = np.isin(classes, (4, 8))
    images, truth = images[chosen], classes[chosen] == 4
    labeled = hide_labels(truth.astype(int), n_labeled=1, random_state=1) == 1
    kinds = kinds_of(images, ImageSource(images.numpy()), None)
    groups = [LinkedImages.of(kind, np.arange(len(truth))).group_of(labeled) for kind in kinds]
    edges, pixels = (group.cuts.evidence for group in groups)
    assert 0.1 < pixels - edges < PREFERENCE
    guess = guess_images(kinds, labeled, None, torch.Generator())
    np.testing.assert_array_equal(guess.hints, groups[0].hints()[0])


@pytest.mark.parametrize("n_labeled", [1, 20])
def test_brightness_counts_where_edges_tell_nothing(n_labeled):
    rng = np.random.default_rng(0)
    truth = np.arange(300) % 2 == 0
    images = torch.as_tensor(0.2 * rng.random((300, 8, 8)) + 0.5 * truth[:, None, None]).float()
    guess = guessed(images, truth, n_labeled)
    assert np.mean((guess.hints > 0) == truth) > 0.98


def test_hints_go_by_rank_on_either_side_of_the_cut():
    scores = np.random.default_rng(0).normal(size=1000)
    hints = hints_of(scores, 1.0)
    np.testing.assert_array_equal(hints > 0, scores > 1.0)
    assert hints.min() == -1
    assert hints.max() == 1
    assert (np.diff(hints[np.argsort(scores)]) >= 0).all()
    n_positive = (scores > 1.0).sum()
    for doubtful in (0.1, 0.5):  # as many on either side, however rare positives are
        near = np.abs(hints) <= doubtful
        assert near[scores > 1.0].sum() == pytest.approx(doubtful * n_positive, abs=1)
        assert near[scores <= 1.0].sum() == pytest.approx(doubtful * n_positive, abs=1)


def test_images_outside_the_draw_hear_what_their_neighbors_hear(digits, monkeypatch):
    images, classes = digits
    chosen = np.isin(classes, (4, 6))
    images, truth = images[chosen], classes[chosen] == 4
    monkeypatch.setattr(image_guess, "MOST_LINKED", 200)
    monkeypatch.setattr(image_guess, "ROWS_AT_ONCE", 64)
    guess = guessed(images, truth, 10)
    assert len(guess.rows) == 200 < len(images)
    assert np.isin(np.flatnonzero(guess.labeled), guess.rows).all()
    outside = np.setdiff1d(np.arange(len(images)), guess.rows)
    assert np.mean((guess.hints > 0)[outside] == truth[outside]) > 0.98
    assert np.abs(guess.hints).max() <= 1


def test_doubts_name_the_likely_shares_and_say_when_there_are_many_others(digits):
    images, classes = digits
    guess = guessed(images, classes == 0, 1)
    many_cuts = replace(guess.cuts, shares=np.linspace(0.1, 0.9, 41), recalls=np.full(41, np.nan))

    def told(odds):
        [doubt] = image_guess._doubts(replace(guess, cuts=replace(many_cuts, odds=odds)), 0.8)
        return doubt

    even = np.full(41, 0.4 / 40)
    assert "may be 50% of the unlabeled images, or one of many" in told(
        even + 0.59 * np.eye(41)[20]
    )
    two = even + 0.29 * (np.eye(41)[10] + np.eye(41)[30])
    assert "may be 30% or 70% of the unlabeled images. The" in told(two)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_states_hear_themselves_with_the_odds_of_the_share(share):
    settings = ImageRecipe(own=3.0).settings(1, share, guessed=True)
    positive, negative = settings.pseudo_labels(torch.zeros(1, 4, dtype=torch.float64), 0.0)
    odds = torch.full((1, 4), 3 * sure_log_odds(share), dtype=torch.float64)
    torch.testing.assert_close(positive.log() - negative.log(), odds)


@pytest.fixture(scope="module")
def many(digits):
    """Threes among threes, fives and eights, whose shapes are alike."""
    images, classes = digits
    chosen = np.isin(classes, (3, 5, 8, 9))
    return images[chosen].numpy(), (classes[chosen] == 3).astype(int)


def test_the_estimate_tells_when_one_label_is_not_enough(many):
    images, truth = many
    model = LPSImageClassifier(n_members=2, random_state=0, **SMALL)
    with pytest.warns(AgreementWarning, match="1 labeled image is not enough"):
        one = model.fit(images, hide_labels(truth, n_labeled=1, random_state=0))
    told = one.threshold_report_
    assert told.accuracy_interval[0] < 0.9
    assert told.n_labeled == 0
    many_labels = hide_labels(truth, n_labeled=40, random_state=0)
    report = model.fit(images, many_labels).threshold_report_
    assert report.accuracy == pytest.approx(model.score(images, truth), abs=0.03)
    assert report.n_labeled == 40
    for value, (low, high) in (
        (report.prior_of_unlabeled, report.prior_interval),
        (report.accuracy, report.accuracy_interval),
        (told.accuracy, told.accuracy_interval),
    ):
        assert low <= value <= high
    assert model.prior_ == pytest.approx(truth.mean(), abs=0.03)


def test_states_learn_soft_sides_by_the_logistic_loss():
    """Written out: an image counts by sigmoid(20 hint + 2 r) as positive, else as negative."""
    settings = ImageRecipe().settings(1, 0.5, guessed=True)
    generator = torch.Generator().manual_seed(0)
    log_p, log_n = torch.randn(2, 1, 12, generator=generator)
    hints = torch.rand(1, 12, generator=generator) - 0.5
    labeled = (torch.arange(12) < 3).float()[None]
    terms = pu_loss(
        log_p,
        log_n,
        labeled,
        1 - labeled,
        torch.zeros(1),
        torch.zeros(1),
        settings.weights,
        torch.ones(1),
        hints=settings.hint_at(0.9) * hints,
        own=settings.own,
        pseudo_labels=settings.pseudo_labels,
        squared=settings.squared,
    )
    ratio = 2 * (log_p - log_n)[0]
    side = torch.sigmoid(20 * hints[0] + 2 * ratio)[3:]
    right, wrong = torch.log1p(torch.exp(-ratio)), torch.log1p(torch.exp(ratio))
    expected = (
        right[:3].mean()
        + (side * right[3:]).sum() / side.sum()
        + ((1 - side) * wrong[3:]).sum() / (1 - side).sum()
    )
    torch.testing.assert_close(terms.total[0], expected)


def test_the_paper_knows_no_guess_and_no_logistic_loss():
    paper = LPSImageClassifier.from_paper()
    settings = paper.recipe.settings(1, 0.5)
    assert (paper.first_guess, paper.threshold) == (None, "balance")
    assert settings.weights == LossWeights()
    assert (settings.own, settings.pseudo_labels, settings.margin) == (1.0, None, 10.0)
