"""`LPSImageClassifier`: the same two states on patches of images."""

from __future__ import annotations

import math
from numbers import Integral, Real

import numpy as np
import torch
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d
from torch import Tensor

from pulps.decision.decide import keep_members
from pulps.decision.held_out import hide_parts
from pulps.estimators.first_guess import first_guess
from pulps.estimators.image_density import ImageGenerationMixin
from pulps.estimators.presets import paper_image_parameters
from pulps.estimators.progress import fit_progress
from pulps.images import Augmentation, PatchBook, resize, upright
from pulps.images.source import ImageSource, images_at_once
from pulps.io._sklearn import Interval, StrOptions, fit_context
from pulps.labels import SCENARIOS, read_labels, share_among_unlabeled
from pulps.network import engine
from pulps.network.basis import Basis, CosineBasis, SphereBasis, embed
from pulps.network.likelihood import LikelihoodRecipe
from pulps.network.lps import ChainShape
from pulps.training.batches import Batches, LazyRows
from pulps.training.ensemble import Trained, train_members
from pulps.training.loop import Recipe
from pulps.training.loss import LossWeights
from pulps.training.subsample import thin_out

CHUNK = 2048
PATHS = {"raster", "snake", "hilbert"}
SMALL_CHANGES = Augmentation()
FEW_LABELS = LossWeights(labeled_own=0.5, labeled_other=0.5)
MOST_IMAGES = 20_000  # to learn patches from and to spread labels between


