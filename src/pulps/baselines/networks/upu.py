"""uPU: a network that descends the unbiased risk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from torch import Tensor

from pulps.baselines._shared.network_classifier import (
    NETWORK_CONSTRAINTS,
    STOPPING_CONSTRAINTS,
)
from pulps.baselines._shared.pu_risk import LOSSES, PURisk, unbiased_risk
from pulps.baselines._shared.risk_classifier import RiskNetworkClassifier
from pulps.baselines._shared.tabular import PRIOR_CONSTRAINTS
from pulps.io._sklearn import StrOptions


class UPUClassifier(RiskNetworkClassifier):
    r"""Unbiased PU learning with any torch network.

    The risk of a classifier is written without negatives, see
    :mod:`pulps.baselines._shared.pu_risk`. A flexible network can push it below zero by learning
    rows by heart, so training stops when the risk of held-out rows no longer falls.

    Parameters
    ----------
    network : "linear", "mlp", "cnn", torch module or callable, default="mlp"
        Scores a row; see :func:`~pulps.baselines._shared.perceptrons.build_network`.
    loss : {"sigmoid", "logistic", "double-hinge", "squared"}, default="sigmoid"
        Cost of a margin.
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
    n_iter_no_change : int or None, default=10
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
    M. C. du Plessis, G. Niu and M. Sugiyama, *Convex formulation for learning from positive
    and unlabeled data*, ICML 2015; they take models linear in the parameters. Left open there,
    chosen here: in a single training set the population is all rows, labeled ones included,
    with their prior; optimizer, schedule, sizes, and batches that hold labeled rows in equal
    number.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("blobs", n_rows=300, n_labeled=50, random_state=0)
    >>> model = UPUClassifier(prior=0.5, random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    _parameter_constraints = {
        **NETWORK_CONSTRAINTS,
        **STOPPING_CONSTRAINTS,
        **PRIOR_CONSTRAINTS,
        "loss": [StrOptions(set(LOSSES))],
    }

    def __init__(
        self,
        *,
        network: Callable[..., Any] | Literal["mlp", "cnn", "linear"] = "mlp",
        loss: Literal["sigmoid", "double-hinge", "logistic", "squared"] = "sigmoid",
        prior: float | Literal["estimate"] = "estimate",
        max_epochs: int = 100,
        learning_rate: float = 3e-3,
        batch_size: int = 64,
        weight_decay: float = 1e-4,
        n_iter_no_change: int | None = 10,
        validation_share: float = 0.2,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        device: str = "cpu",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.network = network
        self.loss = loss
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
        return unbiased_risk(positive, population, prior, self.loss)
