"""`LPSImageClassifier`: the same two states on patches of images."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
import torch
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from pulps.decision.decide import decide
from pulps.decision.held_out import hide_parts
from pulps.decision.threshold import RULES
from pulps.estimators.answers import POSITIVE
from pulps.estimators.base import StateClassifier, usable_members
from pulps.estimators.images import density as densities
from pulps.estimators.images.density import ImageDensity, ImageLikelihoodRecipe, PatchCodes
from pulps.estimators.images.fit import (
    PATHS,
    SMALL_CHANGES,
    ImageRows,
    embed_images,
    n_epochs_of,
    train_images,
)
from pulps.estimators.images.guess import follow_graph, guess_images
from pulps.estimators.images.kinds import kinds_of
from pulps.estimators.progress import line_of
from pulps.estimators.recipes.paper import paper_image_parameters
from pulps.estimators.recipes.recipe import ImageRecipe, checked
from pulps.images import Augmentation
from pulps.images.source import ImageSource
from pulps.io._sklearn import Interval, StrOptions, fit_context, with_callbacks
from pulps.io.randomness import Seed, new_generator
from pulps.labels import SCENARIOS, read_target
from pulps.network.stack import Stack, join
from pulps.training.loss import N_STATES

_FROM_ONE = Interval(Integral, 1, None, closed="left")


class LPSImageClassifier(ImageRows, StateClassifier):
    r"""Positive-unlabeled classification of images with two locally purified states.

    Images are cut into small patches. Every patch is written in a few orthonormal functions
    and put on a half sphere (:class:`pulps.network.basis.SphereBasis`), and the patches along a
    path are the sites of the chains. Every image is changed at random a little each time it is
    seen (:class:`pulps.images.Augmentation`), so that few are not learned by heart.

    Images need not fit into memory: those of a file that is mapped, or of anything else that
    :class:`pulps.images.ImageSource` takes, are read when they are needed. Patches are learned
    from 20,000 images at most, and labels spread between 60,000: a random draw with all labeled
    ones (half of that at most). The first guess holds what it knows of these at once.

    Parameters
    ----------
    size : int or None, default=24
        Height and width to bring the images to; None leaves them as they are.
    patch_size : int, default=3
        Height and width of a patch. With 1 every pixel is a site and gets cosines, as in the
        paper.
    feature_dim : int, default=8
        Feature dimension d of a site: one more than the number of functions a patch is written
        in, or the number of cosines of a pixel.
    path : {"snake", "raster", "hilbert"}, default="snake"
        Order of the patches.
    deskew : bool, default=False
        Whether to undo slant and move what the image shows to the middle
        (:func:`pulps.images.upright`); right for handwriting.
    augmentation : Augmentation or None, default=Augmentation()
        Random changes of the training images; None for none.
    bond_dim, spacing : int, default=8, 5
        Size of the chains, see :class:`pulps.network.lps.ChainShape`.
    n_members : int, default=3
        Members to train, from different starts.
    n_steps : int, default=900
        Steps of the optimizer, rounded up to whole passes over the images.
    batch_size : int, default=256
        Images in a batch.
    first_guess : {"neighbors"} or None, default="neighbors"
        Labels spread between images whose edges are alike, and the images are cut where few
        links between neighbors are cut; the states learn from these sides
        (:mod:`pulps.estimators.images.guess`). None leaves the states on their own, as in the
        paper.
    features : callable or None, default=None
        What the first guess compares images by, in place of their edges and pixels: a function
        from an array of images, as they came to ``fit``, to an array (images, numbers), such as
        the last layer but one of a network that was trained elsewhere. It is not saved.
    prior : float or None, default=None
        Share of positives in the population. None finds it where few links between neighbors are
        cut; without a first guess it is one half, as in the paper.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        Whether the labeled images are part of the population.
    threshold : {"auto", "balance", "prior", "pu-f1", "lee-liu"}, default="auto"
        Where to cut. ``"balance"`` is the paper's sign rule. With a first guess all others cut
        at the share of positives that is given or found; without, see
        :mod:`pulps.decision.threshold`.
    pos_label : default=None
        Value of ``y`` for labeled positives.
    density : ImageLikelihoodRecipe or None, default=None
        Size and training of another pair of chains, by maximum likelihood, with which
        :meth:`sample` and :meth:`complete` generate.
    recipe : ImageRecipe or None, default=None
        Everything else about the training, see :class:`pulps.ImageRecipe`; None takes its
        defaults.
    random_state : int, RandomState or None, default=None
        Seed of starts, batches and augmentation.
    verbose : bool, int or "auto", default="auto"
        Whether to show how far a fit is; see :class:`~pulps.LPSClassifier`.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) images, then that of positive ones.
    book_ : PatchBook
        The patches and their functions.
    positive_cores_, negative_cores_ : list of arrays
        One array (members kept, feature, left, output, right) per site.
    agreement_, kappa_, agreement_matrix_, members_, member_scales_
        How the members agree, as in :class:`pulps.LPSClassifier`.
    threshold_report_, prior_, slope_
        Where the decision is cut, as there.
    restarts_, history_, loss_curve_, n_iter_, engine_
        How training went, as there.
    positive_density_cores_, negative_density_cores_ : list of arrays
        Cores of the chains that generate, if ``density`` is given.
    typical_patches_ : array of shape (codes, numbers of a patch)
        What generated images are made of.
    image_shape_, value_range_ : tuples
        Shape of an image at fit; its darkest and brightest value, which become 0 and 1.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from pulps import LPSImageClassifier, hide_labels
    >>> digits, classes = load_digits(n_class=2, return_X_y=True)
    >>> y = hide_labels(classes, n_labeled=10, random_state=0)
    >>> model = LPSImageClassifier(size=None, patch_size=2, feature_dim=4, bond_dim=4,
    ...                            n_members=2, n_steps=60, random_state=0)
    >>> model.fit(digits.reshape(-1, 8, 8), y).score(digits.reshape(-1, 8, 8), classes) > 0.95
    True
    """

    _recipe_type = ImageRecipe
    _parameter_constraints = {
        "size": [_FROM_ONE, None],
        "patch_size": [_FROM_ONE],
        "feature_dim": [Interval(Integral, 2, None, closed="left")],
        "path": [StrOptions(PATHS)],
        "deskew": ["boolean"],
        "augmentation": [Augmentation, None],
        "bond_dim": [_FROM_ONE],
        "spacing": [_FROM_ONE],
        "n_members": [_FROM_ONE],
        "n_steps": [_FROM_ONE],
        "batch_size": [_FROM_ONE],
        "first_guess": [StrOptions({"neighbors"}), None],
        "features": [callable, None],
        "prior": [Interval(Real, 0, 1, closed="neither"), None],
        "scenario": [StrOptions(set(SCENARIOS))],
        "threshold": [StrOptions(set(RULES))],
        "pos_label": "no_validation",
        "density": [ImageLikelihoodRecipe, None],
        "recipe": [ImageRecipe, None],
        "random_state": ["random_state"],
        "verbose": ["verbose", StrOptions({"auto"})],
    }

    def __init__(
        self,
        *,
        size: int | None = 24,
        patch_size: int = 3,
        feature_dim: int = 8,
        path: str = "snake",
        deskew: bool = False,
        augmentation: Augmentation | None = SMALL_CHANGES,
        bond_dim: int = 8,
        spacing: int = 5,
        n_members: int = 3,
        n_steps: int = 900,
        batch_size: int = 256,
        first_guess: Any = "neighbors",
        features: Callable[[np.ndarray], Any] | None = None,
        prior: Any = None,
        scenario: str = "single-training-set",
        threshold: str = "auto",
        pos_label: Any = None,
        density: ImageLikelihoodRecipe | None = None,
        recipe: ImageRecipe | None = None,
        random_state: Seed = None,
        verbose: bool | int | Literal["auto"] = "auto",
    ) -> None:
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
        self.features = features
        self.prior = prior
        self.scenario = scenario
        self.threshold = threshold
        self.pos_label = pos_label
        self.density = density
        self.recipe = recipe
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def from_paper(cls, **overrides: Any) -> Self:
        """Return the paper's configuration for MNIST, by the author's code where they differ.

        Sizes, path, augmentation and learning rate are the paper's, margin and squared norms
        the code's; the rate falls along a cosine, in fewer steps. It trains for hours.

        Parameters
        ----------
        **overrides
            Parameters, and fields of the recipe, to set differently.

        Returns
        -------
        LPSImageClassifier

        Examples
        --------
        >>> LPSImageClassifier.from_paper(n_steps=100).patch_size
        1
        """
        return cls.from_parameters(**(paper_image_parameters() | overrides))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = True
        return tags

    @fit_context(prefer_skip_nested_validation=True)
    @with_callbacks
    def fit(self, X: Any, y: Any) -> Self:
        """Learn from labeled positive images and unlabeled ones.

        Parameters
        ----------
        X : array of shape (images, height, width) or (images, height, width, channels)
            Images of numbers; bytes will do. In memory, mapped from a file, or anything that
            is read by slices and row numbers, see :class:`pulps.images.ImageSource`.
        y : array of shape (images,)
            Two values: 1 (or ``pos_label``) for a labeled positive, 0 for an unlabeled image.

        Returns
        -------
        self
        """
        source = ImageSource(X)
        _, classes, labeled = read_target(
            y, self.pos_label, n_rows=len(source), caller=type(self).__name__, rows="images"
        )
        recipe = checked(self.recipe or ImageRecipe())
        rng = check_random_state(self.random_state)
        generator = new_generator(rng)
        images, embedding = embed_images(self, source, labeled, recipe, generator)
        reader, density, book = embedding.reader, self.density, None
        if density is not None:
            book = density.book(reader, self.path)  # what cannot be cut is told before training
        guess, hidden = None, np.zeros((self.n_members, len(labeled)), dtype=bool)
        known = self._known_prior_of_unlabeled(labeled)
        if self.first_guess is not None:
            kinds = kinds_of(reader.small(images), source, self.features)
            guess = guess_images(kinds, labeled, known, generator)
        elif recipe.label_parts is not None and labeled.sum() >= 2 * recipe.label_parts:
            hidden = hide_parts(labeled, self.n_members, recipe.label_parts, rng)
        prior = guess.share if guess else 0.5 if known is None else known
        n_epochs = n_epochs_of(self.n_steps, len(images), self.batch_size)
        trained = train_images(
            self,
            images,
            embedding,
            labeled & ~hidden,
            recipe,
            recipe.settings(n_epochs, prior, guessed=guess is not None),
            generator,
            hints=None if guess is None else torch.as_tensor(guess.hints).float(),
        )
        usable = usable_members(trained, recipe.learning_rate)
        cores = [core.numpy()[trained.stack.chains_of(usable)] for core in trained.cores]
        log_p, log_n = trained.stack.select(usable).split(embedding.log_norms(images, cores))
        common: dict[str, Any] = {"size": recipe.n_selected, "rule": self.threshold}
        common["single_training_set"] = self.scenario == "single-training-set"
        if guess is not None:
            decision = follow_graph(log_p - log_n, guess, hint_size=recipe.hint_size, **common)
        else:
            decision = decide(log_p - log_n, labeled, hidden[usable], known_prior=known, **common)
        self.classes_, self.book_ = classes, embedding.book
        self.image_shape_, self.value_range_ = reader.shape, reader.value_range
        self._keep(trained, usable, decision)
        if density is not None and book is not None:
            positive = labeled | (self.decision_rule.decision(self._ratios(images)) > 0)
            small, groups = reader.small(images), (positive, ~positive)
            with line_of(self, 2 * density.max_epochs, "density") as tell:
                learned = densities.learn(book, small, groups, density, generator, tell)
            self.positive_density_cores_, self.negative_density_cores_ = learned.cores
            self.typical_patches_ = learned.typical
        self._warn(decision, trained.n_members, recipe.max_restarts)
        return self

    def log_ratios(self, X: Any) -> np.ndarray:
        r"""Log-ratio of both norms for every kept member.

        Parameters
        ----------
        X : array of shape (images, height, width) or (images, height, width, channels)
            Images of the same shape as in ``fit``.

        Returns
        -------
        array of shape (members, images)
        """
        return self._ratios(self.upright_images(X))

    def _ratios(self, images: Any) -> np.ndarray:
        cores = join(self.positive_cores_, self.negative_cores_)
        stack = Stack.of(cores, N_STATES)
        log_p, log_n = stack.split(self.embedding.log_norms(images, cores))
        return log_p - log_n

    def class_density(self, y: Any = None) -> ImageDensity:
        """Return the density of a class: a value to draw images from.

        Parameters
        ----------
        y : default=None
            One of ``classes_``; None takes the positive class.

        Returns
        -------
        ImageDensity
        """
        check_is_fitted(self, "positive_density_cores_")
        positive = self.class_index(y) == POSITIVE
        cores = self.positive_density_cores_ if positive else self.negative_density_cores_
        reader = self.embedding.reader
        codes = PatchCodes.of_typical(self.typical_patches_, reader, self.path)
        return ImageDensity(reader, codes, cores)

    def sample(
        self, n_samples: int = 1, y: Any = None, *, random_state: Seed = None
    ) -> np.ndarray:
        """Draw new images of one class.

        Parameters
        ----------
        n_samples : int, default=1
            How many.
        y : default=None
            One of ``classes_``; None takes the positive class.
        random_state : int, RandomState or None, default=None
            Source of randomness.

        Returns
        -------
        array of shape (n_samples, height, width) or (n_samples, height, width, channels)
            As the chains see images: upright and resized, if so asked, in the values of the fit.
        """
        return self.class_density(y).sample(n_samples, random_state=random_state)

    def complete(self, X: Any, y: Any = None, *, random_state: Seed = None) -> np.ndarray:
        """Draw what is missing (NaN) in images, given the rest and the class.

        Images are not set upright here: pass them as :meth:`sample` returns them, or fit with
        ``deskew=False``. Patches with a missing pixel are drawn whole; pixels that are there stay.

        Parameters
        ----------
        X : array of images
            Of the size that the chains see.
        y : default=None
            One of ``classes_``; None takes the positive class.
        random_state : int, RandomState or None, default=None
            Source of randomness.

        Returns
        -------
        array of the shape of X
        """
        return self.class_density(y).complete(X, random_state=random_state)
