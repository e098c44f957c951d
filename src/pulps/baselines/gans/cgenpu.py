r"""CGenPU: one generator of both classes, kept apart by an auxiliary classifier.

With :math:`k(a, b)` the mean of :math:`a \log (a / b)` and *A* the auxiliary classifier's
probability of the positive class, *A* descends
:math:`k(1, A(x_p)) + k(A(x_p), A(g_p)) + k(A(g_p), 1 - A(g_n))`, and the generator the last two
terms beside those that make its rows look real.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from pulps.baselines._shared.gan_classifier import (
    GAN_CONSTRAINTS,
    SECOND_STAGE_CONSTRAINTS,
    GanClassifier,
    Loss,
    Networks,
    TwoStageClassifier,
    fake,
    judge,
    real,
)
from pulps.io._sklearn import Interval

SMALLEST = 1e-7


class ConditionalGame(GanClassifier):
    """The game of CGenPU, whatever classifies in the end."""

    _noise = "uniform"
    _network_names = ("discriminator", "auxiliary", "generator")

    def _n_inputs(self) -> int:
        return self.noise_dim + 2

    def _make(self, networks: Networks, n_rows: int, positive: bool) -> Tensor:
        return self._generate(networks, [positive] * n_rows)

    def _generate(self, networks: Networks, kinds: Sequence[bool]) -> Tensor:
        """Make one row of each kind; True is positive."""
        condition = torch.zeros(len(kinds), 2, device=self.device)
        condition[range(len(kinds)), [0 if positive else 1 for positive in kinds]] = 1
        return networks["generator"](torch.cat([self._draw(len(kinds)), condition], dim=1))

    def _losses(self, networks: Networks) -> dict[str, Loss]:
        def answers(*groups: Tensor) -> list[Tensor]:
            return [torch.sigmoid(part) for part in judge(networks["auxiliary"], *groups)]

        def pair() -> tuple[Tensor, ...]:
            # Both in one batch: apart, batch normalization would treat each class by itself.
            kinds = [True] * self.batch_size + [False] * self.batch_size
            return self._generate(networks, kinds).chunk(2)

        def fixed_pair() -> tuple[Tensor, ...]:
            with torch.no_grad():
                return pair()

        def tell_real(known: Tensor, unknown: Tensor) -> Tensor:
            a, b, c, d = judge(networks["discriminator"], known, unknown, *fixed_pair())
            return ((real(a) + real(b)) + (fake(c) + fake(d))) / 2

        def tell_classes(known: Tensor, unknown: Tensor) -> Tensor:
            found = answers(known, *fixed_pair())
            sure = divergence(torch.ones_like(found[0]), found[0])
            return self.weight * (sure + class_terms(*found))

        def generate(known: Tensor, unknown: Tensor) -> Tensor:
            made = pair()
            looks_real = sum(map(real, judge(networks["discriminator"], *made)))
            return looks_real + self.weight * class_terms(*answers(known, *made))

        return {"discriminator": tell_real, "auxiliary": tell_classes, "generator": generate}


class CGenPUClassifier(ConditionalGame, TwoStageClassifier):
    r"""Conditional generative positive-unlabeled learning (CGenPU).

    One generator is told which class to make. A discriminator compares both kinds of rows with
    labeled and unlabeled ones; an auxiliary classifier learns that labeled rows and positive
    imitations are alike and negative imitations are not. A separate classifier then learns
    imitations of both classes. No prior is needed.

    Parameters
    ----------
    generator : "auto", "mlp", "cnn" or callable, default="auto"
        See :func:`~pulps.baselines._shared.generators.build_generator`.
    discriminator : "auto", "linear", "mlp", "cnn", torch module or callable, default="auto"
        See :func:`~pulps.baselines._shared.perceptrons.build_network`, for the discriminator and
        the auxiliary classifier; ``"auto"`` takes ``"mlp"`` for
        tables and ``"cnn"`` for images.
    classifier : as ``discriminator``, default="auto"
        Network of the second stage.
    hidden_units : sequence of int, default=(128, 128)
        Hidden layers of ``"mlp"``.
    noise_dim : int, default=16
        How many random numbers a generator starts from.
    weight : float, default=1.0
        Weight of the auxiliary classifier's terms.
    n_updates : int, default=2000
        Updates of every network.
    learning_rate : float, default=0.001
        Step of Adam, with β₁ = ½.
    batch_size : int, default=128
        Labeled rows, unlabeled rows and generated rows in an update.
    n_generated : int, default=2000
        Rows of each class that the classifier learns.
    classifier_epochs : int, default=30
        Passes of the classifier over them.
    n_iter_no_change : int or None, default=5
        Epochs without a better loss on a held-out fifth of the rows after which the
        classifier stops; None trains all epochs on all rows.
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
    A. Papič, I. Kononenko and Z. Bosnić, *Conditional generative positive and unlabeled
    learning*, Expert Systems with Applications 2023, and its published code, whose losses
    these are. Not published: networks and epochs for images. Chosen here: networks,
    updates and rates (they take 10⁻⁴ and a thousand epochs on two moons), and class
    probabilities in the loss are kept above 10⁻⁷, as in the code. There, the networks that do
    not move in an update are in inference mode; here all are in training mode.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, _ = make_toy("blobs", n_rows=200, n_labeled=40, random_state=0)
    >>> model = CGenPUClassifier(n_updates=20, random_state=0).fit(X, y)
    >>> model.sample(3, y=1).shape
    (3, 2)
    """

    _parameter_constraints = {
        **GAN_CONSTRAINTS,
        **SECOND_STAGE_CONSTRAINTS,
        "weight": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        generator: Callable[..., Any] | Literal["auto", "cnn", "mlp"] = "auto",
        discriminator: Callable[..., Any] | Literal["auto", "cnn", "linear", "mlp"] = "auto",
        classifier: Callable[..., Any] | Literal["auto", "cnn", "linear", "mlp"] = "auto",
        hidden_units: Sequence[Any] = (128, 128),
        noise_dim: int = 16,
        weight: float = 1.0,
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
        self.weight = weight
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


def divergence(first: Tensor, second: Tensor) -> Tensor:
    """Mean of a log(a / b), one term of the divergence of two probabilities.

    Parameters
    ----------
    first, second
        Probabilities *a* and *b*, one per row.

    Returns
    -------
    Tensor
        A number that keeps its gradient.

    Examples
    --------
    >>> round(float(divergence(torch.tensor([1.0]), torch.tensor([0.5]))), 4)
    0.6931
    """
    first, second = first.clamp(SMALLEST, 1), second.clamp(SMALLEST, 1)
    return (first * (first / second).log()).mean()


def class_terms(known: Tensor, like: Tensor, unlike: Tensor) -> Tensor:
    """Sum of the terms that keep classes apart: answers to labeled rows and both imitations.

    Parameters
    ----------
    known
        Answers to labeled rows.
    like
        Answers to rows generated to be like them.
    unlike
        Answers to rows generated to be of the other class.

    Returns
    -------
    Tensor
        A number that keeps its gradient.
    """
    return divergence(known, like) + divergence(like, 1 - unlike)
