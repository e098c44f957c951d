"""Images of several classes: laws of `LPSSemiSupervisedImageClassifier`."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from pulps import LPSSemiSupervisedImageClassifier
from pulps.estimators.images.density import ImageLikelihoodRecipe
from pulps.estimators.images.neighbor_graph import NeighborGraph

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


def test_one_labeled_class_is_another_classifier_s(digits):
    images, classes = digits
    model = LPSSemiSupervisedImageClassifier(unlabeled_class=True)
    with pytest.raises(ValueError, match="use LPSImageClassifier"):
        model.fit(images, np.where(classes == 1, 1, -1))
    with pytest.raises(ValueError, match="two are needed"):
        model.set_params(unlabeled_class=False).fit(images, np.where(classes == 1, 1, -1))


def test_honest_chances_are_those_of_a_graph_without_the_labels():
    rng = np.random.RandomState(0)
    points = np.concatenate([rng.randn(30, 2), rng.randn(30, 2) + 2])
    known = np.full(60, -1)
    known[[0, 1, 2, 3, 30, 31, 32, 33]] = [0] * 4 + [1] * 4
    graph = NeighborGraph.of(points, 5)
    spread = graph.spread_classes(known, 2, 0.9)
    assert spread.asked.tolist() == (known >= 0).tolist()
    # Labels of one part, here the first of each class, are left out together.
    step = graph.links.toarray() / np.sqrt(np.outer(graph.degrees, graph.degrees))
    reach = np.linalg.inv(np.eye(60) - 0.9 * step)
    mass = 0.5 / np.stack([reach[:, known == c].sum(axis=1) for c in (0, 1)], 1).sum(axis=0)
    rest = np.stack([reach[0, [1, 2, 3]].sum(), reach[0, [31, 32, 33]].sum()]) * 4 / 3 * mass
    np.testing.assert_allclose(spread.honest[0], rest / rest.sum(), rtol=1e-5)
    whole = np.stack([reach[:, known == c].sum(axis=1) for c in (0, 1)], 1) * mass
    np.testing.assert_allclose(spread.chances, whole / whole.sum(axis=1, keepdims=True), rtol=1e-5)
