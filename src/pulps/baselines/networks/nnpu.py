"""nnPU: a network that descends the non-negative risk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
from torch import Tensor

from pulps.baselines._shared.network_classifier import (
    NETWORK_CONSTRAINTS,
    STOPPING_CONSTRAINTS,
)
from pulps.baselines._shared.pu_risk import LOSSES, PURisk, non_negative_risk
from pulps.baselines._shared.risk_classifier import RiskNetworkClassifier
from pulps.baselines._shared.tabular import PRIOR_CONSTRAINTS
from pulps.io._sklearn import Interval, StrOptions


class NNPUClassifier(RiskNetworkClassifier):
    r"""Non-negative PU learning with any torch network.

    The network descends the unbiased risk as long as its part on the negatives is plausible;
    where that part falls below :math:`-\beta`, which only an overfit can do, the step is
    taken on :math:`-\gamma R^-` instead. See :mod:`pulps.baselines._shared.pu_risk`.

    Parameters
    ----------
    network : "linear", "mlp", "cnn", torch module or callable, default="mlp"
        Scores a row; see :func:`~pulps.baselines._shared.perceptrons.build_network`.
    loss : {"sigmoid", "logistic", "double-hinge", "squared"}, default="sigmoid"
        Cost of a margin.
    beta : float, default=0
        How far the negative part may fall below zero.
    gamma : float, default=1
        Size of the step back.
    prior : float or "estimate", default="estimate"
        Share of positives in the population.
    max_epochs : int, default=100
        Passes over the rows.
    learning_rate : float, default=0.003
        Step of AdamW; it falls to zero along a cosine.
    batch_size : int, default=64
        Rows of the population in a batch; as many labeled rows are added, or all of them.
    weight_decay : float, default=0.0001
        Decoupled weight decay.
    n_iter_no_change : int or None, default=None
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
        Seed of weights, batches and the estimate of the prior.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    prior_ : float
        The prior that was used.
    weights_ : dict of arrays
        Weights of the network.
    loss_curve_ : array
        Mean objective of every epoch; with early stopping, the held-out risk.
    n_iter_ : int
        Epochs trained.

    Notes
    -----
    R. Kiryo, G. Niu, M. C. du Plessis and M. Sugiyama, *Positive-unlabeled learning with
    non-negative risk estimator*, NeurIPS 2017. Left open there, chosen here: in a
    single training set the population is all rows, labeled ones included, with their
    prior; optimizer, schedule, sizes, and batches that hold labeled rows in equal number.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("moons", n_rows=300, n_labeled=50, random_state=0)
    >>> model = NNPUClassifier(prior=0.5, random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    _parameter_constraints = {
        **NETWORK_CONSTRAINTS,
        **STOPPING_CONSTRAINTS,
        **PRIOR_CONSTRAINTS,
        "loss": [StrOptions(set(LOSSES))],
        "beta": [Interval(Real, 0, None, closed="left")],
        "gamma": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        *,
        network: Callable[..., Any] | Literal["mlp", "cnn", "linear"] = "mlp",
        loss: Literal["sigmoid", "double-hinge", "logistic", "squared"] = "sigmoid",
        beta: float = 0.0,
        gamma: float = 1.0,
        prior: float | Literal["estimate"] = "estimate",
        max_epochs: int = 100,
        learning_rate: float = 3e-3,
        batch_size: int = 64,
        weight_decay: float = 1e-4,
        n_iter_no_change: int | None = None,
        validation_share: float = 0.2,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        device: str = "cpu",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.network = network
        self.loss = loss
        self.beta = beta
        self.gamma = gamma
        self.prior = prior
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

    def _risk(self, positive: Tensor, population: Tensor, prior: float) -> PURisk:
        return non_negative_risk(
            positive, population, prior, self.loss, beta=self.beta, gamma=self.gamma
        )
