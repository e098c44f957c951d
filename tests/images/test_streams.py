"""Images that are not in memory: the same model, a chunk at a time, from any kind of stack."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from sklearn.datasets import load_digits

from pulps import LPSImageClassifier, hide_labels
from pulps.estimators.images import fit as image_fit
from pulps.estimators.images.density import ImageLikelihoodRecipe
from pulps.images import ImageFolder, ImageSource, patches
from pulps.images import embedding as image_embedding
from pulps.images import source as image_source
from pulps.io.lazy_rows import LazyRows
from pulps.training.subsample import thin_out

SMALL = {
    "size": 4,
    "patch_size": 2,
    "feature_dim": 3,
    "bond_dim": 2,
    "n_members": 2,
    "n_steps": 8,
    "batch_size": 50,
    "max_restarts": 0,
    "random_state": 0,
}


@pytest.fixture(scope="module")
def digits():
    pixels, classes = load_digits(return_X_y=True)
    chosen = (classes == 4) | (classes == 9)
    images = (15 * pixels[chosen]).astype(np.uint8).reshape(-1, 8, 8)
    y = hide_labels((classes[chosen] == 9).astype(int), n_labeled=8, random_state=0)
    return images, y


class Reader:
    """Gives images as an HDF5 file does: by slices, or each once in increasing order."""

    def __init__(self, images):
        self.images, self.shape, self.dtype = images, images.shape, images.dtype
        self.most = 0

    def __getitem__(self, rows):
        if not isinstance(rows, slice):
            assert (np.diff(rows) > 0).all()
        part = self.images[rows]
        self.most = max(self.most, len(part))
        return part


def mapped(images, folder):
    np.save(folder / "images.npy", images)
    return np.load(folder / "images.npy", mmap_mode="r")


def written(images, folder):
    for number, image in enumerate(images):
        Image.fromarray(image).save(folder / f"{number:04}.png")
    return ImageFolder(folder)


def reader(images, folder):
    return Reader(images)


KINDS = pytest.mark.parametrize("kind", [mapped, written, reader])


def assert_same(one, other):
    for name in ("positive_cores_", "negative_cores_"):
        for core, same in zip(getattr(one, name), getattr(other, name), strict=True):
            np.testing.assert_array_equal(core, same)
    np.testing.assert_array_equal(one.book_.components_, other.book_.components_)
    assert one.threshold_report_.threshold == other.threshold_report_.threshold


@KINDS
@pytest.mark.parametrize("most", [20_000, 100])
def test_where_the_images_are_makes_no_difference(kind, most, digits, tmp_path, monkeypatch):
    """Bit for bit: with all images learned from, and with a draw of them."""
    monkeypatch.setattr(image_fit, "MOST_IMAGES", most)
    images, y = digits
    model = LPSImageClassifier.from_parameters(**SMALL).fit(images, y)
    elsewhere = kind(images, tmp_path)
    assert_same(LPSImageClassifier.from_parameters(**SMALL).fit(elsewhere, y), model)
    for method in ("predict", "predict_proba", "decision_function", "log_ratios"):
        expected = getattr(model, method)(images)
        np.testing.assert_array_equal(getattr(model, method)(elsewhere), expected)
    assert np.ptp(expected) > 0


def test_chains_that_generate_learn_from_a_file_the_same(digits, tmp_path):
    images, y = digits
    density = ImageLikelihoodRecipe(feature_dim=8, bond_dim=2, max_epochs=3, patch_size=2)
    one, other = (
        LPSImageClassifier.from_parameters(density=density, **SMALL).fit(source, y)
        for source in (images, mapped(images, tmp_path))
    )
    drawn = one.sample(3, random_state=0)
    np.testing.assert_array_equal(other.sample(3, random_state=0), drawn)
    assert np.ptp(drawn) > 0


def test_images_set_upright_as_they_are_read_are_those_set_upright_at_once(digits, tmp_path):
    images, y = digits
    model = LPSImageClassifier.from_parameters(deskew=True, prior=0.5, **SMALL).fit(images, y)
    rows = np.random.default_rng(0).integers(len(images), size=77)
    lazy = model.embedding.reader.read(ImageSource(mapped(images, tmp_path)))
    torch.testing.assert_close(
        lazy[rows], model.embedding.reader.upright(images)[rows], rtol=0, atol=1e-5
    )
    assert (
        LPSImageClassifier.from_parameters(deskew=True, prior=0.5, **SMALL)
        .fit(lazy.values.images, y)
        .agreement_
        > 0.5
    )
    np.testing.assert_array_equal(
        model.decision_function(lazy.values.images), model.decision_function(images)
    )


def test_never_more_than_a_chunk_is_read(digits, monkeypatch):
    monkeypatch.setattr(image_embedding, "CHUNK", 128)
    monkeypatch.setattr(image_fit, "MOST_IMAGES", 200)
    monkeypatch.setattr(image_source, "NUMBERS_AT_ONCE", 64 * 8 * 8)
    images, y = digits
    source = Reader(images)
    model = LPSImageClassifier.from_parameters(**SMALL).fit(source, y)
    assert source.most == 64
    model.predict(source)
    assert source.most == 64


def test_of_many_images_some_make_the_book(digits, monkeypatch):
    monkeypatch.setattr(image_fit, "MOST_IMAGES", 100)
    images, y = digits
    model = LPSImageClassifier.from_parameters(**SMALL).fit(images, y)
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    rows = thin_out(y == 1, 100, torch.Generator().manual_seed(int(seed)))
    reader = model.embedding.reader
    some, all_of_them = (
        patches.PatchBook(2, 2, path="snake").fit(reader.small(reader.upright(part))[:])
        for part in (images[rows], images)
    )
    np.testing.assert_array_equal(model.book_.components_, some.components_)
    assert not np.allclose(some.components_, all_of_them.components_, atol=1e-4)


def test_a_book_of_patches_does_not_ask_for_all_images(digits):
    images = torch.as_tensor(digits[0]).float()
    source = Reader(images.numpy())
    lazy = LazyRows(ImageSource(source), torch.as_tensor)
    whole = patches.PatchBook(2, 3).fit(images)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patches, "IMAGES_AT_ONCE", 100)
        book = patches.PatchBook(2, 3).fit(lazy)
    assert source.most == 100
    np.testing.assert_allclose(book.components_, whole.components_, atol=1e-9)


@given(
    n=st.integers(1, 30),
    at_once=st.integers(1, 35),
    start=st.none() | st.integers(-35, 35),
    stop=st.none() | st.integers(-35, 35),
    step=st.none() | st.sampled_from([1, 2, -1, -3]),
)
def test_rows_in_pieces_are_the_rows(n, at_once, start, stop, step):
    values = np.arange(3.0 * n).reshape(n, 3)
    lazy = LazyRows(values, lambda part: part + 1, at_once=at_once)
    rows = slice(start, stop, step)
    expected = values[rows] + 1
    np.testing.assert_array_equal(lazy[rows].numpy(), expected)
    numbers = np.arange(n)[rows]
    np.testing.assert_array_equal(lazy[torch.as_tensor(numbers.copy())].numpy(), expected)


def test_pieces_are_as_small_as_asked(digits):
    sizes = []

    def note(part):
        sizes.append(len(part))
        return part

    lazy = LazyRows(digits[0], note, at_once=40)
    assert len(lazy[3:103]) == 100
    assert len(lazy[np.arange(50)]) == 50
    assert sizes == [40, 40, 20, 40, 10]


@given(
    n=st.integers(1, 60),
    n_labeled=st.integers(0, 60),
    most=st.integers(2, 70),
    seed=st.integers(0, 99),
)
def test_a_draw_of_rows_has_the_labeled_ones(n, n_labeled, most, seed):
    labeled = np.arange(n) < n_labeled
    rows = thin_out(labeled, most, torch.Generator().manual_seed(seed))
    assert (np.diff(rows) > 0).all()
    if n <= most:
        assert len(rows) == n
        return
    assert len(rows) <= most
    kept = min(labeled.sum(), max(most // 2, most - (~labeled).sum()))
    assert labeled[rows].sum() == kept
    assert (~labeled[rows]).sum() == min((~labeled).sum(), most - labeled[rows].sum())
    again = thin_out(labeled, most, torch.Generator().manual_seed(seed))
    np.testing.assert_array_equal(again, rows)


def test_draws_of_rows_differ_and_reach_everywhere():
    labeled = np.arange(1000) < 5
    draws = [thin_out(labeled, 105, torch.Generator().manual_seed(seed)) for seed in range(50)]
    counts = np.bincount(np.concatenate(draws), minlength=1000)
    assert (counts[:5] == 50).all()
    assert counts[5:].max() < 20  # five on average
    assert counts[5:500].mean() == pytest.approx(counts[500:].mean(), rel=0.1)


def test_what_is_mapped_from_a_file_is_not_in_memory(digits, tmp_path):
    images = digits[0]
    there = mapped(images, tmp_path)
    assert ImageSource(images).in_memory
    assert ImageSource(images[::2]).in_memory
    assert ImageSource(images.tolist()).in_memory
    assert not ImageSource(there).in_memory
    assert not ImageSource(np.asarray(there)[1:].reshape(-1, 4, 16)).in_memory
    assert not ImageSource(Reader(images)).in_memory


@pytest.mark.parametrize("dtype", [">u2", "f8", "f4", ">f4", "?", "i8", "f2"])
def test_numbers_of_every_kind_become_the_same(dtype):
    images = (np.arange(24).reshape(6, 2, 2) % 7).astype(dtype)
    images.setflags(write=False)
    read = ImageSource(images)
    rows = np.array([5, 0, 0, 3])
    for part in (slice(1, 4), rows):
        assert read[part].dtype == np.dtype("=f4")
        np.testing.assert_array_equal(torch.as_tensor(read[part]), images[part].astype(float))
    assert read.value_range() == (0, images.astype(float).max())


def test_bad_pixels_are_found_in_any_chunk(digits, monkeypatch):
    monkeypatch.setattr(image_source, "NUMBERS_AT_ONCE", 64 * 8 * 8)
    images, y = digits
    model = LPSImageClassifier.from_parameters(**SMALL).fit(images, y)
    bad = images.astype(float)
    bad[250, 3, 3] = np.nan
    with pytest.raises(ValueError, match="missing pixels"):
        LPSImageClassifier.from_parameters(**SMALL).fit(bad, y)
    bad[250, 3, 3] = -np.inf
    for call in (
        lambda: LPSImageClassifier.from_parameters(**SMALL).fit(bad, y),
        lambda: model.predict(bad),
    ):
        with pytest.raises(ValueError, match="infinite"):
            call()


def test_the_range_of_values_is_that_of_all_chunks(monkeypatch):
    monkeypatch.setattr(image_source, "NUMBERS_AT_ONCE", 1)
    images = np.full((40, 2, 2), 5)
    images[13, 0, 0], images[23, 1, 1] = -7, 90
    assert ImageSource(images).value_range() == (-7, 90)


PROGRAM = """
import resource, sys
import numpy as np
from pulps import ImageRecipe, LPSImageClassifier
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
images = np.lib.format.open_memmap(sys.argv[1], "w+", np.uint8, (100_000, 28, 28))
images[:500] = np.random.default_rng(0).integers(256, size=(500, 28, 28))
y = np.arange(len(images)) < 20
small = dict(recipe=ImageRecipe(max_restarts=0), size=4, patch_size=2, feature_dim=3, bond_dim=2,
n_members=1, n_steps=1,
    batch_size=2000, augmentation=None, random_state=0)
LPSImageClassifier(**small).fit(np.array(images[:500]), y[:500])
del images
images = np.load(sys.argv[1], mmap_mode="r")
before = peak()
model = LPSImageClassifier(first_guess=None, **small).fit(images, y)
print(len(model.predict(images)), peak() - before)
"""


def test_memory_does_not_grow_with_the_images(tmp_path):
    """The file is of 75 MB, and may stay in memory; as floats it would be 300 MB."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, str(tmp_path / "images.npy")],
        capture_output=True,
        text=True,
        check=True,
    )
    n_images, grown = map(float, done.stdout.split())
    assert n_images == 100_000
    assert grown < 200
