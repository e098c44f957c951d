"""Networks that descend a risk of labeled positives and the population: uPU and nnPU."""

from __future__ import annotations

from abc import abstractmethod

from sklearn.base import _fit_context
from sklearn.utils import check_random_state

from pulps.baselines.contract import population_prior, population_rows
from pulps.baselines.network_classifier import NetworkPUClassifier
from pulps.baselines.network_training import train_network
from pulps.baselines.networks import scores
from pulps.baselines.pu_risk import PURisk


class RiskNetworkClassifier(NetworkPUClassifier):
    """Train a network on a PU risk; a method says which in :meth:`_risk`."""

    @abstractmethod
    def _risk(self, positive, population, prior: float) -> PURisk:
        """Risk from the scores of labeled positives and of the population."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn from labeled positives (1) and unlabeled rows (0)."""
        features, labeled = self._read(X, y)
        rng = check_random_state(self.random_state)
        self.prior_ = population_prior(self.prior, features, labeled, self.scenario, rng)
        network, generator = self._start(features, rng)
        rows = self._rows(features, labeled, population_rows(labeled, self.scenario))

        def risk(part):
            return self._risk(
                scores(network, part.positive), scores(network, part.other), self.prior_
            )

        held = None
        if self.n_iter_no_change is not None:
            rows, held = rows.split(self.validation_share, generator)
        curve = train_network(
            network,
            rows,
            lambda batch, epoch: risk(batch).objective,
            self._schedule(n_iter_no_change=self.n_iter_no_change),
            generator,
            validation=None if held is None else lambda: float(risk(held).value),
        )
        return self._finish(network, curve)
