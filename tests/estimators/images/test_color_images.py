"""Color images of 64 x 64 pixels from end to end, and features that the user computes."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from pulps import LPSImageClassifier, hide_labels
from pulps.datasets import make_pictures
from pulps.images import ImageFolder

SIDE = 64
SMALL = {"patch_size": 8, "bond_dim": 4, "n_members": 2, "n_steps": 40, "batch_size": 64}


@pytest.fixture(scope="module")
def pictures():
    return make_pictures(160, size=SIDE, n_labeled=8, random_state=0)


def test_64_by_64_by_3_from_end_to_end(pictures, tmp_path):
    images, y, _ = pictures
    model = LPSImageClassifier(size=SIDE, random_state=0, **SMALL).fit(images, y)
    fresh, _, truth = make_pictures(60, size=SIDE, random_state=1)
    assert model.score(fresh, truth) > 0.9
    model.save(tmp_path / "color.pulps")
    read = LPSImageClassifier.load(tmp_path / "color.pulps")
    decisions = model.decision_function(fresh)
    np.testing.assert_allclose(read.decision_function(fresh), decisions, rtol=0, atol=1e-5)
    holes = fresh.astype(float)
    holes[:, :16] = np.nan
    assert (read.predict(holes) == truth).mean() > 0.85


def test_a_folder_of_pictures_of_any_size(pictures, tmp_path):
    images, y, classes = pictures
    rng = np.random.default_rng(0)
    for number, (image, label) in enumerate(zip(images, y, strict=True)):
        folder = tmp_path / ("known" if label else "other")
        folder.mkdir(exist_ok=True)
        size = (SIDE + int(rng.integers(60)), SIDE + int(rng.integers(60)))
        Image.fromarray(image).resize(size).save(folder / f"{number:03}.png")
    folder = ImageFolder(tmp_path, size=SIDE)
    assert folder.shape == (len(images), SIDE, SIDE, 3)
    number = np.array([int(path.stem) for path in folder.paths])
    known = np.array([path.parent.name == "known" for path in folder.paths]).astype(int)
    np.testing.assert_array_equal(known, y[number])
    model = LPSImageClassifier(size=SIDE, random_state=0, **SMALL).fit(folder, known)
    assert (model.predict(folder) == classes[number]).mean() > 0.9


def mean_colors(images):
    """Numbers that do not know the classes, but do know which images are bright."""
    return np.asarray(images).reshape(len(images), -1, 3).mean(axis=1)


def test_neighbors_go_by_the_features_that_are_given(pictures, tmp_path):
    """Labels on the bright images spread to bright images, whatever these show."""
    images, _, _ = pictures
    light = np.random.default_rng(1).permutation(len(images)) < len(images) // 2
    images = np.where(light[:, None, None, None], 120 + images // 3, images // 3).astype(np.uint8)
    y = hide_labels(light.astype(int), n_labeled=8, random_state=0)
    seen = []

    def watched(batch):
        seen.append(batch)
        return mean_colors(batch)

    model = LPSImageClassifier(size=32, features=watched, random_state=0, **SMALL).fit(images, y)
    np.testing.assert_array_equal(np.concatenate(seen), images)
    assert model.threshold_report_.prior_of_unlabeled == pytest.approx(0.5, abs=0.05)
    assert (model.predict(images) == light).mean() > 0.9
    model.save(tmp_path / "model.pulps")
    read = LPSImageClassifier.load(tmp_path / "model.pulps")
    assert read.features is None
    np.testing.assert_array_equal(read.predict(images), model.predict(images))
    assert model.features is watched


@pytest.mark.parametrize("wrong", [lambda a: a[:, 0], lambda a: np.full((len(a), 2), np.nan)])
def test_features_of_another_shape_are_refused(pictures, wrong):
    images, y, _ = pictures
    model = LPSImageClassifier(size=32, features=wrong, **SMALL)
    with pytest.raises(ValueError, match="features gave"):
        model.fit(images, y)


def test_files_are_cut_to_the_proportions_that_are_asked_for(tmp_path):
    wide = np.zeros((10, 30), dtype=np.uint8)
    wide[:, 10:20] = 200
    Image.fromarray(wide).save(Path(tmp_path, "a.png"))
    gray = ImageFolder(tmp_path, size=5)
    assert gray.shape == (1, 5, 5)
    np.testing.assert_allclose(gray[0].astype(int), 200, atol=15)  # a little of its surroundings
    assert ImageFolder(tmp_path, size=(4, 12))[0].shape == (4, 12)
    with pytest.raises(ValueError, match="size"):
        ImageFolder(tmp_path, size=0)
