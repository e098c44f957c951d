"""How images become rows of the chains, and how states learn from them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from pulps.estimators.progress import fit_progress
from pulps.estimators.questions.reports import Reports
from pulps.estimators.recipes.recipe import ImageRecipe
from pulps.images import Augmentation, PatchBook
from pulps.images.embedding import ImageReader, PatchEmbedding
from pulps.images.source import ImageSource
from pulps.io.lazy_rows import LazyRows
from pulps.network import engine
from pulps.training.batches import Batches
from pulps.training.ensemble import Keeper, Trained, train_members
from pulps.training.loop import LoopSettings
from pulps.training.start import Start
from pulps.training.subsample import thin_out

PATHS = {"raster", "snake", "hilbert"}
SMALL_CHANGES = Augmentation()
MOST_IMAGES = 20_000  # to learn patches from
MOST_NUMBERS = 2**26  # of images that are read once and kept


class ImageRows(Reports):
    """A fitted model whose rows are images."""

    deskew: bool
    feature_dim: int
    recipe: ImageRecipe | None
    size: int | None

    book_: PatchBook
    image_shape_: tuple[int, ...]
    value_range_: tuple[float, float]

    @property
    def embedding(self) -> PatchEmbedding:
        """From upright images to features."""
        check_is_fitted(self)
        reader = ImageReader(self.image_shape_, self.value_range_, self.deskew, self.size)
        contrast = (self.recipe or ImageRecipe()).contrast
        return PatchEmbedding(reader, self.book_, self.feature_dim, contrast)

    def upright_images(self, X: Any) -> LazyRows:
        """Return images as the fit brought them to one range and position.

        Parameters
        ----------
        X : array of shape (images, height, width) or (images, height, width, channels)
            Images of the same shape as in ``fit``.

        Returns
        -------
        LazyRows
            They are read when they are needed.
        """
        check_is_fitted(self)
        source = ImageSource(X)
        if source.shape[1:] != self.image_shape_:
            raise ValueError(
                f"Images of shape {source.shape[1:]} came, but the model was fitted to images of "
                f"shape {self.image_shape_}."
            )
        return self.embedding.reader.read(source)


def embed_images(
    model: Any,
    source: ImageSource,
    labeled: np.ndarray,
    recipe: ImageRecipe,
    generator: torch.Generator,
) -> tuple[Tensor | LazyRows, PatchEmbedding]:
    """Bring images to one range and position, and learn the functions of their patches.

    Parameters
    ----------
    model
        The classifier: size, patches, path.
    source
        Images as they come.
    labeled
        Which of them are labeled.
    recipe
        Family of functions, and contrast.
    generator
        Chooses images, if there are very many.

    Returns
    -------
    images, embedding
        Upright images, in memory if they are few, and how they become features.
    """
    reader = ImageReader.of(source, model.deskew, model.size)
    lazy = reader.read(source)
    few = math.prod(source.shape) <= MOST_NUMBERS
    images = lazy[:] if source.in_memory and few else lazy
    some = thin_out(labeled, MOST_IMAGES, generator)
    n_functions = None if model.patch_size == 1 else model.feature_dim - 1
    book = PatchBook(model.patch_size, n_functions, family=recipe.family, path=model.path)
    book.fit(LazyRows(some, reader.small(images).__getitem__))
    return images, PatchEmbedding(reader, book, model.feature_dim, recipe.contrast)


def n_epochs_of(n_steps: int, n_images: int, batch_size: int) -> int:
    """Count the passes over the images that make at least so many steps.

    Parameters
    ----------
    n_steps, n_images, batch_size
        Steps wanted, images, and images in a batch.

    Returns
    -------
    int

    Examples
    --------
    >>> n_epochs_of(900, 12_000, 256)
    20
    """
    return math.ceil(n_steps / math.ceil(n_images / batch_size))


def train_images(
    model: Any,
    images: Tensor | LazyRows,
    embedding: PatchEmbedding,
    shown: np.ndarray,
    recipe: ImageRecipe,
    settings: LoopSettings,
    generator: torch.Generator,
    *,
    hints: Tensor | None,
    own_state: Tensor | None = None,
    weights: np.ndarray | None = None,
    keeper: Keeper | None = None,
) -> Trained:
    """Train members on images that change a little every time they are seen.

    Parameters
    ----------
    model
        The classifier: size of chains and batches, augmentation, who shows progress.
    images, embedding
        From :func:`embed_images`.
    shown
        Which labels each member is shown, shape (members, images).
    recipe
        Start, restarts and how many labeled images are added to a batch.
    settings
        How the loop trains.
    generator
        Source of starts, batches and changes.
    hints
        What members are told, the last axis images; None for nothing.
    own_state
        Which state each labeled image belongs to; None for the first.
    weights
        How much each image counts; None for as much of each.
    keeper
        Keeps the state of training, or None.

    Returns
    -------
    Trained
    """
    # All chains start where an image of the training set has norm one.
    start = Start(
        embedding.shape(model.bond_dim, model.spacing, recipe.output_dim),
        recipe.start_scale,
        generator,
        rows=engine.prepare(*embedding(images[: 2 * model.batch_size])),
        n_states=settings.n_states,
    )
    if hints is not None:
        hints = hints[..., None, :].expand(*hints.shape[:-1], len(shown), hints.shape[-1])
    mass = 1.0 if weights is None else weights
    batches = Batches(
        images,
        embedding,
        torch.as_tensor(shown * mass).float(),
        torch.as_tensor(~shown * mass).float(),
        model.batch_size,
        generator,
        model.augmentation,
        hints,
        recipe.labeled_share,
        own_state,
    )
    with fit_progress(model, settings.max_epochs) as epoch_done:
        return train_members(
            start,
            batches,
            settings,
            max_restarts=recipe.max_restarts,
            on_epoch=lambda now: epoch_done(),
            keeper=keeper,
        )
