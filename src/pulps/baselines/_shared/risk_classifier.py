"""Networks that descend a risk of labeled positives and the population: uPU and nnPU."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from torch import Tensor

from pulps.baselines._shared.network_classifier import NetworkClassifier
from pulps.baselines._shared.network_training import TrainingBatch, TrainingRows, train_network
from pulps.baselines._shared.perceptrons import scores
from pulps.baselines._shared.pu_risk import PURisk


class RiskNetworkClassifier(NetworkClassifier):
    """Train a network on a PU risk; a method says which in :meth:`_risk`."""

    @abstractmethod
    def _risk(self, positive: Tensor, population: Tensor, prior: float) -> PURisk:
        """Risk from the scores of labeled positives and of the population."""

    def _learn(self, rows: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState) -> None:
        self.prior_ = self._prior(rows, labeled, rng)
        network, generator = self._start(rows, rng)
        groups, held = self._hold_out(rows, labeled, generator)

        def risk(part: TrainingRows | TrainingBatch) -> PURisk:
            return self._risk(
                scores(network, part.positive), scores(network, part.other), self.prior_
            )

        curve = train_network(
            network,
            groups,
            lambda batch, epoch: risk(batch).objective,
            self._schedule(n_iter_no_change=self.n_iter_no_change),
            generator,
            validation=None if held is None else lambda: float(risk(held).value),
        )
        self._finish(network, curve)
