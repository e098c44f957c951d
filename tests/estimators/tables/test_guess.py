"""A first guess of a table: what the network learns from it, and what stays as it was."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.datasets import load_digits, load_iris, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from pulps import ImageRecipe, LPSClassifier, LPSImageClassifier, hide_labels
from pulps.tables.notices import TableWarning
from pulps.training import loop
from pulps.training.loss import SIDES_ONLY, LossTerms, LossWeights, group_mean, group_means

QUICK = {"n_members": 2, "bond_dim": 4, "random_state": 0}


@pytest.fixture(scope="module")
def moons():
    X, truth = make_moons(240, noise=0.15, random_state=0)
    return X, hide_labels(truth, n_labeled=40, random_state=0), truth


@pytest.fixture(scope="module")
def fitted(moons):
    X, y, _ = moons
    return LPSClassifier(**QUICK).fit(X, y)


def test_the_network_ranks_what_its_teacher_ranks(fitted, moons):
    X, _, truth = moons
    assert roc_auc_score(truth, fitted.decision_function(X)) > 0.95


def test_every_label_is_shown_and_every_label_has_an_honest_score(fitted, moons):
    _, y, _ = moons
    assert fitted.threshold_report_.n_labeled == y.sum()
    assert 0 < fitted.threshold_report_.recall < 1


def test_only_the_terms_of_the_sides_are_on(fitted):
    assert not any(
        fitted.history_[name].any() for name in ("labeled", "positive", "negative", "balance")
    )
    assert (fitted.history_["logistic"] > 0).all()
    assert (fitted.history_["norm"] > 0).all()
    assert fitted.history_["logistic"][-1].mean() < fitted.history_["logistic"][0].mean()


def test_as_many_rows_are_called_positive_as_the_report_says(fitted, moons):
    X, y, _ = moons
    share = fitted.predict(X)[y == 0].mean()
    assert share == pytest.approx(fitted.threshold_report_.share, abs=0.01)


def test_the_cut_can_be_moved_after_the_fit(fitted, moons, tmp_path):
    X, y, _ = moons
    before = fitted.predict(X)
    few = fitted.with_threshold(share=0.1)
    assert few.predict(X)[y == 0].mean() == pytest.approx(0.1, abs=0.02)
    assert few.threshold_report_.rule == "share"
    again = fitted.with_threshold(value=few.threshold_report_.threshold)
    assert again.threshold_report_.share == pytest.approx(few.threshold_report_.share, abs=0.01)
    np.testing.assert_array_equal(again.predict(X), few.predict(X))
    most = fitted.with_threshold(recall=0.95)
    assert most.threshold_report_.recall >= 0.95
    assert most.predict(X)[y == 1].mean() > 0.9
    few.save(tmp_path / "few.pulps")
    np.testing.assert_array_equal(
        LPSClassifier.load(tmp_path / "few.pulps").with_threshold(recall=0.95).predict(X),
        most.predict(X),
    )
    np.testing.assert_array_equal(fitted.predict(X), before)


def test_without_a_first_guess_nobody_knows_what_another_cut_is_worth(moons):
    X, y, _ = moons
    model = LPSClassifier(first_guess=None, max_epochs=2, **QUICK).fit(X, y)
    with pytest.raises(ValueError, match="first_guess='consensus'"):
        model.with_threshold(share=0.1)


@pytest.mark.parametrize("teacher", [LogisticRegression(), KNeighborsClassifier(15)])
def test_a_classifier_may_guess_and_stays_as_it_was(teacher, moons, tmp_path):
    X, y, truth = moons
    model = LPSClassifier(first_guess=teacher, **QUICK).fit(X, y)
    assert roc_auc_score(truth, model.decision_function(X)) > 0.85
    assert not hasattr(teacher, "classes_")
    assert clone(model).first_guess is not teacher
    model.save(tmp_path / "model.pulps")
    again = LPSClassifier.load(tmp_path / "model.pulps")
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))


def test_what_cannot_guess_is_refused(moons):
    X, y, _ = moons
    with pytest.raises(ValueError, match="first_guess"):
        LPSClassifier(first_guess="neighbors").fit(X, y)


def test_a_known_prior_decides_how_many_are_positive(moons):
    X, y, _ = moons
    low, high = (
        LPSClassifier(prior=prior, **QUICK).fit(X, y).predict(X).mean() for prior in (0.35, 0.65)
    )
    assert low == pytest.approx(0.35, abs=0.03)
    assert high == pytest.approx(0.65, abs=0.03)


@pytest.mark.parametrize("n_labeled", [1, 2, 3])
def test_a_handful_of_labels_is_enough_to_fit(n_labeled, moons):
    X, _, truth = moons
    y = hide_labels(truth, n_labeled=n_labeled, random_state=0)
    with pytest.warns(TableWarning, match=f"Only {n_labeled} row"):
        model = LPSClassifier(max_epochs=5, **QUICK).fit(X, y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_columns_of_noise_hardly_disturb():
    rng = np.random.RandomState(0)
    truth = rng.rand(900) < 0.5
    X = rng.normal(size=(900, 40))
    X[:, :5] += 1.3 * truth[:, None]
    y = hide_labels(truth[:400].astype(int), label_frequency=0.3, random_state=0)
    teacher = LogisticRegression(C=0.1, class_weight="balanced")
    model = LPSClassifier(first_guess=teacher, **QUICK).fit(X[:400], y)
    assert roc_auc_score(truth[400:], model.decision_function(X[400:])) > 0.9


def test_holes_categories_and_weights_reach_the_guess():
    rng = np.random.RandomState(0)
    truth = rng.rand(160) < 0.5
    X = pd.DataFrame(
        {
            "number": np.where(rng.rand(160) < 0.1, np.nan, truth + rng.normal(0, 0.4, 160)),
            "word": np.where(rng.rand(160) < 0.2, "a", np.array(["b", "c"])[truth * 1]),
        }
    )
    y = (truth & (rng.rand(160) < 0.5)).astype(int)
    twice = rng.rand(160) < 0.3
    copies = np.repeat(np.arange(160), 1 + twice)
    quick = QUICK | {"max_epochs": 5}
    weighted = LPSClassifier(**quick).fit(X, y, sample_weight=1 + twice)
    repeated = LPSClassifier(**quick).fit(X.iloc[copies], y[copies])
    for one, other in zip(weighted.positive_cores_, repeated.positive_cores_, strict=True):
        np.testing.assert_array_equal(one, other)
    assert weighted.threshold_report_ == repeated.threshold_report_
    assert weighted.slope_ == repeated.slope_


def five_terms(logs, labeled, unlabeled, log_frobenius, weights, norm_weight, **options):
    """The paper's loss, written out; nothing else may be in it."""
    w, factor = weights, 2 if options["squared"] else 1
    (labeled, no_labels), (prior, _) = labeled, options["shares"]
    assert no_labels is None
    logs = factor * logs
    frobenius_p, frobenius_n = factor * log_frobenius
    ratio = logs[0] - logs[1]
    positive, negative = unlabeled * (ratio > 0), unlabeled * (ratio <= 0)
    groups = torch.stack([labeled, positive, negative])
    sphere = group_means((logs - w.sphere) ** 2, groups)
    kernel = group_means((logs - w.kernel) ** 2, groups)
    size = frobenius_p.abs() + frobenius_n.abs() + (frobenius_p - frobenius_n).abs()
    drift = group_mean(ratio, unlabeled)
    drift = drift - (2 * prior - 1) * group_mean(ratio.detach().abs(), unlabeled)
    return LossTerms(
        labeled=w.labeled_own * sphere[0] + w.labeled_other * kernel[1],
        positive=w.positive_own * sphere[2] + w.positive_other * kernel[3],
        negative=w.negative_other * kernel[4] + w.negative_own * sphere[5],
        norm=w.norm * norm_weight * size,
        balance=w.balance * drift**2,
        logistic=torch.zeros_like(norm_weight),
    )


