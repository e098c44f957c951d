"""New images, and what is missing in images: draws from chains trained by likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from pulps.images import draw_images
from pulps.network.basis import SphereBasis
from pulps.network.likelihood import fit_densities

MOST_IMAGES = 2000  # of a class, to learn a density from
TAIL = 0.001  # of the coefficients, on either side, that no draw goes beyond


class ImageGenerationMixin:
    """Sampling and completion of a fitted ``LPSImageClassifier``, by the chains of ``density``."""

    book_: Any
    classes_: Any
    contrast: Any
    density: Any
    feature_dim: Any
    value_range_: Any
    _bases: Any
    _small: Any

    def sample(self, n_samples=1, y=1, *, how="clear", random_state=None) -> np.ndarray:
        """Draw new images of one class.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        y : default=1
            Class: 1 or the positive value of the fit, 0 or the other one.
        how : {"clear", "draw", "mode"}, default="clear"
            ``"draw"`` is exact, and noisy: a patch on its half sphere is spread widely around
            a few directions. ``"clear"`` takes one of these. ``"mode"`` takes the likeliest
            patch every time. See :func:`pulps.images.draw_patches`.
        random_state : int, RandomState or None, default=None
            Source of randomness.

        Returns
        -------
        array of shape (n_samples, height, width) or (n_samples, height, width, channels)
            As the chains see images: upright and resized, if so asked, in the values of the fit.
        """
        images = self._drawn(n_samples, y, None, how, random_state)
        return self._in_values_of_the_fit(images)

    def complete(self, X, y=1, *, how="mode", random_state=None) -> np.ndarray:
        """Fill in what is missing (NaN) in images, given the rest and the class.

        Images are not set upright here: pass them as :meth:`sample` returns them, or fit
        with ``deskew=False``. Patches with a missing pixel are drawn whole; pixels that are
        there stay.
        """
        check_is_fitted(self, "positive_density_cores_")
        low, high = self.value_range_
        images = (torch.as_tensor(np.asarray(X)).double() - low) / ((high - low) or 1.0)
        rows, columns = (n * self.book_.side for n in self.book_.grid_)
        if tuple(images.shape[1:3]) != (rows, columns):
            raise ValueError(
                f"Images of {tuple(images.shape[1:3])} pixels came, but the chains see images of "
                f"{(rows, columns)}. Bring them to that size with pulps.images.resize."
            )
        return self._in_values_of_the_fit(self._drawn(len(images), y, images, how, random_state))

    def _drawn(self, n_images, y, given, how, random_state) -> Tensor:
        check_is_fitted(self, "positive_density_cores_")
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
        positive = y in (1, self.classes_[1])
        cores = self.positive_density_cores_ if positive else self.negative_density_cores_
        return draw_images(
            [torch.as_tensor(core) for core in cores],
            SphereBasis(self.feature_dim, self.contrast),
            self.book_,
            n_images,
            torch.Generator().manual_seed(seed),
            given=given,
            how=how,
            limits=tuple(torch.as_tensor(self.coefficient_range_)) if how != "draw" else None,
        )

    def _in_values_of_the_fit(self, images: Tensor) -> np.ndarray:
        low, high = self.value_range_
        return low + (high - low) * images.clamp(0, 1).numpy()

    def _fit_densities(self, images, positive: np.ndarray, generator) -> None:
        """Train the chains that generate, each on the images of its class."""
        rows = np.concatenate(
            [np.flatnonzero(side)[:MOST_IMAGES] for side in (positive, ~positive)]
        )
        values = self.book_.transform(self._small(images)[rows]).double()
        weights = torch.as_tensor(np.stack([positive[rows], ~positive[rows]]).astype(float))
        cores = fit_densities(self._bases(), values, weights, self.density, generator)
        both = [core.chunk(2) for core in cores]
        self.positive_density_cores_ = [first.numpy() for first, _ in both]
        self.negative_density_cores_ = [second.numpy() for _, second in both]
        every = values.flatten(0, 1).numpy()
        self.coefficient_range_ = np.quantile(every, [TAIL, 1 - TAIL], axis=0)