class LPSImageClassifier(
    ImageGenerationMixin, ClassifierMixin, CallbackSupportMixin, BaseEstimator
):
    r"""Positive-unlabeled classification of images with two locally purified states.

    Images are cut into small patches. Every patch is written in a few orthonormal functions
    and put on a half sphere (:class:`pulps.network.basis.SphereBasis`), and the patches along a
    path are the sites of the chains. A batch is a draw of all images and as many labeled ones,
    each changed at random a little every time (:class:`pulps.images.Augmentation`), so that
    the few labeled images are not learned by heart.

    Images need not fit into memory: those of a file that is mapped, or of anything else that
    :class:`pulps.images.ImageSource` takes, are read when they are needed. From up to 20,000
    images the patches are learned and labels spread between neighbors; of more, a random
    20,000 with all labeled ones (10,000 of these at most) serve for that, and the others get
    their hints from their nearest neighbors among these. This first guess holds the 20,000 at
    once, brought to ``size``, and ``density`` 4000; everything else reads a chunk at a time.

    Parameters
    ----------
    size : int or None, default=24
        Height and width to bring the images to; None leaves them as they are.
    patch_size : int, default=3
        Height and width of a patch. With 1 every pixel is a site and gets cosines, as in the
        paper.
    feature_dim : int, default=8
        Feature dimension d of a site: one less than the number of functions a patch is
        written in, or the number of cosines of a pixel.
    family : {"pca", "dct"}, default="pca"
        Functions of a patch, see :class:`pulps.images.PatchBook`.
    contrast : float, default=2.0
        Scale of a patch on its half sphere; larger values tell faint patches better apart.
    path : {"snake", "raster", "hilbert"}, default="snake"
        Order of the patches.
    deskew : bool, default=False
        Whether to undo slant and move what the image shows to the middle
        (:func:`pulps.images.upright`); right for handwriting.
    augmentation : Augmentation or None, default=Augmentation()
        Random changes of the training images; None for none.
    bond_dim, spacing, output_dim : int, default=8, 5, 4
        Size of the chains, see :class:`pulps.network.lps.ChainShape`.
    n_members : int, default=3
        Members to train, from different starts.
    n_selected : int, "cluster" or None, default="cluster"
        Keep that many of the most agreeing members; ``"cluster"`` keeps the largest set of
        which every pair agrees on nine images of ten; None keeps every sound one. With very
        few labels some members find another split than the wanted one; seldom the same.
    n_steps : int, default=300
        Steps of the optimizer, rounded up to whole passes over the images.
    batch_size : int, default=256
        Images in a batch.
    labeled_share : float, default=0.125
        How many labeled images are added to each batch if they are rare, for each image of
        it; the paper adds as many.
    learning_rate : float, default=0.03
        Step of Adam; it falls to zero along a cosine.
    margin : float, default=10.0
        Unlabeled images whose log-ratio is within ``margin`` of zero teach nothing.
    first_guess : {"neighbors"} or None, default="neighbors"
        In the first part of training an unlabeled image leans towards the class that its
        nearest neighbors suggest (:mod:`pulps.estimators.first_guess`), less and less; after that
        the states are on their own. None leaves them alone from the start, as in the paper.
    prior : float or None, default=None
        Share of positives in the population; None for one half, as in the paper.
    threshold : {"balance", "prior", "pu-f1", "lee-liu", "auto"}, default="balance"
        Where to cut, see :mod:`pulps.decision.threshold`. The default is the paper's sign rule.
    label_parts : int or None, default=None
        Hide each labeled image from one in ``label_parts`` members, which gives honest
        scores of labels to the threshold. Needs twice as many labeled images.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        Whether the labeled images are part of the population.
    pos_label : default=None
        Value of ``y`` for labeled positives.
    loss_weights : LossWeights or None, default=None
        Weights of the loss terms and the two places; None takes the paper's, but an eighth
        of its weight of the labeled images.
    density : LikelihoodRecipe or None, default=None
        Size and training of another pair of chains, by maximum likelihood, with which
        :meth:`sample` and :meth:`complete` generate; needs patches of more than a pixel. Its
        ``feature_dim`` is that of the classifier.
    start_scale : float, default=1.0
        Spread of the random start.
    max_restarts : int, default=2
        How many times a member that diverges or collapses may start again.
    random_state : int, RandomState or None, default=None
        Seed of starts, batches and augmentation.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) images, then that of positive ones.
    book_ : PatchBook
        The patches and their functions.
    positive_cores_, negative_cores_ : list of arrays
        One array (members kept, feature, left, output, right) a site.
    agreement_, kappa_, agreement_matrix_, members_, member_scales_
        How the members agree, as in :class:`pulps.LPSClassifier`.
    threshold_report_, prior_, slope_
        Where the decision is cut, as there.
    restarts_, history_, loss_curve_, n_iter_, engine_
        How training went, as there.
    positive_density_cores_, negative_density_cores_ : list of arrays
        Cores of the chains that generate, if ``density`` is given.
    coefficient_range_ : array of shape (2, feature_dim - 1)
        Coefficients of patches that no clear or likeliest patch goes beyond.
    image_shape_ : tuple of int
        Shape of an image at fit.
    value_range_ : tuple of two float
        Darkest and brightest value at fit; they become 0 and 1.

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

    _parameter_constraints = {
        "size": [Interval(Integral, 1, None, closed="left"), None],
        "patch_size": [Interval(Integral, 1, None, closed="left")],
        "feature_dim": [Interval(Integral, 2, None, closed="left")],
        "family": [StrOptions({"pca", "dct"})],
        "contrast": [Interval(Real, 0, None, closed="neither")],
        "path": [StrOptions(PATHS)],
        "deskew": ["boolean"],
        "augmentation": [Augmentation, None],
        "bond_dim": [Interval(Integral, 1, None, closed="left")],
        "spacing": [Interval(Integral, 1, None, closed="left")],
        "output_dim": [Interval(Integral, 1, None, closed="left")],
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "n_selected": [Interval(Integral, 1, None, closed="left"), StrOptions({"cluster"}), None],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "labeled_share": [Interval(Real, 0, None, closed="neither")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "margin": [Interval(Real, 0, None, closed="left")],
        "first_guess": [StrOptions({"neighbors"}), None],
        "prior": [Interval(Real, 0, 1, closed="neither"), None],
        "threshold": [StrOptions({"balance", "prior", "pu-f1", "lee-liu", "auto"})],
        "label_parts": [Interval(Integral, 2, None, closed="left"), None],
        "scenario": [StrOptions(set(SCENARIOS))],
        "pos_label": "no_validation",
        "loss_weights": [LossWeights, None],
        "density": [LikelihoodRecipe, None],
        "start_scale": [Interval(Real, 0, None, closed="neither")],
        "max_restarts": [Interval(Integral, 0, None, closed="left")],
        "random_state": ["random_state"],
        "verbose": ["boolean"],
    }

    def __init__(
        self,
        *,
        size=24,
        patch_size=3,
        feature_dim=8,
        family="pca",
        contrast=2.0,
        path="snake",
        deskew=False,
        augmentation=SMALL_CHANGES,
        bond_dim=8,
        spacing=5,
        output_dim=4,
        n_members=3,
        n_selected="cluster",
        n_steps=300,
        batch_size=256,
        labeled_share=0.125,
        learning_rate=0.03,
        margin=10.0,
        first_guess="neighbors",
        prior=None,
        threshold="balance",
        label_parts=None,
        scenario="single-training-set",
        pos_label=None,
        loss_weights=None,
        density=None,
        start_scale=1.0,
        max_restarts=2,
        random_state=None,
        verbose=False,
    ):
        self.size = size
        self.patch_size = patch_size
        self.feature_dim = feature_dim
        self.family = family
        self.contrast = contrast
        self.path = path
        self.deskew = deskew
        self.augmentation = augmentation
        self.bond_dim = bond_dim
        self.spacing = spacing
        self.output_dim = output_dim
        self.n_members = n_members
        self.n_selected = n_selected
        self.n_steps = n_steps
        self.batch_size = batch_size
        self.labeled_share = labeled_share
        self.learning_rate = learning_rate
        self.margin = margin
        self.first_guess = first_guess
        self.prior = prior
        self.threshold = threshold
        self.label_parts = label_parts
        self.scenario = scenario
        self.pos_label = pos_label
        self.loss_weights = loss_weights
        self.density = density
        self.start_scale = start_scale
        self.max_restarts = max_restarts
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def from_paper(cls, **overrides) -> LPSImageClassifier:
        """Return the paper's configuration for MNIST, by the author's code where they differ.

        Sizes, path, augmentation and learning rate are the paper's, margin and squared norms
        the code's; the rate falls along a cosine, in fewer steps. It trains for hours.

        Parameters
        ----------
        **overrides
            Parameters to set differently, for instance ``n_steps``.

        Examples
        --------
        >>> LPSImageClassifier.from_paper(n_steps=100).patch_size
        1
        """
        return cls(**(paper_image_parameters() | overrides))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.two_d_array = False
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = True
        return tags

    @with_callbacks
    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
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
        if y is None:
            raise ValueError(
                "This LPSImageClassifier estimator requires y to be passed, but the target y is "
                "None: pass 1 for labeled positives and 0 for unlabeled images."
            )
        if self.density is not None and self.patch_size == 1:
            raise ValueError("density needs patches; pass patch_size of 2 or more, or no density.")
        stack = ImageSource(X)
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_classification_targets(y)
        check_consistent_length(stack, y)
        self.classes_, labeled = read_labels(y, self.pos_label)
        self.image_shape_, self.value_range_ = stack.shape[1:], stack.value_range()
        if np.isnan(self.value_range_).any():
            raise ValueError(
                "Some training images have missing pixels (NaN). They can be predicted and "
                "completed, but not learned from: leave them out, or fill them in."
            )
        lazy = self._read(stack)
        images = lazy[:] if stack.in_memory and len(stack) <= MOST_IMAGES else lazy
        rng = check_random_state(self.random_state)
        generator = torch.Generator().manual_seed(int(rng.randint(np.iinfo(np.int32).max)))
        rows = thin_out(labeled, MOST_IMAGES, generator)
        n_functions = None if self.patch_size == 1 else self.feature_dim - 1
        self.book_ = PatchBook(
            self.patch_size, n_functions, family=self.family, path=self.path
        ).fit(LazyRows(rows, self._small(images).__getitem__))
        spies = np.zeros((self.n_members, len(y)), dtype=bool)
        if self.label_parts is not None and labeled.sum() >= 2 * self.label_parts:
            spies = hide_parts(labeled, self.n_members, self.label_parts, rng)
        trained = self._train(images, rows, labeled, spies, generator)
        keep_members(
            self,
            trained,
            lambda cores: self._log_norms(images, cores)[0],
            labeled,
            spies,
            np.ones(len(labeled)),
            self._known_prior_of_unlabeled(labeled),
        )
        if self.density is not None:
            decision = (self._ratios(images) / self.member_scales_[:, None]).mean(axis=0)
            positive = labeled | (decision > self.threshold_report_.threshold)
            self._fit_densities(images, positive, generator)
        return self

    def _read(self, stack: ImageSource) -> LazyRows:
        """Images that are brought to one range and position when they are read."""
        return LazyRows(stack, self._upright, at_once=images_at_once(self.image_shape_))

    def _small(self, images: Tensor | LazyRows) -> LazyRows:
        """Upright images that are resized when they are read."""
        return LazyRows(images, self._resized, at_once=images_at_once(self.image_shape_))

    def _upright(self, X: np.ndarray) -> Tensor:
        """Bring images to one range and position."""
        low, high = self.value_range_
        images = (torch.as_tensor(X).float() - low) / ((high - low) or 1.0)
        return upright(images) if self.deskew else images

    def _resized(self, images: Tensor) -> Tensor:
        return images if self.size is None else resize(images, self.size)

    def _bases(self) -> list[Basis]:
        n_sites = len(self.book_.order_)
        if self.patch_size == 1:
            return [CosineBasis(self.feature_dim)] * n_sites
        return [SphereBasis(self.feature_dim, self.contrast)] * n_sites

    def _embed(self, images: Tensor) -> tuple[list[Tensor], Tensor | None]:
        """Features of the patches of images, and which of them are seen."""
        images = self._resized(images)
        if self.patch_size == 1:
            return embed(self._bases(), self.book_.cut(images)[:, :, 0])
        return embed(self._bases(), self.book_.transform(images))

    def _train(self, images, rows, labeled, spies, generator) -> Trained:
        shape = ChainShape(
            tuple(basis.dim for basis in self._bases()),
            self.bond_dim,
            self.spacing,
            self.output_dim,
        )
        some = engine.prepare(*self._embed(images[: 2 * self.batch_size]))

        def start(n_members: int) -> list[Tensor]:
            cores = shape.random_cores(2 * n_members, self.start_scale, generator)
            cores = [core.float() for core in cores]
            # All chains start where an image of the training set has norm one.
            log_norm = engine.log_norms(cores, some).mean(1) / len(cores)
            return [core * torch.exp(-log_norm)[:, None, None, None, None] for core in cores]

        known = self._known_prior_of_unlabeled(labeled)
        prior = 0.5 if known is None else known
        shown = labeled & ~spies
        batches = Batches(
            images,
            self._embed,
            torch.as_tensor(shown).float(),
            torch.as_tensor(~shown).float(),
            self.batch_size,
            generator,
            self.augmentation,
            self._hints(images, rows, shown, prior),
            self.labeled_share,
        )
        steps_an_epoch = math.ceil(len(images) / self.batch_size)
        recipe = Recipe(
            max_epochs=math.ceil(self.n_steps / steps_an_epoch),
            learning_rate=self.learning_rate,
            weights=self.loss_weights or FEW_LABELS,
            margin=self.margin,
            prior=prior,
        )
        with fit_progress(self, recipe.max_epochs) as epoch_done:
            return train_members(
                start, batches, recipe, max_restarts=self.max_restarts, on_epoch=epoch_done
            )

    def _hints(self, images, rows, shown: np.ndarray, prior: float) -> Tensor | None:
        """Ask the nearest neighbors of each image; a member hears of the labels it is shown."""
        if self.first_guess is None:
            return None
        small = self._small(images)
        hints = first_guess(lambda part: small[part].flatten(1).numpy(), rows, shown, prior)
        return torch.as_tensor(hints).float()

    def _known_prior_of_unlabeled(self, labeled) -> float | None:
        if self.prior is None:
            return None
        return share_among_unlabeled(self.prior, labeled, self.scenario)

    def _log_norms(self, images, *chains) -> list[np.ndarray]:
        """Log-norms of upright images for each list of cores; a chunk is read once for all."""
        lists = [[torch.as_tensor(core) for core in cores] for cores in chains]
        small, parts = self._small(images), []
        with torch.no_grad():
            for first in range(0, len(images), CHUNK):
                embedded = self._embed(small[first : first + CHUNK])
                norms = [engine.log_norms(cores, *embedded).double() for cores in lists]
                parts.append([norm.numpy() for norm in norms])
        return [np.concatenate(part, axis=1) for part in zip(*parts, strict=True)]

    def log_ratios(self, X) -> np.ndarray:
        r"""Log-ratio of each member, shape (members, images)."""
        check_is_fitted(self)
        stack = ImageSource(X)
        if stack.shape[1:] != self.image_shape_:
            raise ValueError(
                f"Images of shape {stack.shape[1:]} came, but the model was fitted to images of "
                f"shape {self.image_shape_}."
            )
        return self._ratios(self._read(stack))

    def _ratios(self, images) -> np.ndarray:
        log_p, log_n = self._log_norms(images, self.positive_cores_, self.negative_cores_)
        return log_p - log_n

    def decision_function(self, X) -> np.ndarray:
        """Mean over members of the log-ratio in units of its size, above the threshold.

        Positive means positive. Patches with a missing pixel (NaN) are traced out.
        """
        scores = self.log_ratios(X) / self.member_scales_[:, None]
        return scores.mean(axis=0) - self.threshold_report_.threshold

    def predict(self, X) -> np.ndarray:
        """Class of each image: positive where the decision is above zero."""
        return self.classes_[(self.decision_function(X) > 0).astype(int)]

    def predict_proba(self, X) -> np.ndarray:
        """Probability of both classes, shape (images, 2); a logistic function of the decision."""
        positive = expit(self.slope_ * self.decision_function(X))
        return np.column_stack([1 - positive, positive])

    def save(self, path) -> None:
        """Write the fitted model to a file, without pickle; see :meth:`load`."""
        from pulps.estimators.persistence import save

        save(self, path)

    @classmethod
    def load(cls, path) -> LPSImageClassifier:
        """Read a model written by :meth:`save`; nothing in the file is executed."""
        from pulps.estimators.persistence import load

        return load(path, cls)
