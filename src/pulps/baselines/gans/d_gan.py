"""D-GAN: a generator of what the unlabeled rows have and the labeled ones have not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
from torch import Tensor

from pulps.baselines._shared.fakes_as_negatives import FakesAsNegatives
from pulps.baselines._shared.gan_classifier import (
    GAN_CONSTRAINTS,
    SECOND_STAGE_CONSTRAINTS,
    Networks,
    fake,
    judge,
    real,
)
from pulps.io._sklearn import Interval


class DGANClassifier(FakesAsNegatives):
    r"""Divergent GAN (D-GAN): the generator approaches unlabeled rows and avoids labeled ones.

    The discriminator is shown labeled rows as fakes, so that it is high only where unlabeled
    rows are more frequent than labeled ones, and the generator makes negatives. A classifier
    then learns the labeled rows against what was generated. No prior is needed.

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
    positive_weight : float, default=1.0
        Weight λ of the labeled rows among the fakes.
    smoothing : float, default=1.0
        Target of the discriminator for unlabeled rows, in (½, 1]; below one, this is
        one-sided label smoothing.
    n_updates : int, default=2000
        Updates of every network.
    learning_rate : float, default=0.001
        Step of Adam, with β₁ = ½.
    batch_size : int, default=128
        Labeled rows, unlabeled rows and generated rows in an update.
    n_generated : int, default=2000
        Generated rows that the classifier learns.
    classifier_epochs : int, default=30
        Passes of the classifier over them.
    n_iter_no_change : int or None, default=5
        Epochs without a better loss on a held-out fifth of the rows after which the
        classifier stops; None, or fewer than ten labeled rows, trains all epochs on all rows.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    device : str, default="cpu"
        Where to train, as torch names it.
    random_state : int, RandomState or None, default=None
        Seed of weights, batches and noise.
    verbose : bool, default=False
        Whether to show a progress bar. Callbacks hear of every hundred updates and may end
        the training.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    weights_ : dict of dict of arrays
        Weights of every network.
    loss_curves_ : dict of arrays
        Mean loss of every network in each hundred updates.
    n_iter_ : int
        Updates done.

    Notes
    -----
    F. Chiaroni, G. Khodabandelou, M.-C. Rahal, N. Hueber and F. Dufaux, *Counter-examples
    generation from a positive unlabeled image dataset*, Pattern Recognition 2020. The idea is
    confirmed, the formula of the loss and λ = 1 are recalled. As they advise, no network
    that judges has batch normalization, which would reveal the source of a batch.
    Networks and rates are chosen here.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, _ = make_toy("blobs", n_rows=200, n_labeled=40, random_state=0)
    >>> model = DGANClassifier(n_updates=20, random_state=0).fit(X, y)
    >>> model.sample(3, y=0).shape
    (3, 2)
    """

    _parameter_constraints = {
        **GAN_CONSTRAINTS,
        **SECOND_STAGE_CONSTRAINTS,
        "positive_weight": [Interval(Real, 0, None, closed="left")],
        "smoothing": [Interval(Real, 0.5, 1, closed="right")],
    }

    def __init__(
        self,
        *,
        generator: Callable[..., Any] | Literal["auto", "cnn", "mlp"] = "auto",
        discriminator: Callable[..., Any] | Literal["auto", "cnn", "linear", "mlp"] = "auto",
        classifier: Callable[..., Any] | Literal["auto", "cnn", "linear", "mlp"] = "auto",
        hidden_units: Sequence[Any] = (128, 128),
        noise_dim: int = 16,
        positive_weight: float = 1.0,
        smoothing: float = 1.0,
        n_updates: int = 2000,
        learning_rate: float = 1e-3,
        batch_size: int = 128,
        n_generated: int = 2000,
        classifier_epochs: int = 30,
        n_iter_no_change: int | None = 5,
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
        self.smoothing = smoothing
        self.n_updates = n_updates
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.n_generated = n_generated
        self.classifier_epochs = classifier_epochs
        self.n_iter_no_change = n_iter_no_change
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def _judge(self, networks: Networks, known: Tensor, unknown: Tensor, made: Tensor) -> Tensor:
        unlabeled, generated, labeled = judge(networks["discriminator"], unknown, made, known)
        return divergent_loss(unlabeled, generated, labeled, self.positive_weight, self.smoothing)


def divergent_loss(
    unlabeled: Tensor, made: Tensor, labeled: Tensor, weight: float, smoothing: float = 1.0
) -> Tensor:
    """Loss of the discriminator, from scores of unlabeled, generated and labeled rows.

    Parameters
    ----------
    unlabeled, made, labeled
        Scores of unlabeled, of generated and of labeled rows.
    weight
        Weight of the labeled rows, which are to be told apart from unlabeled ones.
    smoothing
        What the discriminator is to answer for unlabeled rows, one or a little less.

    Returns
    -------
    Tensor
        A number that keeps its gradient.

    Examples
    --------
    >>> import torch
    >>> zero = torch.zeros(2)
    >>> round(float(divergent_loss(zero, zero, zero, 0.5)), 4)
    1.7329
    """
    called_real = smoothing * real(unlabeled) + (1 - smoothing) * fake(unlabeled)
    return called_real + fake(made) + weight * fake(labeled)
