import numpy as np
import pytest
import torch

from pulps.estimators.images.density import (
    ImageDensity,
    ImageLikelihoodRecipe,
    PatchCodes,
    learn,
)
from pulps.images import PatchBook
from pulps.images.embedding import ImageReader

SIDE, GRID = 2, 3


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def mosaic():
    """Images of four different patches; the first is the one below it, too."""
    generator = seeded()
    patches = torch.rand(4, SIDE * SIDE, generator=generator)
    codes = torch.randint(4, (400, GRID * GRID), generator=generator)
    codes[:, GRID] = codes[:, 0]
    book = PatchBook(SIDE, path="raster").lay_out((GRID * SIDE, GRID * SIDE))
    return book, book.join(patches[codes])


@pytest.fixture(scope="module")
def density(mosaic):
    book, images = mosaic
    recipe = ImageLikelihoodRecipe(feature_dim=10, bond_dim=6, max_epochs=60, patch_size=SIDE)
    positive = np.arange(len(images)) < 380
    learned = learn(book, images, (positive, ~positive), recipe, seeded())
    reader = ImageReader((GRID * SIDE,) * 2, (0.0, 1.0), False, None)
    return ImageDensity(reader, PatchCodes(book, learned.typical), learned.cores[0])


def test_images_of_few_patches_are_their_codes(mosaic):
    book, images = mosaic
    codes = PatchCodes.learned(book, images, 10, seeded())
    assert len(codes.typical) == 4
    torch.testing.assert_close(codes.images(codes.of(images)), images, rtol=0, atol=1e-3)


def test_a_patch_with_a_hole_has_no_code(mosaic):
    book, images = mosaic
    holes = images[:2].clone()
    holes[0, 0, 1] = np.nan
    codes = PatchCodes.learned(book, images, 10, seeded()).of(holes)
    assert codes.isnan().sum() == 1
    assert codes[0, 0].isnan()


def test_a_patch_gets_the_nearest_code(mosaic):
    book, images = mosaic
    codes = PatchCodes.learned(book, images, 3, seeded())  # one too few
    patches = book.cut(images[:5]).double().numpy()
    distances = ((patches[:, :, None] - codes.typical.astype(float)) ** 2).sum(-1)
    np.testing.assert_array_equal(codes.of(images[:5]), distances.argmin(-1))


def test_draws_have_what_all_images_have(density, mosaic):
    """Two patches are the same, though they are not neighbors along the path."""
    drawn = density.codes.of(torch.as_tensor(density.sample(200, random_state=0)))
    assert (drawn[:, 0] == drawn[:, GRID]).double().mean() > 0.7  # by chance, a quarter
    shares = torch.bincount(drawn[:, 4].long(), minlength=4) / len(drawn)
    assert shares.min() > 0.1  # and the rest is free
    assert len(drawn.unique(dim=0)) > 150


def test_completion_follows_from_what_is_there(density, mosaic):
    _, images = mosaic
    holes = images[:60].double().numpy().copy()
    holes[:, :SIDE, :SIDE] = np.nan  # which is the patch below it
    filled = density.complete(holes, random_state=0)
    known = ~np.isnan(holes)
    np.testing.assert_allclose(filled[known], holes[known], rtol=0, atol=1e-12)
    right = np.abs(filled - images[:60].numpy()).max(axis=(1, 2)) < 1e-3
    assert right.mean() > 0.7


def test_images_of_another_size_are_refused(density):
    with pytest.raises(ValueError, match=r"Images of \(4, 4\) pixels came"):
        density.complete(np.zeros((1, 4, 4)))
