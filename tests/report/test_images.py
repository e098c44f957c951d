"""The report on images: pictures for rows, numbers that add up, nothing but data in the page."""

import base64
import json
import sys
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from pulps import LPSImageClassifier, LPSSemiSupervisedImageClassifier, hide_labels
from pulps.estimators.images.density import ImageLikelihoodRecipe
from pulps.images import ImageFolder
from pulps.report.pictures import LARGEST, picture

QUICK = {"size": None, "patch_size": 2, "feature_dim": 4, "bond_dim": 4, "random_state": 0}
NAMES = np.array(["<b>none</b>", "one", "two"], dtype=object)
pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


@pytest.fixture(scope="module")
def images():
    digits, classes = load_digits(n_class=3, return_X_y=True)
    return digits[:240].reshape(-1, 8, 8), classes[:240]


@pytest.fixture(scope="module")
def of_classes(images):
    digits, classes = images
    labels = np.where(np.arange(len(classes)) % 4 == 0, NAMES[classes], None)
    wrong = int(np.flatnonzero(labels == "two")[0])
    labels[wrong] = "one"
    density = ImageLikelihoodRecipe(patch_size=2, feature_dim=8, bond_dim=4, max_epochs=2)
    model = LPSSemiSupervisedImageClassifier(n_members=2, n_steps=30, density=density, **QUICK)
    model.fit(digits, labels)
    return model, labels, model.report(digits, labels, title="Digits", n_rows=5)


@pytest.fixture(scope="module")
def of_positives(images):
    digits, classes = images
    y = hide_labels(classes == 0, n_labeled=20, random_state=0)
    model = LPSImageClassifier(n_members=2, n_steps=30, **QUICK).fit(digits, y)
    ids = [f"scan {i}" for i in range(len(y))]
    return model, y, model.report(digits, y, ids=ids, title="Rings")


def decoded(text):
    return np.asarray(Image.open(BytesIO(base64.b64decode(text))))


@pytest.mark.parametrize("kind", ["of_classes", "of_positives"])
def test_the_data_are_plain_and_the_page_is_whole(kind, request):
    *_, report = request.getfixturevalue(kind)
    assert json.loads(json.dumps(report.data, allow_nan=False)) == report.data
    page = report.html()
    for section in ("answer", "classes", "candidates-section", "doubtful", "details"):
        assert f'id="{section}"' in page
    assert "<b>none" not in page
    assert report.data["title"] in repr(report)
    for link in set(page.split('href="#')[1:]):
        name = link.split('"')[0]
        assert f'id="{name}"' in page


def test_listed_images_are_unlabeled_the_likeliest_of_their_class_and_shown_as_they_came(
    of_classes, images
):
    model, labels, report = of_classes
    digits, _ = images
    chances = model.predict_proba(digits)
    for number in range(3):
        listed = [item for item in report.data["listed"] if item["class"] == number]
        assert 0 < len(listed) <= 5
        places = np.array([item["row"] - 1 for item in listed])
        assert all(labels[place] is None for place in places)
        own = chances[places, number]
        np.testing.assert_allclose(own, [item["probability"] for item in listed])
        assert (np.diff(own) <= 0).all()
        for item in listed:
            shown = decoded(item["picture"]) / 255 * model.value_range_[1]
            np.testing.assert_allclose(shown, digits[item["row"] - 1], atol=0.05)


def test_a_wrong_label_is_shown_again(of_classes, images):
    model, labels, report = of_classes
    found = report.data["contradicted"]
    assert found
    said = model.predict_proba(images[0]).argmax(axis=1)
    for item in found:
        assert labels[item["row"] - 1] == NAMES[item["class"]]
        assert item["said"] == said[item["row"] - 1] != item["class"]


