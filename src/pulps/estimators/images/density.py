"""The density of one class of images, as a value: new images, and what is missing in images.

A patch is one of a few typical patches, its *code*; an image is a row of codes along the path; and
the chain of a class is a density of such rows, learned by maximum likelihood
(:mod:`pulps.network.code_likelihood`). Draws are exact: code after code, given all others that are
known.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
import torch
from sklearn.cluster import MiniBatchKMeans
from torch import Tensor

from pulps.images.embedding import ImageReader
from pulps.images.patches import PatchBook
from pulps.io.randomness import Seed, new_generator
from pulps.network.basis import OneHotBasis
from pulps.network.chains import Chains
from pulps.network.code_likelihood import fit_code_chains
from pulps.network.likelihood import LikelihoodRecipe
from pulps.network.sampling import draw

MOST_IMAGES = 20_000  # of a class, to learn a density from
MOST_PATCHES = 50_000  # to find typical ones among
IMAGES_AT_ONCE = 1024


@dataclass(frozen=True)
class ImageLikelihoodRecipe(LikelihoodRecipe):
    """Size and training of the chains that generate images.

    Parameters
    ----------
    feature_dim
        Number of typical patches that images are made of.
    bond_dim, spacing, output_dim, n_members
        See :class:`~pulps.network.likelihood.LikelihoodRecipe`.
    max_epochs, learning_rate
        Passes over the images of a class, with a rate that falls to zero along a cosine.
    held_out
        Share of the images that is held out; the chain is kept as it was when these were
        likeliest. Zero trains to the end.
    patch_size
        Height and width of a patch. It need not be that of the classifier.
    """

    feature_dim: int = 128
    bond_dim: int = 24
    output_dim: int = 1
    n_members: int = 1
    max_epochs: int = 20
    learning_rate: float = 0.03
    held_out: float = 0.1
    patch_size: int = 4

    def book(self, reader: ImageReader, path: str) -> PatchBook:
        """Return what cuts images into patches of this size.

        Parameters
        ----------
        reader
            How images are brought to size.
        path
            Order of the patches.

        Returns
        -------
        PatchBook
        """
        return PatchBook(self.patch_size, path=path).lay_out(reader.small_shape)


@dataclass(frozen=True)
class PatchCodes:
    """Images as rows of codes: the number of the typical patch that each patch is nearest to.

    Parameters
    ----------
    book
        Cuts images into patches along a path.
    typical
        Typical patches, shape (codes, numbers of a patch).
    """

    book: PatchBook
    typical: np.ndarray

    @classmethod
    def learned(
        cls, book: PatchBook, images: Any, n_codes: int, generator: torch.Generator
    ) -> PatchCodes:
        """Find typical patches, the centers of groups of patches that are alike.

        Parameters
        ----------
        book
            Cuts images into patches.
        images
            What gives images for a slice.
        n_codes
            How many; fewer if there are not so many different patches.
        generator
            Draws patches, if there are very many, and starts of the search.

        Returns
        -------
        PatchCodes
        """
        n_patches = len(images) * len(book.order_)
        share = min(1.0, MOST_PATCHES / n_patches)
        some = []
        for first in range(0, len(images), IMAGES_AT_ONCE):
            patches = book.cut(images[first : first + IMAGES_AT_ONCE]).flatten(0, 1)
            some.append(patches[torch.rand(len(patches), generator=generator) < share])
        found = torch.cat(some).numpy()
        n_different = len(np.unique(found, axis=0))
        seed = int(torch.randint(2**31 - 1, (), generator=generator))
        search = MiniBatchKMeans(
            min(n_codes, n_different), n_init=3, batch_size=4096, random_state=seed
        )
        return cls(book, search.fit(found).cluster_centers_.astype(np.float32))

    @classmethod
    def of_typical(cls, typical: np.ndarray, reader: ImageReader, path: str) -> PatchCodes:
        """Put typical patches into images of their size.

        Parameters
        ----------
        typical
            Shape (codes, numbers of a patch).
        reader
            How images are brought to size.
        path
            Order of the patches.

        Returns
        -------
        PatchCodes
        """
        side = math.isqrt(typical.shape[1] // math.prod(reader.shape[2:]))
        return cls(PatchBook(side, path=path).lay_out(reader.small_shape), typical)

    def of(self, images: Tensor) -> Tensor:
        """Codes of images.

        Parameters
        ----------
        images
            Images of the size of the book.

        Returns
        -------
        Tensor of shape (images, sites)
            NaN for a patch with a missing pixel.
        """
        patches = self.book.cut(images)
        far = torch.cdist(patches.flatten(0, 1).float(), torch.as_tensor(self.typical))
        codes = far.argmin(1).view(patches.shape[:2]).double()
        return codes.masked_fill(patches.isnan().any(2), math.nan)

    def images(self, codes: Tensor) -> Tensor:
        """Images of typical patches.

        Parameters
        ----------
        codes
            Shape (images, sites).

        Returns
        -------
        Tensor
        """
        return self.book.join(torch.as_tensor(self.typical)[codes.long()])


@dataclass(frozen=True)
class ImageDensity:
    """The density of one class of a fitted ``LPSImageClassifier``.

    Parameters
    ----------
    reader
        How images were brought to size, and their range of values.
    codes
        From images to codes and back.
    cores
        Chains trained by likelihood, one array per site.
    """

    reader: ImageReader
    codes: PatchCodes
    cores: Sequence[np.ndarray]

    def sample(self, n_samples: int = 1, *, random_state: Seed = None) -> np.ndarray:
        """Draw new images; see ``LPSImageClassifier.sample``.

        Parameters
        ----------
        n_samples, random_state
            As in ``LPSImageClassifier.sample``.

        Returns
        -------
        array of images
        """
        nothing = torch.full((1, len(self.cores)), math.nan, dtype=torch.float64)
        return self._values(self._drawn(nothing, n_samples, random_state))

    def complete(self, X: Any, *, random_state: Seed = None) -> np.ndarray:
        """Fill in what is missing in images; see ``LPSImageClassifier.complete``.

        Parameters
        ----------
        X
            Images, NaN where a pixel is missing.
        random_state
            As in ``LPSImageClassifier.complete``.

        Returns
        -------
        array of the shape of X
        """
        low, high = self.reader.value_range
        images = (torch.as_tensor(np.asarray(X)).double() - low) / ((high - low) or 1.0)
        book = self.codes.book
        rows, columns = (n * book.side for n in book.grid_)
        if tuple(images.shape[1:3]) != (rows, columns):
            raise ValueError(
                f"Images of {tuple(images.shape[1:3])} pixels came, but the chains see images of "
                f"{(rows, columns)}. Bring them to that size with pulps.images.resize."
            )
        drawn = self._drawn(self.codes.of(images), len(images), random_state)
        return self._values(torch.where(images.isnan(), drawn, images))

    def _drawn(self, given: Tensor, n_images: int, random_state: Seed) -> Tensor:
        n_codes, n_sites = len(self.codes.typical), len(self.cores)
        cores = [torch.as_tensor(core) for core in self.cores]
        chains = Chains(cores, [OneHotBasis(n_codes)] * n_sites, [n_codes] * n_sites)
        rows = draw(chains, given, n_images, new_generator(random_state)).values
        return self.codes.images(rows).double()

    def _values(self, images: Tensor) -> np.ndarray:
        low, high = self.reader.value_range
        return low + (high - low) * images.clamp(0, 1).numpy()


@dataclass(frozen=True)
class LearnedDensities:
    """What was learned of every class.

    Parameters
    ----------
    cores
        Cores of each class, in the order in which they were asked for.
    typical
        Typical patches, see :class:`PatchCodes`.
    """

    cores: tuple[list[np.ndarray], ...]
    typical: np.ndarray


def learn(
    book: PatchBook,
    images: Any,
    groups: Sequence[np.ndarray],
    recipe: ImageLikelihoodRecipe,
    generator: torch.Generator,
    on_epoch: Callable[[int], object] = lambda n_done: None,
) -> LearnedDensities:
    """Train the chains that generate, each on the images of its class.

    Parameters
    ----------
    book
        Cuts images into patches.
    images
        What gives images of the size of the book for a slice or for row numbers.
    groups
        Which of them belong to each class.
    recipe
        Size and training; its ``feature_dim`` is the number of codes.
    generator
        Source of starts and of the images held out.
    on_epoch
        Called after every pass over the images of a class with the number of those done.

    Returns
    -------
    LearnedDensities
        Cores of every class, and the patches their codes stand for.
    """
    codes = PatchCodes.learned(book, images, recipe.feature_dim, generator)
    cores, n_done = [], count(1)
    for group in groups:
        rows = np.flatnonzero(group)
        rows = np.sort(rows[torch.randperm(len(rows), generator=generator).numpy()[:MOST_IMAGES]])
        parts = np.split(rows, range(IMAGES_AT_ONCE, len(rows), IMAGES_AT_ONCE))
        values = torch.cat([codes.of(images[part]) for part in parts]).long()
        chains = fit_code_chains(
            values, len(codes.typical), recipe, generator, lambda: on_epoch(next(n_done))
        )
        cores.append([core.numpy() for core in chains])
    return LearnedDensities(tuple(cores), codes.typical)
