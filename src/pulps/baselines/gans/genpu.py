"""GenPU: two generators and three discriminators find both classes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from pulps.baselines._shared.dense import population_prior
from pulps.baselines._shared.gan_classifier import (
    GAN_CONSTRAINTS,
    SECOND_STAGE_CONSTRAINTS,
    Loss,
    Networks,
    TwoStageClassifier,
    fake,
    judge,
    real,
)
from pulps.baselines._shared.perceptrons import scores
from pulps.baselines._shared.tabular import PRIOR_CONSTRAINTS
from pulps.io._sklearn import Interval
from pulps.labels import share_among_unlabeled


class GenPUClassifier(TwoStageClassifier):
    r"""Generative adversarial positive-unlabeled learning (GenPU).

    A positive and a negative generator together make rows like the unlabeled ones, in the
    shares of the classes. One discriminator compares the positive generator with labeled rows,
    one both generators with unlabeled rows, and a third one tells labeled rows from those
    of the negative generator, which is rewarded where that is easy. A classifier then learns
    rows of both generators.

    Parameters
    ----------
    generator : "auto", "mlp", "cnn" or callable, default="auto"
        See :func:`~pulps.baselines._shared.generators.build_generator`.
    discriminator : "auto", "linear", "mlp", "cnn", torch module or callable, default="auto"
        See :func:`~pulps.baselines._shared.perceptrons.build_network`; ``"auto"`` takes ``"mlp"``
        for tables and ``"cnn"`` for images.
    classifier : as ``discriminator``, default="auto"
        Network of the second stage.
    hidden_units : sequence of int, default=(128, 128)
        Hidden layers of ``"mlp"``.
    noise_dim : int, default=16
        How many random numbers a generator starts from.
    positive_weight, unlabeled_weight, negative_weight : float, default=1
        Weights :math:`\lambda_p, \lambda_u, \lambda_n` of the three comparisons.
    n_updates : int, default=2000
        Updates of every network.
    learning_rate : float, default=0.001
        Step of Adam, with β₁ = ½.
    batch_size : int, default=128
        Labeled rows, unlabeled rows and rows of each generator in an update.
    n_generated : int, default=2000
        Rows of each class that the classifier learns.
    classifier_epochs : int, default=30
        Passes of the classifier over them.
    n_iter_no_change : int or None, default=5
        Epochs without a better loss on a held-out fifth of the rows after which the
        classifier stops; None trains all epochs on all rows.
    prior : float or "estimate", default="estimate"
        Share of positives in the population; that among the unlabeled rows follows.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    device : str, default="cpu"
        Where to train, as torch names it.
    random_state : int, RandomState or None, default=None
        Seed of weights, batches, noise and the estimate of the prior.
    verbose : bool, default=False
        Whether to show a progress bar. Callbacks hear of every hundred updates and may end
        the training.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    prior_, prior_of_unlabeled_ : float
        Share of positives in the population, and among the unlabeled rows.
    weights_ : dict of dict of arrays
        Weights of every network.
    loss_curves_ : dict of arrays
        Mean loss of every network in each hundred updates.
    n_iter_ : int
        Updates done.

    Notes
    -----
    M. Hou, B. Chaib-draa, C. Li and Q. Zhao, *Generative adversarial positive-unlabelled
    learning*, IJCAI 2018. Left open there or not known to us, chosen here: the weights, which
    they tune; networks and rates; generators descend :math:`-\log D` instead of ascending
    :math:`\log(1 - D)`, as is usual; the second stage learns generated rows only. For
    very few labeled rows we would try a smaller :math:`\lambda_p` and a larger
    :math:`\lambda_n`.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, _ = make_toy("blobs", n_rows=200, n_labeled=40, random_state=0)
    >>> model = GenPUClassifier(prior=0.5, n_updates=20, random_state=0).fit(X, y)
    >>> model.sample(3, y=0).shape
    (3, 2)
    """

    _parameter_constraints = {
        **GAN_CONSTRAINTS,
        **SECOND_STAGE_CONSTRAINTS,
        **PRIOR_CONSTRAINTS,
        "positive_weight": [Interval(Real, 0, None, closed="left")],
        "unlabeled_weight": [Interval(Real, 0, None, closed="left")],
        "negative_weight": [Interval(Real, 0, None, closed="left")],
    }
    _network_names = (
        "positive_discriminator",
        "unlabeled_discriminator",
        "negative_discriminator",
        "positive_generator",
        "negative_generator",
    )

    def __init__(
        self,
        *,
        generator: Callable[..., Any] | Literal["auto", "cnn", "mlp"] = "auto",
        discriminator: Callable[..., Any] | Literal["auto", "cnn", "linear", "mlp"] = "auto",
        classifier: Callable[..., Any] | Literal["auto", "cnn", "linear", "mlp"] = "auto",
        hidden_units: Sequence[Any] = (128, 128),
        noise_dim: int = 16,
        positive_weight: float = 1.0,
        unlabeled_weight: float = 1.0,
        negative_weight: float = 1.0,
        n_updates: int = 2000,
        learning_rate: float = 1e-3,
        batch_size: int = 128,
        n_generated: int = 2000,
        classifier_epochs: int = 30,
        n_iter_no_change: int | None = 5,
        prior: float | Literal["estimate"] = "estimate",
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        device: str = "cpu",
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.generator = generator
        self.discriminator = discriminator
        self.classifier = classifier
        self.hidden_units = hidden_units
        self.noise_dim = noise_dim
        self.positive_weight = positive_weight
        self.unlabeled_weight = unlabeled_weight
        self.negative_weight = negative_weight
        self.n_updates = n_updates
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_generated = n_generated
        self.classifier_epochs = classifier_epochs
        self.n_iter_no_change = n_iter_no_change
        self.prior = prior
        self.scenario = scenario
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def _prepare(
        self, encoded: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState
    ) -> None:
        self.prior_ = population_prior(self.prior, encoded, labeled, self.scenario, rng)
        self.prior_of_unlabeled_ = share_among_unlabeled(self.prior_, labeled, self.scenario)

    def _losses(self, networks: Networks) -> dict[str, Loss]:
        share = self.prior_of_unlabeled_

        def made(positive: bool) -> Tensor:
            return self._make(networks, self.batch_size, positive)

        def fixed(positive: bool) -> Tensor:
            with torch.no_grad():
                return made(positive)

        def tell(name: str, known: Tensor, positive: bool) -> Tensor:
            labeled, generated = judge(networks[name], known, fixed(positive))
            return real(labeled) + fake(generated)

        def tell_mixture(known: Tensor, unknown: Tensor) -> Tensor:
            unlabeled, positive, negative = judge(
                networks["unlabeled_discriminator"], unknown, fixed(True), fixed(False)
            )
            return mixture_loss(unlabeled, positive, negative, share)

        return {
            "positive_discriminator": lambda known, unknown: tell(
                "positive_discriminator", known, True
            ),
            "unlabeled_discriminator": tell_mixture,
            "negative_discriminator": lambda known, unknown: tell(
                "negative_discriminator", known, False
            ),
            "positive_generator": lambda known, unknown: self._positive_loss(
                networks, made(True), share
            ),
            "negative_generator": lambda known, unknown: self._negative_loss(
                networks, made(False), share
            ),
        }

    def _positive_loss(self, networks: Networks, rows: Tensor, share: float) -> Tensor:
        like_labeled = real(scores(networks["positive_discriminator"], rows))
        like_unlabeled = real(scores(networks["unlabeled_discriminator"], rows))
        return share * (
            self.positive_weight * like_labeled + self.unlabeled_weight * like_unlabeled
        )

    def _negative_loss(self, networks: Networks, rows: Tensor, share: float) -> Tensor:
        like_unlabeled = real(scores(networks["unlabeled_discriminator"], rows))
        unlike_labeled = fake(scores(networks["negative_discriminator"], rows))
        return (1 - share) * (
            self.unlabeled_weight * like_unlabeled + self.negative_weight * unlike_labeled
        )

    def _make(self, networks: Networks, n_rows: int, positive: bool) -> Tensor:
        name = "positive_generator" if positive else "negative_generator"
        return networks[name](self._draw(n_rows))


def mixture_loss(unlabeled: Tensor, positive: Tensor, negative: Tensor, share: float) -> Tensor:
    """Loss of the discriminator of unlabeled rows, from scores of them and of both generators.

    Parameters
    ----------
    unlabeled
        Scores of unlabeled rows.
    positive, negative
        Scores of the rows of both generators.
    share
        Share of positives among the unlabeled rows.

    Returns
    -------
    Tensor
        A number that keeps its gradient.

    Examples
    --------
    >>> zero = torch.zeros(2)
    >>> round(float(mixture_loss(zero, zero, zero, 0.3)), 4)
    1.3863
    """
    return real(unlabeled) + share * fake(positive) + (1 - share) * fake(negative)
