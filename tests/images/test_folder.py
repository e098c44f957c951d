"""A folder of image files is a stack of images, decoded when they are asked for."""

import numpy as np
import pytest
from PIL import Image

from pulps.images import ImageFolder


@pytest.fixture
def gray():
    return np.random.default_rng(0).integers(256, size=(7, 5, 6), dtype=np.uint8)


@pytest.fixture
def folder(gray, tmp_path):
    """Files in two subfolders; the order is that of the paths."""
    for number, image in enumerate(gray):
        place = tmp_path / ("a" if number < 3 else "b")
        place.mkdir(exist_ok=True)
        Image.fromarray(image).save(place / f"{number}.png")
    (tmp_path / "notes.txt").write_text("no image")
    (tmp_path / "a" / ".hidden.png").write_text("no image")
    return tmp_path


def test_a_folder_is_the_stack_of_its_files(folder, gray):
    images = ImageFolder(folder)
    assert images.shape == gray.shape
    assert images.dtype == gray.dtype
    assert len(images) == 7
    assert [path.parent.name for path in images.paths] == list("aaabbbb")
    asked = (3, -1, slice(None), slice(1, 6, 2), slice(9, 9), [4, 0, 4], np.array([6, 2]))
    for rows in asked:
        np.testing.assert_array_equal(images[rows], gray[rows])
    np.testing.assert_array_equal(images[gray[:, 0, 0] > 99], gray[gray[:, 0, 0] > 99])
    np.testing.assert_array_equal(list(images), gray)


def test_images_are_decoded_when_they_are_asked_for(folder, gray):
    images = ImageFolder(folder)
    Image.fromarray(255 - gray[5]).save(images.paths[5])
    np.testing.assert_array_equal(images[5], 255 - gray[5])


def test_what_is_not_there_is_not_decoded(folder):
    images = ImageFolder(folder)
    with pytest.raises(IndexError):
        images[7]
    with pytest.raises(IndexError):
        images[[0, 7]]
    with pytest.raises(IndexError, match=r"shape \(1, 2\)"):
        images[[[0, 1]]]


def test_a_file_of_another_size_is_named(folder, gray):
    Image.fromarray(gray[0][:, :4]).save(folder / "b" / "odd.png")
    images = ImageFolder(folder)
    assert len(images[:7]) == 7
    with pytest.raises(ValueError, match=r"odd\.png has 5 x 4 pixels, .*0\.png, has 5 x 6"):
        images[:]


def test_colors_are_three_channels(tmp_path):
    color = np.random.default_rng(0).integers(256, size=(3, 5, 6, 3), dtype=np.uint8)
    for number, image in enumerate(color):
        Image.fromarray(image).save(tmp_path / f"{number}.bmp")
    images = ImageFolder(tmp_path)
    assert images.shape == (3, 5, 6, 3)
    np.testing.assert_array_equal(images[:], color)
    in_gray = ImageFolder(tmp_path, mode="L")[1]
    expected = color[1] @ [0.299, 0.587, 0.114]
    np.testing.assert_allclose(in_gray, expected, atol=1)


def test_the_first_file_decides_and_the_others_follow(tmp_path):
    values = np.array([[0, 255, 9]], dtype=np.uint8)
    Image.fromarray(np.stack([values] * 3, axis=-1)).save(tmp_path / "0.png")
    Image.fromarray(values).save(tmp_path / "1.png")
    Image.fromarray(values).convert("RGBA").save(tmp_path / "2.png")
    palette = Image.fromarray(values).convert("P")
    palette.save(tmp_path / "3.png", transparency=bytes([0, 100, 200]))
    Image.fromarray(values > 99).save(tmp_path / "4.png")
    images = ImageFolder(tmp_path)[:]
    assert images.shape == (5, 1, 3, 3)
    for image in images[:4]:
        np.testing.assert_array_equal(image, np.stack([values] * 3, axis=-1))
    np.testing.assert_array_equal(images[4, :, :, 0], [[0, 255, 0]])


def test_deep_pixels_stay_as_they_are(tmp_path):
    deep = np.array([[0, 300, 65535]], dtype=np.uint16)
    Image.fromarray(deep).save(tmp_path / "0.png")
    images = ImageFolder(tmp_path)
    assert images.dtype == np.uint16
    np.testing.assert_array_equal(images[0], deep)
    with pytest.raises(ValueError, match=r"0\.png has pixels of mode I;16"):
        ImageFolder(tmp_path, mode="L")
    Image.fromarray(deep.astype(np.uint8)).save(tmp_path / "1.png")
    with pytest.raises(ValueError, match=r"1\.png has pixels of mode L"):
        ImageFolder(tmp_path)[1]


def test_what_is_no_folder_of_images_is_refused(folder, tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        ImageFolder(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="mode='gray'"):
        ImageFolder(folder, mode="gray")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="has no image files"):
        ImageFolder(tmp_path / "empty")
    images = ImageFolder(folder)
    content = images.paths[2].read_bytes()
    for broken in (b"no image", content[: len(content) // 2]):
        images.paths[2].write_bytes(broken)
        with pytest.raises(ValueError, match=r"2\.png cannot be read as an image"):
            images[:]
