"""The density of one class of images, as a value: new images, and what is missing in images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from pulps.images import draw_images
from pulps.images.embedding import PatchEmbedding
from pulps.io.randomness import Seed, new_generator
from pulps.network.basis import SphereBasis
from pulps.network.likelihood import LikelihoodRecipe, fit_densities
from pulps.network.stack import Stack

MOST_IMAGES = 2000  # of a class, to learn a density from
TAIL = 0.001  # of the coefficients, on either side, that no draw goes beyond


@dataclass(frozen=True)
class ImageDensity:
    """The density of one class of a fitted ``LPSImageClassifier``.

    Parameters
    ----------
    embedding
        From images to features.
    cores
        Chains trained by likelihood, one array per site.
    coefficient_range
        Coefficients of patches that no clear or likeliest patch goes beyond.
    """

    embedding: PatchEmbedding
    cores: Sequence[np.ndarray]
    coefficient_range: np.ndarray

    def sample(
        self,
        n_samples: int = 1,
        *,
        how: str = "clear",
        random_state: Seed = None,
    ) -> np.ndarray:
        """Draw new images; see ``LPSImageClassifier.sample``.

        Parameters
        ----------
        n_samples, how, random_state
            As in ``LPSImageClassifier.sample``.

        Returns
        -------
        array of images
        """
        return self._drawn(n_samples, None, how, random_state)

    def complete(self, X: Any, *, how: str = "mode", random_state: Seed = None) -> np.ndarray:
        """Fill in what is missing in images; see ``LPSImageClassifier.complete``.

        Parameters
        ----------
        X
            Images, NaN where a pixel is missing.
        how, random_state
            As in ``LPSImageClassifier.complete``.

        Returns
        -------
        array of the shape of X
        """
        low, high = self.embedding.reader.value_range
        images = (torch.as_tensor(np.asarray(X)).double() - low) / ((high - low) or 1.0)
        book = self.embedding.book
        rows, columns = (n * book.side for n in book.grid_)
        if tuple(images.shape[1:3]) != (rows, columns):
            raise ValueError(
                f"Images of {tuple(images.shape[1:3])} pixels came, but the chains see images of "
                f"{(rows, columns)}. Bring them to that size with pulps.images.resize."
            )
        return self._drawn(len(images), images, how, random_state)

    def _drawn(
        self,
        n_images: int,
        given: Tensor | None,
        how: Any,
        random_state: Seed,
    ) -> np.ndarray:
        limits = None if how == "draw" else tuple(torch.as_tensor(self.coefficient_range))
        images = draw_images(
            [torch.as_tensor(core) for core in self.cores],
            SphereBasis(self.embedding.feature_dim, self.embedding.contrast),
            self.embedding.book,
            n_images,
            new_generator(random_state),
            given=given,
            how=how,
            limits=limits,
        )
        low, high = self.embedding.reader.value_range
        return low + (high - low) * images.clamp(0, 1).numpy()


@dataclass(frozen=True)
class LearnedDensities:
    """What was learned of every class.

    Parameters
    ----------
    cores
        Cores of each class, in the order in which they were asked for.
    coefficient_range
        Smallest and largest coefficients of the patches they were learned from, shape (2, K).
    """

    cores: tuple[list[np.ndarray], ...]
    coefficient_range: np.ndarray


def fit_image_densities(
    embedding: PatchEmbedding,
    images: Any,
    groups: Sequence[np.ndarray],
    recipe: LikelihoodRecipe,
    generator: torch.Generator,
) -> LearnedDensities:
    """Train the chains that generate, each on the images of its class.

    Parameters
    ----------
    embedding
        From upright images to features.
    images
        Upright images.
    groups
        Which of them belong to each class.
    recipe
        Size and training.
    generator
        Source of starts and of the images held out.

    Returns
    -------
    LearnedDensities
        Cores of every class.
    """
    rows = np.concatenate([np.flatnonzero(group)[:MOST_IMAGES] for group in groups])
    values = embedding.book.transform(embedding.reader.small(images)[rows]).double()
    weights = torch.as_tensor(np.stack([group[rows] for group in groups]).astype(float))
    cores = fit_densities(embedding.bases, values, weights, recipe, generator)
    each = Stack(len(groups), recipe.n_members).split_cores([core.numpy() for core in cores])
    every = values.flatten(0, 1).numpy()
    return LearnedDensities(each, np.quantile(every, [TAIL, 1 - TAIL], axis=0))