@pytest.mark.parametrize("name", ["iris", "pima", "moons"])
def test_the_paper_trains_by_its_five_terms_to_the_bit(name, monkeypatch):
    X, classes = load_iris(return_X_y=True)
    y = hide_labels((classes > 0).astype(int), n_labeled=30, random_state=0)
    model = LPSClassifier.from_paper(name, n_members=2, max_epochs=5, random_state=0)
    assert model.first_guess is None
    assert model.recipe.loss_weights == LossWeights()
    assert LossWeights().logistic == LossWeights().size == 0
    plain = clone(model).fit(X, y)
    monkeypatch.setattr(loop, "state_loss", five_terms)
    by_hand = clone(model).fit(X, y)
    for part in ("positive_cores_", "negative_cores_"):
        for one, other in zip(getattr(plain, part), getattr(by_hand, part), strict=True):
            np.testing.assert_array_equal(one, other)
    for term, curve in plain.history_.items():
        np.testing.assert_array_equal(curve, by_hand.history_[term])


def test_images_may_learn_sides_as_well():
    digits, classes = load_digits(n_class=2, return_X_y=True)
    images = digits.reshape(-1, 8, 8)
    y = hide_labels(classes, n_labeled=10, random_state=0)
    recipe = ImageRecipe(
        loss_weights=SIDES_ONLY, pseudo_labels="soft", hint_size=20.0, hint_until=np.inf, own=2.0
    )
    model = LPSImageClassifier(
        size=None,
        patch_size=2,
        feature_dim=4,
        bond_dim=4,
        n_members=2,
        n_steps=40,
        recipe=recipe,
        random_state=0,
    ).fit(images, y)
    assert model.score(images, classes) > 0.95
    assert (model.history_["logistic"] > 0).all()
    assert not model.history_["balance"].any()
