"""CGenPU-AC: the auxiliary classifier of CGenPU answers itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np

from pulps.baselines._shared.gan_classifier import GAN_CONSTRAINTS
from pulps.baselines.gans.cgenpu import ConditionalGame
from pulps.io._sklearn import Interval


class CGenPUACClassifier(ConditionalGame):
    r"""CGenPU in a single stage (CGenPU-AC): its auxiliary classifier predicts.

    The game is that of :class:`~pulps.baselines.CGenPUClassifier`.

    Parameters
    ----------
    generator : "auto", "mlp", "cnn" or callable, default="auto"
        See :func:`~pulps.baselines._shared.generators.build_generator`.
    discriminator : "auto", "linear", "mlp", "cnn", torch module or callable, default="auto"
        See :func:`~pulps.baselines._shared.perceptrons.build_network`, for the discriminator and
        the auxiliary classifier; ``"auto"`` takes ``"mlp"`` for
        tables and ``"cnn"`` for images.
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
    updates and rates.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, _ = make_toy("blobs", n_rows=200, n_labeled=40, random_state=0)
    >>> model = CGenPUACClassifier(n_updates=20, random_state=0).fit(X, y)
    >>> model.predict(X).shape
    (200,)
    """

    _parameter_constraints = {
        **GAN_CONSTRAINTS,
        "weight": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        *,
        generator: Callable[..., Any] | Literal["auto", "cnn", "mlp"] = "auto",
        discriminator: Callable[..., Any] | Literal["auto", "cnn", "linear", "mlp"] = "auto",
        hidden_units: Sequence[Any] = (128, 128),
        noise_dim: int = 16,
        weight: float = 1.0,
        n_updates: int = 2000,
        learning_rate: float = 1e-3,
        batch_size: int = 128,
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        device: str = "cpu",
        random_state: int | np.random.RandomState | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.generator = generator
        self.discriminator = discriminator
        self.hidden_units = hidden_units
        self.noise_dim = noise_dim
        self.weight = weight
        self.n_updates = n_updates
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.device = device
        self.random_state = random_state
        self.verbose = verbose

    def _answering(self) -> str:
        return "auxiliary"
