"""Images keep what they should: cells their order, patches their distances, maps their frame."""

import math
from itertools import product

import numpy as np
import pytest
import torch

from pulps.images import Augmentation, PatchBook, affine, crop, path, resize, upright

SIZES = list(product(range(1, 10), repeat=2))


def pictures(*shape, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(*shape, generator=generator, dtype=torch.float64)


def places(name, rows, columns):
    return np.stack(np.unravel_index(path(name, rows, columns), (rows, columns)), axis=1)


@pytest.mark.parametrize("name", ["raster", "snake", "hilbert"])
def test_a_path_visits_every_cell_once(name):
    for rows, columns in SIZES:
        assert sorted(path(name, rows, columns)) == list(range(rows * columns))


def test_a_snake_moves_by_single_steps():
    for rows, columns in SIZES:
        assert (np.abs(np.diff(places("snake", rows, columns), axis=0)).sum(1) == 1).all()


def test_a_hilbert_path_moves_by_single_steps_where_sides_are_even():
    for rows, columns in product([2, 4, 6, 8, 10, 16], repeat=2):
        assert (np.abs(np.diff(places("hilbert", rows, columns), axis=0)).sum(1) == 1).all()


def test_a_hilbert_path_takes_one_diagonal_at_most():
    for rows, columns in SIZES:
        steps = np.abs(np.diff(places("hilbert", rows, columns), axis=0))
        assert steps.max(initial=0) <= 1
        assert (steps.sum(1) == 2).sum() <= 1


@pytest.mark.parametrize("side", [2, 4, 8, 16])
def test_on_powers_of_two_the_path_is_hilberts_curve(side):
    visited = places("hilbert", side, side)
    assert visited[0].tolist() == [0, 0]
    assert visited[-1].tolist() == [0, side - 1]
    block = side // 2
    while block:
        squares = visited // block
        moves = (np.diff(squares, axis=0) != 0).any(1).sum()
        assert moves == (side // block) ** 2 - 1  # each square is left once, when it is full
        block //= 2


def test_an_unknown_path_is_refused():
    with pytest.raises(ValueError, match="raster, snake, hilbert"):
        path("peano", 3, 3)


@pytest.mark.parametrize("shape", [(2, 6, 4), (2, 6, 4, 3)])
def test_images_of_the_right_size_stay_the_same(shape):
    images = pictures(*shape)
    assert torch.equal(resize(images, (6, 4)), images)
    assert torch.equal(crop(images, (6, 4)), images)


@pytest.mark.parametrize("shape", [(2, 6, 4), (2, 6, 4, 3)])
def test_shrinking_by_whole_factors_is_the_mean_of_blocks(shape):
    images = pictures(*shape)
    small = resize(images, 2)
    for row, column in product(range(2), repeat=2):
        block = images[:, 3 * row : 3 * row + 3, 2 * column : 2 * column + 2]
        torch.testing.assert_close(small[:, row, column], block.mean((1, 2)))
    torch.testing.assert_close(small.mean((1, 2)), images.mean((1, 2)))


def test_other_sizes_are_interpolated_without_aliasing():
    stripes = torch.zeros(1, 12, 12)
    stripes[:, :, ::2] = 1.0
    small = resize(stripes, 5)
    assert small.shape == (1, 5, 5)
    assert (small - 0.5).abs().max() < 0.2
    ramp = torch.arange(4.0).expand(1, 4, 4)
    torch.testing.assert_close(resize(ramp, 8)[0, 0, 1:-1], torch.arange(6.0) / 2 + 0.25)


def test_a_crop_is_the_middle():
    images = pictures(2, 7, 8, 3)
    assert torch.equal(crop(images, (3, 4)), images[:, 2:5, 2:6])
    with pytest.raises(ValueError, match=r"7 x 8 .* cannot be cropped to 9 x 4"):
        crop(images, (9, 4))


def blob(slant, x=0.0, y=0.0, side=33):
    off = torch.arange(side, dtype=torch.float64) - (side - 1) / 2
    rows, columns = torch.meshgrid(off - y, off - x, indexing="ij")
    return torch.exp(-((columns - slant * rows) ** 2) / 8 - rows**2 / 32)[None]


def moments(image):
    off = torch.arange(image.shape[1], dtype=torch.float64) - (image.shape[1] - 1) / 2
    mass = image[0] / image.sum()
    x, y = mass.sum(0) @ off, mass.sum(1) @ off
    return x, y, (off - y) @ mass @ (off - x)


def test_a_slanted_blob_becomes_upright_and_central():
    x, y, mixed = moments(blob(0.6, 3.0, -2.0))
    assert (x, y) == (pytest.approx(3.0, abs=0.01), pytest.approx(-2.0, abs=0.01))
    assert mixed > 5
    after = upright(blob(0.6, 3.0, -2.0))
    assert max(abs(float(moment)) for moment in moments(after)) < 0.02
    torch.testing.assert_close(after, blob(0.0), rtol=0, atol=0.05)


def test_what_is_upright_already_hardly_changes():
    torch.testing.assert_close(upright(blob(0.0)), blob(0.0), rtol=0, atol=1e-6)


def test_images_without_height_or_light_stay_as_they_are():
    images = torch.zeros(2, 5, 5)
    images[1, 2] = 1.0
    torch.testing.assert_close(upright(images), images, rtol=0, atol=1e-5)


def test_each_image_is_set_upright_by_itself_and_channels_move_together():
    both = torch.cat([blob(0.6), blob(-0.3, 2.0)])
    alone = torch.cat([upright(blob(0.6)), upright(blob(-0.3, 2.0))])
    torch.testing.assert_close(upright(both), alone)
    color = torch.stack([both, 0.5 * both], dim=3)
    torch.testing.assert_close(upright(color), torch.stack([alone, 0.5 * alone], dim=3))


@pytest.mark.parametrize("shape", [(2, 5, 5), (2, 6, 6), (2, 6, 6, 3)])
def test_a_quarter_turn_moves_pixels(shape):
    images = pictures(*shape)
    turn = torch.tensor([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]]).expand(2, 2, 3)
    torch.testing.assert_close(
        affine(images, turn), torch.rot90(images, 1, (1, 2)), rtol=0, atol=1e-5
    )
    back = affine(affine(images, turn), turn * torch.tensor([[-1.0], [-1.0]]))
    torch.testing.assert_close(back, images, rtol=0, atol=1e-5)


def test_a_whole_shift_rolls_and_fills_with_zeros():
    images = pictures(2, 5, 8)
    matrix = torch.tensor([[[1.0, 0.0, -2.0], [0.0, 1.0, 1.0]]]).expand(2, 2, 3)
    moved = affine(images, matrix)
    rolled = torch.roll(images, (-1, 2), (1, 2))
    torch.testing.assert_close(moved[:, :-1, 2:], rolled[:, :-1, 2:], rtol=0, atol=1e-5)
    assert moved[:, -1].abs().max() < 1e-5
    assert moved[:, :, :2].abs().max() < 1e-5


def test_no_change_gives_the_very_images_back():
    images = pictures(3, 6, 6)
    assert Augmentation(0, 0, 0, 0)(images, torch.Generator()) is images


@pytest.mark.parametrize("shape", [(3, 6, 8), (3, 6, 8, 2)])
def test_the_seed_decides_and_images_differ(shape):
    images = pictures(1, *shape[1:]).expand(*shape)
    augment = Augmentation(10, 0.1, 1.0, 0.1)
    once, again, other = (augment(images, torch.Generator().manual_seed(s)) for s in (1, 1, 2))
    assert once.shape == shape
    assert torch.equal(once, again)
    assert (once - other).abs().max() > 0.05
    assert (once[0] - once[1]).abs().max() > 0.05


def test_brightness_stays_between_what_was_there_and_zero():
    images = pictures(20, 7, 7) * 3 - 1
    changed = Augmentation(40, 0.4, 3.0, 0.3)(images, torch.Generator().manual_seed(0))
    assert float(changed.min()) >= min(0.0, float(images.min())) - 1e-6
    assert float(changed.max()) <= max(0.0, float(images.max())) + 1e-6


PARTS = {"rotation": 30.0, "zoom": 0.2, "shift": 2.0, "shear": 0.3}


@pytest.mark.parametrize("part", PARTS)
def test_every_part_changes_what_it_says_up_to_its_largest(part):
    only = Augmentation(**(dict.fromkeys(PARTS, 0.0) | {part: PARTS[part]}))
    matrices = only.matrices(2000, torch.Generator().manual_seed(0))
    linear, moved = matrices[:, :, :2], matrices[:, :, 2]
    if part == "rotation":
        measured = torch.rad2deg(torch.atan2(linear[:, 1, 0], linear[:, 0, 0]))
        assert (torch.linalg.det(linear) - 1).abs().max() < 1e-12
    elif part == "zoom":
        measured = 1 / linear[:, 1, 1] - 1
        torch.testing.assert_close(linear[:, 0, 0], linear[:, 1, 1])
    elif part == "shift":
        measured = moved.flatten()
    else:
        measured = linear[:, 0, 1]
    assert (moved != 0).any() == (part == "shift")
    assert PARTS[part] * 0.98 < float(measured.max()) <= PARTS[part]
    assert -PARTS[part] <= float(measured.min()) < -PARTS[part] * 0.98
    assert abs(float(measured.mean())) < PARTS[part] * 5 / math.sqrt(3 * 2000)


def test_a_map_shifts_last():
    augment = Augmentation(30, 0.2, 2.0, 0.3)
    matrices = augment.matrices(5, torch.Generator().manual_seed(0))
    still = Augmentation(30, 0.2, 0.0, 0.3).matrices(5, torch.Generator().manual_seed(0))
    shift = Augmentation(0, 0, 2.0, 0).matrices(5, torch.Generator().manual_seed(0))
    torch.testing.assert_close(matrices[:, :, :2], still[:, :, :2])
    expected = still[:, :, :2] @ shift[:, :, 2:]
    torch.testing.assert_close(matrices[:, :, 2:], expected)


@pytest.mark.parametrize("wrong", [{"rotation": -1.0}, {"zoom": 1.0}])
def test_impossible_changes_are_refused(wrong):
    with pytest.raises(ValueError, match="largest change"):
        Augmentation(**wrong)


BOOKS = [("pca", (8, 6)), ("pca", (8, 6, 3)), ("dct", (8, 6)), ("dct", (8, 6, 3))]


@pytest.mark.parametrize(("family", "shape"), BOOKS)
def test_a_whole_book_loses_nothing_and_keeps_distances(family, shape):
    images = pictures(12, *shape)
    book = PatchBook(2, family=family).fit(images)
    n_pixels = 4 * (shape[2] if len(shape) == 3 else 1)
    gram = book.components_ @ book.components_.T
    np.testing.assert_allclose(gram, np.eye(n_pixels), atol=1e-12)
    others = pictures(12, *shape, seed=1)
    coefficients = book.transform(others)
    assert coefficients.shape == (12, 12, n_pixels)
    torch.testing.assert_close(
        torch.cdist(coefficients.flatten(1), coefficients.flatten(1)),
        torch.cdist(others.flatten(1), others.flatten(1)),
    )
    torch.testing.assert_close(book.inverse_transform(coefficients), others)


@pytest.mark.parametrize(("family", "shape"), BOOKS)
def test_coefficients_have_mean_zero_and_the_variances_of_the_book(family, shape):
    images = pictures(12, *shape)
    book = PatchBook(2, 3, family=family).fit(images)
    coefficients = book.transform(images).flatten(0, 1).numpy()
    np.testing.assert_allclose(coefficients.mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(coefficients.var(0), book.variances_)
    assert book.mean_.shape == (book.components_.shape[1],)


def smooth(n, seed=0):
    """Slanted waves: some directions of a patch matter much more than others."""
    generator = torch.Generator().manual_seed(seed)
    draws = torch.randn(n, 3, generator=generator, dtype=torch.float64)
    at = torch.arange(9, dtype=torch.float64)
    phase = draws[:, 0, None, None] + 0.7 * at[:, None] + 0.4 * at
    noise = torch.randn(n, 9, 9, generator=generator, dtype=torch.float64)
    return draws[:, 1, None, None] * torch.sin(phase) + 0.1 * noise


@pytest.mark.parametrize("n_components", [1, 2, 4])
def test_no_family_of_a_few_functions_loses_less_than_the_learned_one(n_components):
    images = smooth(40)
    random = np.linalg.qr(np.random.default_rng(0).normal(size=(9, 9)))[0]
    errors = {}
    for name in ("pca", "dct", "random"):
        book = PatchBook(3, n_components, family="dct" if name == "random" else name).fit(images)
        if name == "random":
            book.components_ = random[:n_components]
        lost = images - book.inverse_transform(book.transform(images))
        errors[name] = float(lost.square().sum())
    assert errors["pca"] < 0.98 * min(errors["dct"], errors["random"])


def test_cosines_come_with_low_frequencies_first():
    book = PatchBook(4, family="dct").fit(pictures(2, 8, 8))
    functions = book.components_.reshape(-1, 4, 4)
    np.testing.assert_allclose(functions[0], 0.25)
    at = np.cos(math.pi * (np.arange(4) + 0.5) / 4)
    first = {tuple(np.round(f.ravel(), 9)) for f in functions[1:3]}
    scaled = math.sqrt(2) / 4 * np.tile(at, (4, 1))
    assert first == {tuple(np.round(w.ravel(), 9)) for w in (scaled, scaled.T)}
    np.testing.assert_allclose(functions[3], 0.5 * np.outer(at, at), atol=1e-12)


def test_patches_follow_the_path():
    grid = torch.arange(6.0).reshape(1, 2, 3)
    images = grid.repeat_interleave(2, 1).repeat_interleave(2, 2)
    for name in ("raster", "snake", "hilbert"):
        book = PatchBook(2, path=name).fit(images)
        assert book.grid_ == (2, 3)
        assert book.cut(images)[0, :, 0].tolist() == path(name, 2, 3).tolist()
        assert (book.cut(images).std(2) == 0).all()
        assert torch.equal(book.join(book.cut(images)), images)


def test_a_patch_holds_its_pixels_line_by_line_channels_last():
    images = pictures(2, 4, 4, 3)
    book = PatchBook(2, path="raster").fit(images)
    assert torch.equal(book.cut(images)[:, 1], images[:, :2, 2:].flatten(1))


def test_a_missing_pixel_makes_its_patch_missing_and_no_other():
    images = pictures(2, 4, 4)
    book = PatchBook(2, 3, path="raster").fit(images)
    holed = images.clone()
    holed[1, 0, 3] = math.nan
    missing = book.transform(holed).isnan()
    assert missing[1, 1].all()
    assert int(missing.sum()) == 3


def test_a_book_learned_in_parts_is_the_same_book(monkeypatch):
    images = pictures(7, 4, 4)
    whole = PatchBook(2).fit(images)
    monkeypatch.setattr("pulps.images.patches.IMAGES_AT_ONCE", 3)
    parts = PatchBook(2).fit(images)
    np.testing.assert_allclose(parts.mean_, whole.mean_)
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-9)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PatchBook(3).fit(pictures(2, 6, 8)), "6 x 8 .* Resize or crop .* of 3"),
        (lambda: PatchBook(2, 5).fit(pictures(2, 4, 4)), "from 1 to 4 components"),
        (lambda: PatchBook(2).fit(pictures(0, 4, 4)), "none came"),
        (lambda: PatchBook(2, family="haar").fit(pictures(2, 4, 4)), "'pca' or 'dct'"),
        (lambda: PatchBook(2).fit(pictures(2, 4, 4)).transform(pictures(2, 4, 6)), "learned from"),
        (lambda: resize(pictures(4, 4), 2), r"images\[None\]"),
        (lambda: resize(pictures(1, 4, 4), 0), "positive number"),
    ],
)
def test_what_cannot_be_done_is_said(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_whole_numbers_are_refused_with_the_way_out():
    with pytest.raises(TypeError, match=r"images\.float\(\) / 255"):
        PatchBook(2).fit(torch.zeros(2, 4, 4, dtype=torch.uint8))
