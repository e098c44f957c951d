"""`LPSSemiSupervisedImageClassifier`: images of any number of classes, labels for some of them."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import torch
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from pulps.decision.classes import decide_classes
from pulps.estimators.base import usable_members
from pulps.estimators.classes.answers import ClassAnswers
from pulps.estimators.classes.fit import class_settings
from pulps.estimators.classes.image_guess import (
    ImageClassGuess,
    NeighborImages,
    guess_image_classes,
)
from pulps.estimators.classes.positive_unlabeled import take_over
from pulps.estimators.classes.training_images import (
    ClassImages,
    open_checkpoint,
    read_class_images,
)
from pulps.estimators.images import density as densities
from pulps.estimators.images.classifier import LPSImageClassifier
from pulps.estimators.images.density import ImageDensity, ImageLikelihoodRecipe, PatchCodes
from pulps.estimators.images.fit import (
    SMALL_CHANGES,
    ImageRows,
    embed_images,
    n_epochs_of,
    train_images,
)
from pulps.estimators.progress import line_of
from pulps.estimators.recipes.recipe import ImageRecipe, checked
from pulps.estimators.recipes.recipe_fields import RecipeParameters
from pulps.estimators.tables.checkpoint import Checkpoint
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.images import Augmentation
from pulps.images.source import ImageSource
from pulps.io._sklearn import Interval, StrOptions, fit_context, with_callbacks
from pulps.io.randomness import Seed, new_generator
from pulps.network.stack import Stack, join
from pulps.training.ensemble import Trained

_FROM_ONE = Interval(Integral, 1, None, closed="left")
# Parameters that mean what they mean to the classifier of labeled and unlabeled images.
SHARED = (
    *("size", "patch_size", "feature_dim", "path", "deskew", "augmentation", "bond_dim"),
    *("spacing", "n_steps", "batch_size", "first_guess", "density", "recipe", "random_state"),
    "verbose",
)

POSITIVE_UNLABELED_MEMBERS = 3  # the default of LPSImageClassifier


class LPSSemiSupervisedImageClassifier(RecipeParameters, ImageRows, ClassAnswers):
    r"""Classification of images with labels for some of them, and any number of classes.

    One tensor network per class runs over the patches of an image, as in
    :class:`pulps.LPSImageClassifier`; the class with the largest norm wins. A first guess says
    what each image shows: labels spread between images whose edges are alike. New images hear
    what their nearest neighbors do, and the answer is a blend of both.

    Parameters
    ----------
    unlabeled_class : bool or object, default=False
        Whether there is a class that nobody labeled, see
        :class:`pulps.LPSSemiSupervisedClassifier`. With one labeled class this is
        :class:`pulps.LPSImageClassifier`, to the bit.
    blend : float, default=0.5
        Share of the network in the answer, from 0 to 1; the rest is the first guess's.
    size, patch_size, feature_dim, path, deskew, augmentation, bond_dim, spacing
        See :class:`pulps.LPSImageClassifier`.
    n_members : int or "auto", default="auto"
        Models trained at once; ``"auto"`` takes two up to four classes and one for more, and
        three if only one class has labels.
    n_steps : int, default=900
        Steps of the optimizer, rounded up to whole passes over the images.
    batch_size : int, default=256
        Images in a batch.
    first_guess : {"neighbors"} or None, default="neighbors"
        Who says what unlabeled images show. None leaves the states on their own, as in the paper.
    density : ImageLikelihoodRecipe or None, default=None
        Size and training of one more chain per class, by maximum likelihood, with which
        :meth:`sample` and :meth:`complete` generate.
    recipe : ImageRecipe or None, default=None
        Everything else about the training, see :class:`pulps.ImageRecipe`.
    checkpoint : path or None, default=None
        File in which ``fit`` keeps its state after every pass over the images, and from which it
        goes on.
    random_state : int, RandomState or None, default=None
        Seed of starts, batches and augmentation.
    verbose : bool, int or "auto", default="auto"
        Whether to show how far a fit is.

    Attributes
    ----------
    classes_ : array of shape (classes,)
        Labeled classes in sorted order, then the one without labels, if there is one.
    transduction_ : array of shape (images,)
        Class of every training image: its label, or what is predicted.
    class_shares_, held_out_confusion_ : pandas.DataFrame
        Share of every class with an interval, and what was said of labels that were held out,
        as in :class:`pulps.LPSSemiSupervisedClassifier`.
    cores_ : list of lists of arrays
        For each class, one array (members kept, feature, left, output, right) per site.
    teacher_ : NeighborImages or None
        The first guess, which tells any image's chances.
    book_, image_shape_, value_range_, typical_patches_
        As in :class:`pulps.LPSImageClassifier`.
    class_scale_, member_scales_, agreement_, kappa_, agreement_matrix_, members_
        As in :class:`pulps.LPSSemiSupervisedClassifier`.
    restarts_, history_, loss_curve_, n_iter_, engine_
        How training went, as there.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from pulps import LPSSemiSupervisedImageClassifier
    >>> digits, classes = load_digits(n_class=3, return_X_y=True)
    >>> y = np.where(np.arange(len(classes)) % 20 == 0, classes, -1)
    >>> model = LPSSemiSupervisedImageClassifier(
    ...     size=None, patch_size=2, feature_dim=4, bond_dim=4, n_members=1, n_steps=40,
    ...     random_state=0)
    >>> bool((model.fit(digits.reshape(-1, 8, 8), y).transduction_ == classes).mean() > 0.95)
    True
    """

    _recipe_type = ImageRecipe
    _parameter_constraints = {
        "unlabeled_class": "no_validation",
        "blend": [Interval(Real, 0, 1, closed="both")],
        "n_members": [_FROM_ONE, StrOptions({"auto"})],
        **{name: LPSImageClassifier._parameter_constraints[name] for name in SHARED},
        "checkpoint": LPSClassifier._parameter_constraints["checkpoint"],
    }

    typical_patches_: np.ndarray
    density_cores_: list[list[np.ndarray]]
    teacher_: NeighborImages | None

    def __init__(
        self,
        *,
        unlabeled_class: Any = False,
        blend: float = 0.5,
        size: int | None = 24,
        patch_size: int = 3,
        feature_dim: int = 8,
        path: str = "snake",
        deskew: bool = False,
        augmentation: Augmentation | None = SMALL_CHANGES,
        bond_dim: int = 8,
        spacing: int = 5,
        n_members: int | Literal["auto"] = "auto",
        n_steps: int = 900,
        batch_size: int = 256,
        first_guess: Any = "neighbors",
        density: ImageLikelihoodRecipe | None = None,
        recipe: ImageRecipe | None = None,
        checkpoint: str | Path | None = None,
        random_state: Seed = None,
        verbose: bool | int | Literal["auto"] = "auto",
    ) -> None:
        self.unlabeled_class = unlabeled_class
        self.blend = blend
        self.size = size
        self.patch_size = patch_size
        self.feature_dim = feature_dim
        self.path = path
        self.deskew = deskew
        self.augmentation = augmentation
        self.bond_dim = bond_dim
        self.spacing = spacing
        self.n_members = n_members
        self.n_steps = n_steps
        self.batch_size = batch_size
        self.first_guess = first_guess
        self.density = density
        self.recipe = recipe
        self.checkpoint = checkpoint
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = True
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from labeled and unlabeled images.

        Parameters
        ----------
        X : array of shape (images, height, width) or (images, height, width, channels)
            Images of numbers, in memory or mapped from a file, see
            :class:`pulps.images.ImageSource`.
        y : array of shape (images,)
            Classes; -1, None or NaN for an image without a label.
        sample_weight : array of shape (images,), default=None
            How much each image counts: in training, in what its label sends to its neighbors, and
            in the shares of classes. Weight zero is no image; a whole number is not quite as many
            copies, which would be neighbors of each other.

        Returns
        -------
        self
        """
        recipe = checked(self.recipe or ImageRecipe())
        given = read_class_images(self, X, y, sample_weight)
        classes, known, weights = given.classes, given.known, given.weights
        self.classes_ = classes
        if known.max() == 0:
            return self._fit_positive_unlabeled(X, known)
        rng, checkpoint = check_random_state(self.random_state), None
        if self.checkpoint is not None:
            checkpoint = open_checkpoint(self.checkpoint, self, recipe, given)
            rng = checkpoint.generator(rng)
        generator = new_generator(rng)
        images, embedding = embed_images(self, given.source, known >= 0, recipe, generator)
        small, guess = embedding.reader.small(images), None
        if self.first_guess is not None:
            guess = guess_image_classes(small, known, len(classes), generator, weights)
        trained = self._train(images, given, embedding, recipe, guess, generator, checkpoint)
        usable = usable_members(trained, recipe.learning_rate)
        sound = np.flatnonzero(trained.sound.numpy())
        self.book_ = embedding.book
        reader = embedding.reader
        self.image_shape_, self.value_range_ = reader.shape, reader.value_range
        self._keep_states(trained, sound if len(sound) else usable)
        self.teacher_ = None if guess is None else guess.teacher
        told = (None, None) if guess is None else (guess.honest, guess.asked)
        logs = self._log_norms(images)
        self._keep_decision(decide_classes(logs, known, weights, *told))
        chances = self.probabilities_of_norms(logs)
        if guess is not None:
            chances = self.blend * chances + (1 - self.blend) * guess.honest
        found = np.where(known >= 0, known, chances.argmax(axis=1))
        self.transduction_ = np.empty(len(given.used), dtype=classes.dtype)
        self.transduction_[given.used] = classes[found]
        if not given.used.all():  # images that weigh nothing get an answer as well
            rest = np.flatnonzero(~given.used)
            self.transduction_[rest] = self.predict(ImageSource(X)[rest])
        if self.density is not None:
            groups = [found == state for state in range(len(classes))]
            book = self.density.book(embedding.reader, self.path)
            small, n_passes = embedding.reader.small(images), len(groups) * self.density.max_epochs
            with line_of(self, n_passes, "density") as tell:
                learned = densities.learn(book, small, groups, self.density, generator, tell)
            self.density_cores_ = list(learned.cores)
            self.typical_patches_ = learned.typical
        if checkpoint is not None:
            checkpoint.remove()
        self._warn_of_empty_classes()
        return self

    def _train(
        self,
        images: Any,
        given: ClassImages,
        embedding: Any,
        recipe: ImageRecipe,
        guess: ImageClassGuess | None,
        generator: torch.Generator,
        keeper: Checkpoint | None,
    ) -> Trained:
        n_members, n_classes, known = self.n_members, len(given.classes), given.known
        if n_members == "auto":
            n_members = 2 if n_classes < 5 else 1
        n_epochs = n_epochs_of(self.n_steps, len(images), self.batch_size)
        settings = recipe.settings(n_epochs, 0.5, guessed=guess is not None)
        if guess is not None:
            settings = replace(settings, hint_size=1.0)
        return train_images(
            self,
            images,
            embedding,
            np.tile(known >= 0, (n_members, 1)),
            recipe,
            class_settings(settings, known, n_classes, given.weights),
            generator,
            hints=None if guess is None else guess.hints(),
            own_state=torch.as_tensor(known),
            weights=given.weights,
            keeper=keeper,
        )

    def _fit_positive_unlabeled(self, X: Any, known: np.ndarray) -> Self:
        """Leave it to the classifier of one labeled class, which is the first here."""
        own = {name: getattr(self, name) for name in SHARED}
        n_members = POSITIVE_UNLABELED_MEMBERS if self.n_members == "auto" else self.n_members
        model = LPSImageClassifier(**own, n_members=n_members)
        model.fit(X, (known == 0).astype(int))
        take_over(self, model, len(known), (known == 0).sum())
        self.book_, self.image_shape_ = model.book_, model.image_shape_
        self.value_range_ = model.value_range_
        if self.density is not None:
            self.typical_patches_ = model.typical_patches_
        found = np.where(known == 0, 0, 1 - model.predict(X))
        self.transduction_ = self.classes_[found]
        self._warn_of_empty_classes()
        return self

    # Classes.

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of every class, by the network and its first guess as ``blend`` says.

        Parameters
        ----------
        X : array of shape (images, height, width) or (images, height, width, channels)
            Images of the same shape as in ``fit``; missing pixels (NaN) are traced out.

        Returns
        -------
        array of shape (images, classes)
            Columns in the order of ``classes_``.
        """
        images = self.upright_images(X)
        if self.teacher_ is None:
            return self.probabilities_of_norms(self._log_norms(images))
        by_neighbors = self.teacher_.probabilities(self.embedding.reader.small(images))
        if self.blend == 0:
            return by_neighbors
        by_states = self.probabilities_of_norms(self._log_norms(images))
        return self.blend * by_states + (1 - self.blend) * by_neighbors

    def member_classes(self, X: Any) -> np.ndarray:
        """Class that each kept member alone would give images.

        Parameters
        ----------
        X : array of shape (images, height, width) or (images, height, width, channels)
            Images of the same shape as in ``fit``.

        Returns
        -------
        array of shape (members, images)
            Positions in ``classes_``.
        """
        return self.votes_of_norms(self._log_norms(self.upright_images(X)))

    def _log_norms(self, images: Any) -> np.ndarray:
        """Log-norm under every state of every kept member, (classes, members, images)."""
        cores = join(*self.cores_)
        stack = Stack.of(cores, len(self.classes_))
        return stack.by_state(self.embedding.log_norms(images, cores))

    # New images.

    def class_density(self, y: Any) -> ImageDensity:
        """Return the density of a class: a value to draw images from.

        Parameters
        ----------
        y
            One of ``classes_``.

        Returns
        -------
        ImageDensity
        """
        check_is_fitted(self, "density_cores_")
        reader = self.embedding.reader
        codes = PatchCodes.of_typical(self.typical_patches_, reader, self.path)
        return ImageDensity(reader, codes, self.density_cores_[self.class_index(y)])

    def sample(
        self, n_samples: int = 1, y: Any = None, *, random_state: Seed = None
    ) -> np.ndarray:
        """Draw new images of one class.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        y
            One of ``classes_``; needed, since no class comes first.
        random_state
            See :meth:`pulps.LPSImageClassifier.sample`.

        Returns
        -------
        array of shape (n_samples, height, width) or (n_samples, height, width, channels)
        """
        return self.class_density(y).sample(n_samples, random_state=random_state)

    def complete(self, X: Any, y: Any, *, random_state: Seed = None) -> np.ndarray:
        """Fill in what is missing (NaN) in images, given the rest and the class.

        Parameters
        ----------
        X : array of images
            Of the size that the chains see.
        y
            One of ``classes_``.
        random_state
            See :meth:`pulps.LPSImageClassifier.complete`.

        Returns
        -------
        array of the shape of X
        """
        return self.class_density(y).complete(X, random_state=random_state)