def test_members_and_held_out_labels_are_counted(of_classes, images):
    model, labels, report = of_classes
    table = np.array(report.data["members"])
    np.testing.assert_allclose(table, table.T)
    assert table.sum() == pytest.approx(1)
    votes = model.member_classes(images[0][[label is None for label in labels]])
    assert table.trace() == pytest.approx((votes[0] == votes[1]).mean())
    assert np.sum(report.data["held_out"]) == sum(label is not None for label in labels)


def test_drawn_images_are_there_if_the_model_generates(of_classes, of_positives):
    drawn = of_classes[2].data["examples"]
    assert [decoded(text).shape for text in drawn[0]] == [(8, 8)] * len(drawn[0])
    assert len(drawn) == 3
    assert of_positives[2].data["examples"] is None


def test_the_answer_of_labeled_and_unlabeled_images_is_that_of_the_model(of_positives, images):
    model, y, report = of_positives
    called = model.predict(images[0]) == 1
    told = report.data["classes"][1]
    assert told["name"] == "positive"
    assert told["n_labeled"] == y.sum()
    assert told["n_found"] == (called & (y == 0)).sum()
    assert told["share"] == model.threshold_report_.prior_of_unlabeled
    assert report.data["learned"]["accuracy"] == model.threshold_report_.accuracy
    assert "By the share you gave" not in report.data["answer"]["how_many"]
    assert all(item["id"] == f"scan {item['row'] - 1}" for item in report.data["listed"])
    assert "scan" in report.html()


def test_images_of_another_brightness_are_told(of_positives, images):
    model, _, report = of_positives
    assert "other brightness" not in {item["topic"] for item in report.data["warnings"]}
    told = model.report(16 * images[0][:50]).data["warnings"]
    text = next(item["text"] for item in told if item["topic"] == "other brightness")
    assert "brighter than 16" in text


def test_images_of_a_folder_have_the_names_of_their_files(of_positives, images, tmp_path):
    for number, image in enumerate(images[0][:12]):
        group = tmp_path / "ab"[number % 2]
        group.mkdir(exist_ok=True)
        Image.fromarray(image.astype(np.uint8)).save(group / f"{number}.png")
    listed = of_positives[0].report(ImageFolder(tmp_path)).data["doubtful"]
    assert {item["id"] for item in listed} == {f"{'ab'[i % 2]}/{i}.png" for i in range(12)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": [0, 1]}, "one label per row"),
        ({"y": [5] * 240}, "fitted with"),
        ({"ids": ["a"]}, "ids has 1 values"),
        ({"n_rows": 0}, "at least one image"),
    ],
)
def test_what_does_not_fit_is_named(of_positives, images, arguments, message):
    with pytest.raises(ValueError, match=message):
        of_positives[0].report(images[0], **arguments)


@pytest.mark.parametrize(
    ("shape", "mode"), [((6, 4), "L"), ((6, 4, 1), "L"), ((6, 4, 2), "L"), ((6, 4, 3), "RGB")]
)
def test_pictures_have_the_channels_of_their_images(shape, mode):
    image = np.random.default_rng(0).uniform(-3, 5, size=shape)
    shown = Image.open(BytesIO(base64.b64decode(picture(image, (-3, 5)))))
    assert (shown.mode, shown.size) == (mode, (4, 6))
    wanted = image if mode == "RGB" else image.reshape(6, 4, -1).mean(axis=2)
    np.testing.assert_allclose(np.asarray(shown) / 255 * 8 - 3, wanted, atol=0.02)


def test_missing_pixels_are_transparent_and_large_images_are_made_small():
    image = np.zeros((200, 400))
    image[:, :200] = np.nan
    shown = Image.open(BytesIO(base64.b64decode(picture(image, (0, 1)))))
    assert max(shown.size) == LARGEST
    alpha = np.asarray(shown.getchannel("A"))
    assert alpha[:, :40].max() == 0
    assert alpha[:, -40:].min() == 255


def test_without_pillow_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ModuleNotFoundError, match=r"pulps\[images\]"):
        picture(np.zeros((2, 2)), (0, 1))
