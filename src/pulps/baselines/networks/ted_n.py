r"""(TED)ⁿ: estimate the share of positives, drop as many unlabeled rows, train, repeat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import softplus

from pulps.baselines._shared.network_classifier import NETWORK_CONSTRAINTS, NetworkClassifier
from pulps.baselines._shared.network_training import TrainingBatch, train_network
from pulps.baselines._shared.perceptrons import scores
from pulps.baselines._shared.tabular import PRIOR_CONSTRAINTS
from pulps.io._sklearn import Interval
from pulps.labels import share_among_unlabeled
from pulps.priors.bbe import bbe_share


class TEDnClassifier(NetworkClassifier):
    r"""(TED)ⁿ: conditional value ignoring risk (CVIR) and best bin estimation (BBE) in turns.

    In each epoch the share :math:`\alpha` of positives among the unlabeled rows is estimated
    on held-out rows (BBE); the share :math:`\alpha` of the unlabeled rows that looks most
    positive is ignored; the network learns labeled rows against the others (CVIR). If the
    prior is given, nothing is estimated, and this is plain CVIR.

    Parameters
    ----------
    network : "linear", "mlp", "cnn", torch module or callable, default="mlp"
        Scores a row; see :func:`~pulps.baselines._shared.perceptrons.build_network`.
    warm_up_epochs : int, default=20
        Epochs of learning labeled against all unlabeled rows, before the ``max_epochs``.
    holdout_share : float, default=0.25
        Share of labeled and unlabeled rows held out for the estimate; none is held out if the
        prior is given.
    prior : float or "estimate", default="estimate"
        Share of positives in the population.
    max_epochs : int, default=100
        Passes over the rows.
    learning_rate : float, default=0.001
        Step of AdamW; it falls to zero along a cosine.
    batch_size : int, default=64
        Unlabeled rows in a batch; as many labeled rows are added, or all of them.
    weight_decay : float, default=0.0001
        Decoupled weight decay.
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
    weights_ : dict of arrays
        Weights of the network.
    loss_curve_ : array
        Mean loss of every epoch, warm-up first.
    n_iter_ : int
        Epochs trained.
    prior_of_unlabeled_ : float
        The share of positives among the unlabeled rows in the last epoch.

    Notes
    -----
    S. Garg, Y. Wu, A. Smola, S. Balakrishnan and Z. Lipton, *Mixture proportion estimation and
    PU learning: a modern approach*, NeurIPS 2021. As in the authors' code, labeled rows and
    rows kept weigh the same in the loss, so one half is the threshold of balanced
    classes. Chosen here: a quarter is held out instead of a separate sample, the logistic
    loss, optimizer, schedule and sizes.

    Examples
    --------
    >>> from pulps.datasets import make_toy
    >>> X, y, y_true = make_toy("moons", n_rows=300, n_labeled=50, random_state=0)
    >>> model = TEDnClassifier(prior=0.5, random_state=0).fit(X, y)
    >>> float((model.predict(X) == y_true).mean()) > 0.9
    True
    """

    _parameter_constraints = {
        **NETWORK_CONSTRAINTS,
        **PRIOR_CONSTRAINTS,
        "warm_up_epochs": [Interval(Integral, 1, None, closed="left")],
        "holdout_share": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        *,
        network: Callable[..., Any] | Literal["mlp", "cnn", "linear"] = "mlp",
        warm_up_epochs: int = 20,
        holdout_share: float = 0.25,
        prior: float | Literal["estimate"] = "estimate",
        max_epochs: int = 100,
        learning_rate: float = 1e-3,
        batch_size: int = 64,
        weight_decay: float = 1e-4,
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        device: str = "cpu",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.network = network
        self.warm_up_epochs = warm_up_epochs
        self.holdout_share = holdout_share
        self.prior = prior
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.weight_decay = weight_decay
        self.scenario = scenario
        self.pos_label = pos_label
        self.categorical_features = categorical_features
        self.device = device
        self.random_state = random_state

    def _learn(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> None:
        network, generator = self._start(rows, rng)
        groups = self._rows(rows, labeled, ~labeled)
        if self.prior == "estimate":
            groups, held = groups.split(self.holdout_share, generator)
        else:
            self.prior_of_unlabeled_ = share_among_unlabeled(self.prior, labeled, self.scenario)
        kept = torch.ones(len(groups.other), dtype=torch.bool, device=self.device)

        def values(part: Tensor) -> np.ndarray:
            return scores(network, part).cpu().numpy()

        def choose(epoch: int) -> None:
            with torch.no_grad():
                if self.prior == "estimate":
                    found = values(held.positive), values(held.other)
                    if not all(np.isfinite(part).all() for part in found):
                        raise ValueError(
                            f"Scores are infinite after {epoch} epochs with learning_rate="
                            f"{self.learning_rate}. Choose a smaller one."
                        )
                    self.prior_of_unlabeled_ = bbe_share(*found)
                answers = scores(network, groups.other)
                kept[:] = keep_least_positive(answers, self.prior_of_unlabeled_)

        def objective(batch: TrainingBatch, epoch: int) -> Tensor:
            chosen = kept[batch.which]
            known = softplus(-scores(network, batch.positive)).mean()
            if not chosen.any():
                return known / 2
            return (known + softplus(scores(network, batch.other[chosen])).mean()) / 2

        warm_up = self._schedule(max_epochs=self.warm_up_epochs)
        curve = train_network(network, groups, objective, warm_up, generator)
        curve += train_network(
            network, groups, objective, self._schedule(), generator, before_epoch=choose
        )
        self._finish(network, curve)


def keep_least_positive(answers: Tensor, share: float) -> Tensor:
    """Tell which rows stay when the most positive share is ignored.

    At least one row stays.

    Parameters
    ----------
    answers
        Scores of unlabeled rows.
    share
        Share that is ignored.

    Returns
    -------
    Tensor
        Boolean, True for a row that stays.

    Examples
    --------
    >>> keep_least_positive(torch.tensor([3.0, -1.0, 2.0, 0.0]), 0.5)
    tensor([False,  True, False,  True])
    """
    ignored = min(int(share * len(answers)), len(answers) - 1)
    mask = torch.ones_like(answers, dtype=torch.bool)
    mask[answers.argsort(descending=True)[:ignored]] = False
    return mask
