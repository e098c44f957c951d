"""Images of several classes: laws of `LPSSemiSupervisedImageClassifier`."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from pulps import LPSImageClassifier, LPSSemiSupervisedImageClassifier
from pulps.estimators.classes import image_guess
from pulps.estimators.images.density import ImageLikelihoodRecipe
from pulps.estimators.images.neighbor_graph import NeighborGraph
from pulps.estimators.progress import EpochTeller
from pulps.tables.notices import TableWarning

SMALL = dict(
    size=None, patch_size=2, feature_dim=4, bond_dim=4, n_members=2, n_steps=30, random_state=0
)


@pytest.fixture(scope="module")
def digits():
    images, classes = load_digits(n_class=4, return_X_y=True)
    images = images.reshape(-1, 8, 8)
    return images[:400], classes[:400]


def some_labels(classes, every=20):
    return np.where(np.arange(len(classes)) % every == 0, classes, -1)


@pytest.fixture(scope="module")
def fitted(digits):
    recipe = ImageLikelihoodRecipe(feature_dim=8, bond_dim=2, max_epochs=2, patch_size=2)
    model = LPSSemiSupervisedImageClassifier(**SMALL, density=recipe)
    return model.fit(digits[0], some_labels(digits[1]))


def test_a_few_labels_of_four_classes_are_enough(fitted, digits):
    images, classes = digits
    assert (fitted.transduction_ == classes).mean() > 0.95
    assert fitted.score(images, classes) > 0.95
    labeled = some_labels(classes) >= 0
    np.testing.assert_array_equal(fitted.transduction_[labeled], classes[labeled])
    states_alone = clone(fitted).set_params(density=None, blend=1.0, n_steps=120)
    assert states_alone.fit(images, some_labels(classes)).score(images, classes) > 0.9


def test_answers_agree_with_each_other(fitted, digits):
    chances = fitted.predict_proba(digits[0][:50])
    assert chances.shape == (50, 4)
    np.testing.assert_allclose(chances.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(
        fitted.classes_[fitted.decision_function(digits[0][:50]).argmax(axis=1)],
        fitted.predict(digits[0][:50]),
    )
    np.testing.assert_allclose(fitted.class_shares_["share"].sum(), 1)
    n_asked = fitted.held_out_confusion_.to_numpy().sum()
    assert n_asked == (some_labels(digits[1]) >= 0).sum()


def test_the_names_of_the_classes_do_not_matter(digits):
    images, classes = digits
    labels = some_labels(classes)
    numbers = LPSSemiSupervisedImageClassifier(**SMALL).fit(images, labels)
    names = np.array(["a", "b", "c", "d"], dtype=object)[labels]
    words = LPSSemiSupervisedImageClassifier(**SMALL)
    words.fit(images, np.where(labels < 0, None, names))
    np.testing.assert_array_equal(
        words.predict_proba(images[:30]), numbers.predict_proba(images[:30])
    )
    assert words.predict(images[:1])[0] in set("abcd")


def test_an_open_set_finds_images_like_none_that_are_labeled(digits):
    images, classes = digits
    labels = np.where(classes < 2, some_labels(classes, 8), -1)
    model = LPSSemiSupervisedImageClassifier(**SMALL, unlabeled_class=True).fit(images, labels)
    assert model.classes_.tolist() == [0, 1, -1]
    truth = np.where(classes < 2, classes, -1)
    assert (model.transduction_ == truth).mean() > 0.85


def test_a_saved_model_answers_the_same_and_a_forged_one_is_refused(fitted, digits, tmp_path):
    fitted.save(tmp_path / "model.pulps")
    loaded = LPSSemiSupervisedImageClassifier.load(tmp_path / "model.pulps")
    images = digits[0][:20].copy()
    images[0, :4] = np.nan
    np.testing.assert_array_equal(loaded.predict_proba(images), fitted.predict_proba(images))
    np.testing.assert_array_equal(
        loaded.sample(2, y=3, random_state=0), fitted.sample(2, y=3, random_state=0)
    )
    forged = clone(fitted)
    vars(forged).update(vars(fitted))
    forged.cores_ = fitted.cores_[:3]
    with pytest.raises(ValueError, match="cores of 4 classes"):
        forged.save(tmp_path / "forged.pulps")


def test_images_are_drawn_and_completed_class_by_class(fitted, digits):
    drawn = fitted.sample(3, y=2, random_state=0)
    assert drawn.shape == (3, 8, 8)
    half = digits[0][:2].astype(float)
    half[:, 4:] = np.nan
    full = fitted.complete(half, y=0)
    np.testing.assert_allclose(full[:, :4], half[:, :4], atol=1e-4)
    assert not np.isnan(full).any()
    with pytest.raises(ValueError, match="names no class"):
        fitted.sample(1)


def test_one_labeled_class_and_one_without_labels_is_positive_unlabeled_to_the_bit(digits):
    images, classes = digits
    labeled = (classes == 1) & (np.arange(len(classes)) % 10 < 3)
    labels = np.where(labeled, 1, -1)
    model = LPSSemiSupervisedImageClassifier(**SMALL, unlabeled_class=True).fit(images, labels)
    plain = LPSImageClassifier(**SMALL).fit(images, labeled.astype(int))
    assert model.classes_.tolist() == [1, -1]
    for states, cores in zip(
        model.cores_, (plain.positive_cores_, plain.negative_cores_), strict=True
    ):
        for one, other in zip(states, cores, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(model.predict(images) == 1, plain.predict(images) == 1)
    np.testing.assert_allclose(
        model.predict_proba(images)[:, 0], plain.predict_proba(images)[:, 1], atol=1e-12
    )
    assert (model.transduction_[labeled] == 1).all()
    np.testing.assert_array_equal(model.transduction_[~labeled], model.predict(images)[~labeled])
    np.testing.assert_allclose(model.class_shares_.loc[1, "share"], plain.prior_)
    with pytest.raises(ValueError, match="no sample_weight and no checkpoint"):
        model.fit(images, labels, np.ones(len(labels)))
    with pytest.raises(ValueError, match="two are needed"):
        model.set_params(unlabeled_class=False).fit(images, labels)


def test_honest_chances_are_those_of_a_graph_without_the_labels():
    rng = np.random.RandomState(0)
    points = np.concatenate([rng.randn(30, 2), rng.randn(30, 2) + 2])
    known = np.full(60, -1)
    known[[0, 1, 2, 3, 30, 31, 32, 33]] = [0] * 4 + [1] * 4
    graph = NeighborGraph.of(points, 5)
    spread = graph.spread_classes(known, 2, 0.9)
    ones = graph.spread_classes(known, 2, 0.9, np.full(60, 3.0))
    np.testing.assert_allclose(ones.honest, spread.honest)
    assert spread.asked.tolist() == (known >= 0).tolist()
    # Labels of one part, here the first of each class, are left out together.
    step = graph.links.toarray() / np.sqrt(np.outer(graph.degrees, graph.degrees))
    reach = np.linalg.inv(np.eye(60) - 0.9 * step)
    mass = 0.5 / np.stack([reach[:, known == c].sum(axis=1) for c in (0, 1)], 1).sum(axis=0)
    rest = np.stack([reach[0, [1, 2, 3]].sum(), reach[0, [31, 32, 33]].sum()]) * 4 / 3 * mass
    np.testing.assert_allclose(spread.honest[0], rest / rest.sum(), rtol=1e-5)
    whole = np.stack([reach[:, known == c].sum(axis=1) for c in (0, 1)], 1) * mass
    np.testing.assert_allclose(spread.chances, whole / whole.sum(axis=1, keepdims=True), rtol=1e-5)


def test_a_heavier_label_counts_as_much_as_its_copies():
    rng = np.random.RandomState(0)
    points = np.concatenate([rng.randn(30, 2), rng.randn(30, 2) + 2])
    known, weights = np.full(60, -1), np.ones(60)
    known[[0, 1, 30, 31]] = 0, 0, 1, 1
    weights[0] = 3
    graph = NeighborGraph.of(points, 5)
    spread = graph.spread_classes(known, 2, 0.9, weights)
    step = graph.links.toarray() / np.sqrt(np.outer(graph.degrees, graph.degrees))
    reach = np.linalg.inv(np.eye(60) - 0.9 * step)
    sent = np.stack([3 * reach[:, 0] + reach[:, 1], reach[:, 30] + reach[:, 31]], axis=1)
    mass = np.array([4, 2]) / 6 / sent.sum(axis=0)
    whole = sent * mass
    np.testing.assert_allclose(spread.chances, whole / whole.sum(axis=1, keepdims=True), rtol=1e-5)
    rest = np.array([reach[0, 1] * 4 / 1, reach[0, 31] * 2 / 1]) * mass
    np.testing.assert_allclose(spread.honest[0], rest / rest.sum(), rtol=1e-5)


def test_an_image_that_weighs_nothing_teaches_nothing_and_gets_an_answer(digits):
    images, classes = digits
    wrong, weights = some_labels(classes), np.ones(len(classes))
    wrong[::7], weights[::7] = (classes[::7] + 1) % 4, 0
    model = LPSSemiSupervisedImageClassifier(**SMALL).fit(images, wrong, weights)
    used = weights > 0
    alone = LPSSemiSupervisedImageClassifier(**SMALL).fit(images[used], wrong[used])
    np.testing.assert_array_equal(model.predict_proba(images), alone.predict_proba(images))
    np.testing.assert_array_equal(model.transduction_[used], alone.transduction_)
    assert (model.transduction_[~used] == classes[~used]).mean() > 0.9


def test_weights_count_in_training_and_in_shares(fitted, digits):
    images, classes = digits
    labels = some_labels(classes)
    weights = np.where(classes == 1, 5.0, 1.0)
    heavy = LPSSemiSupervisedImageClassifier(**SMALL).fit(images, labels, weights)
    truth = np.average(classes == 1, weights=weights)
    assert abs(heavy.class_shares_.loc[1, "share"] - truth) < 0.05
    assert heavy.held_out_confusion_.loc[1].sum() == 5 * (labels == 1).sum()
    alone = clone(heavy).set_params(first_guess=None)
    light = clone(alone).fit(images, labels).cores_[0][0]
    assert not np.array_equal(alone.fit(images, labels, weights).cores_[0][0], light)


def test_what_is_missing_is_said(digits):
    images, classes = digits[0][:40], digits[1][:40]
    model = LPSSemiSupervisedImageClassifier(**SMALL)
    with pytest.raises(ValueError, match=r"All images of the class \[2\] have sample_weight zero"):
        model.fit(images, classes, (classes != 2).astype(float))
    with pytest.raises(ValueError, match="Leave some images unlabeled"):
        clone(model).set_params(unlabeled_class=True).fit(images, classes)
    few = np.full(40, -1)
    for one in range(4):
        few[np.flatnonzero(classes == one)[0]] = one
    with pytest.warns(TableWarning, match="4 of 4 classes have one labeled image only"):
        model.fit(images, few)


def test_a_class_without_members_is_told(digits, monkeypatch):
    images, classes = digits
    labels = np.where(classes < 2, some_labels(classes, 8), -1)
    monkeypatch.setattr(image_guess, "like_labeled", lambda linked, known: np.ones(len(known)))
    model = LPSSemiSupervisedImageClassifier(**SMALL, unlabeled_class=True, blend=0.0)
    with pytest.warns(TableWarning, match="No training row is given to the class: -1"):
        model.fit(images, labels)
    assert set(model.transduction_) == {0, 1}


def test_permuting_the_classes_permutes_what_the_first_guess_says(digits):
    images, classes = digits
    labels, order = some_labels(classes), np.array([2, 0, 3, 1])
    told = dict(SMALL, n_steps=1, blend=0.0)
    one = LPSSemiSupervisedImageClassifier(**told).fit(images, labels)
    other = clone(one).fit(images, np.where(labels < 0, -1, order[labels]))
    np.testing.assert_allclose(
        one.predict_proba(images), other.predict_proba(images)[:, order], atol=1e-6
    )
    np.testing.assert_array_equal(order[one.transduction_], other.transduction_)


def test_a_fit_goes_on_from_its_checkpoint_to_the_same_cores(digits, tmp_path):
    images, labels = digits[0], some_labels(digits[1])
    small = dict(SMALL, batch_size=100)
    whole = LPSSemiSupervisedImageClassifier(**small).fit(images, labels)
    kept = LPSSemiSupervisedImageClassifier(**small, checkpoint=tmp_path / "fit.npz")

    class StopError(Exception):
        pass

    def stop(n_done, n_expected):
        if n_done == 3:
            raise StopError

    with pytest.raises(StopError):
        clone(kept).set_callbacks(EpochTeller(stop)).fit(images, labels)
    assert (tmp_path / "fit.npz").exists()
    other = images.copy()
    other[-1, 4, 4] += 1
    with pytest.raises(ValueError, match="checkpoint of another fit"):
        clone(kept).fit(other, labels)
    epochs = []
    going_on = clone(kept).set_callbacks(EpochTeller(lambda done, n: epochs.append(done)))
    going_on.fit(images, labels)
    assert not (tmp_path / "fit.npz").exists()
    assert len(epochs) < whole.n_iter_
    for one, same in zip(going_on.cores_, whole.cores_, strict=True):
        for core, as_whole in zip(one, same, strict=True):
            np.testing.assert_array_equal(core, as_whole)
