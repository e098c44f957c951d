"""VPU: a variational principle that needs no prior."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

from pulps.baselines._shared.network_classifier import (
    NETWORK_CONSTRAINTS,
    STOPPING_CONSTRAINTS,
    NetworkClassifier,
)
from pulps.baselines._shared.network_training import TrainingBatch, train_network
from pulps.baselines._shared.perceptrons import scores
from pulps.io._sklearn import Interval


class VPUClassifier(NetworkClassifier):
    r"""Variational PU learning: no prior is needed.

    With :math:`\phi(x)` in (0, 1), the loss :math:`\log E_X \phi - E_P \log \phi` is smallest
    where :math:`\phi` is proportional to :math:`P(y = 1 \mid x)`. A second term asks for
    consistency between rows: :math:`\phi` of a mixture of a labeled and a population row
    should be the mixture of one and of the latter's :math:`\phi`, in logarithms.

    Parameters
    ----------
    network : "linear", "mlp", "cnn", torch module or callable, default="mlp"
        Scores a row; see :func:`~pulps.baselines._shared.perceptrons.build_network`.
    mixup_weight : float, default=0.03
        Weight of the consistency term.
    mixup_concentration : float, default=0.3
        Both parameters of the Beta distribution of the mixing share.
    max_epochs : int, default=100
        Passes over the rows.
    learning_rate : float, default=0.003
        Step of AdamW; it falls to zero along a cosine.
    batch_size : int, default=64
        Rows of the population in a batch; as many labeled rows are added, or all of them.
    weight_decay : float, default=0.0001
        Decoupled weight decay.
    n_iter_no_change : int or None, default=20
        Epochs without a better loss on held-out rows after which training stops; the best
        weights are kept. None trains all epochs on all rows.
    validation_share : float, default=0.2
        Share of labeled rows and of the population that is held out for that.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn: whether the population is all rows or the unlabeled ones.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    device : str, default="cpu"
        Where to train, as torch names it.
    random_state : int, RandomState or None, default=None
        Seed of weights and batches.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    weights_ : dict of arrays
        Weights of the network.
    loss_curve_ : array
        Mean objective of every epoch; with early stopping, the held-out variational loss.
    n_iter_ : int
        Epochs trained.
    log_largest_ : float
        Largest log φ of the training rows, the unit of the answers.

    Notes
    -----
    H. Chen, F. Liu, Y. Wang, L. Zhao and H. Wu, *A variational approach for learning from
    positive and unlabeled data*, NeurIPS 2020. As in the authors' code, φ is divided by its
    largest value on the training rows before it is compared with one half, and the epoch with
    the smallest held-out variational loss is kept. Chosen here: φ is the logistic function of
    one score, optimizer, schedule and sizes; the mixing share is drawn once per batch, as in
    their code.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("blobs", n_rows=300, n_labeled=50, random_state=0)
    >>> model = VPUClassifier(random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    _parameter_constraints = {
        **NETWORK_CONSTRAINTS,
        **STOPPING_CONSTRAINTS,
        "mixup_weight": [Interval(Real, 0, None, closed="left")],
        "mixup_concentration": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        *,
        network: Callable[..., Any] | Literal["mlp", "cnn", "linear"] = "mlp",
        mixup_weight: float = 0.03,
        mixup_concentration: float = 0.3,
        max_epochs: int = 100,
        learning_rate: float = 3e-3,
        batch_size: int = 64,
        weight_decay: float = 1e-4,
        n_iter_no_change: int | None = 20,
        validation_share: float = 0.2,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        device: str = "cpu",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.network = network
        self.mixup_weight = mixup_weight
        self.mixup_concentration = mixup_concentration
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.weight_decay = weight_decay
        self.n_iter_no_change = n_iter_no_change
        self.validation_share = validation_share
        self.scenario = scenario
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.device = device
        self.random_state = random_state

    def _learn(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> None:
        network, generator = self._start(rows, rng)
        groups, held = self._hold_out(rows, labeled, generator)

        def log_phi(part: Tensor) -> Tensor:
            return logsigmoid(scores(network, part))

        def objective(batch: TrainingBatch, epoch: int) -> Tensor:
            known, other = log_phi(batch.positive), log_phi(batch.other)
            share = float(rng.beta(self.mixup_concentration, self.mixup_concentration))
            partner = torch.randint(len(known), (len(other),), generator=generator)
            mixed = share * batch.positive[partner] + (1 - share) * batch.other
            term = mixup_consistency(log_phi(mixed), other, share)
            return variational_loss(known, other) + self.mixup_weight * term

        curve = train_network(
            network,
            groups,
            objective,
            self._schedule(n_iter_no_change=self.n_iter_no_change),
            generator,
            validation=None
            if held is None
            else lambda: float(variational_loss(log_phi(held.positive), log_phi(held.other))),
        )
        self._finish(network, curve)
        self.log_largest_ = float(self._log_phi(rows).max())

    def _log_phi(self, rows: np.ndarray) -> np.ndarray:
        return -np.logaddexp(0, -self._scores(rows))

    def _decide(self, rows: np.ndarray) -> np.ndarray:
        return self._log_phi(rows) - self.log_largest_ + math.log(2)

    def _probability(self, decision: np.ndarray) -> np.ndarray:
        return np.clip(np.exp(decision) / 2, 0, 1)


def variational_loss(known: Tensor, population: Tensor) -> Tensor:
    """Log of the mean φ of the population minus the mean log φ of the labeled rows.

    Parameters
    ----------
    known
        log φ of labeled rows.
    population
        log φ of rows of the population.

    Returns
    -------
    Tensor
        A number that keeps its gradient.

    Examples
    --------
    >>> log_phi = torch.log(torch.tensor([1.0, 0.5, 0.0001]))
    >>> round(float(variational_loss(log_phi[:1], log_phi[1:2])), 4)
    -0.6931
    """
    return torch.logsumexp(population, 0) - math.log(len(population)) - known.mean()


def mixup_consistency(mixed: Tensor, other: Tensor, share: float) -> Tensor:
    """Mean squared difference of log φ of mixtures and the log of mixed answers.

    Parameters
    ----------
    mixed
        log φ of mixtures of a labeled and of another row.
    other
        log φ of the other rows, which were mixed in.
    share
        Share of the labeled row, whose φ should be one, in a mixture.

    Returns
    -------
    Tensor
        A number that keeps its gradient.
    """
    target = share + (1 - share) * other.exp()
    return (target.clamp_min(1e-12).log() - mixed).square().mean()
