"""What all classifiers that train a network share: rows in, one score out, weights as arrays."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from scipy.special import expit
from torch import Tensor, nn

from pulps.baselines._shared.dense import DenseClassifier
from pulps.baselines._shared.network_training import Schedule, TrainingRows
from pulps.baselines._shared.perceptrons import build_network, load_arrays, scores, to_arrays
from pulps.io._sklearn import Interval, StrOptions
from pulps.io.randomness import new_generator, new_seed
from pulps.labels import SCENARIOS

CHUNK = 8192
NETWORK_CONSTRAINTS: dict[str, Any] = {
    **DenseClassifier._parameter_constraints,
    "network": [StrOptions({"linear", "mlp", "cnn"}), torch.nn.Module, callable],
    "max_epochs": [Interval(Integral, 1, None, closed="left")],
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "batch_size": [Interval(Integral, 1, None, closed="left")],
    "weight_decay": [Interval(Real, 0, None, closed="left")],
    "scenario": [StrOptions(set(SCENARIOS))],
    "device": [str],
}
STOPPING_CONSTRAINTS: dict[str, Any] = {
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
    "validation_share": [Interval(Real, 0, 1, closed="neither")],
}


class NetworkClassifier(DenseClassifier):
    """Build a network, hand rows to it, keep its weights as arrays, score with them."""

    def _shape(self, rows: np.ndarray) -> np.ndarray:
        return rows

    def _start(
        self, rows: np.ndarray, rng: np.random.RandomState
    ) -> tuple[nn.Module, torch.Generator]:
        """Build the network and the source of its draws."""
        self.network_seed_ = new_seed(rng)
        network = build_network(self.network, rows.shape[1:], self.network_seed_)
        return network.to(self.device), new_generator(rng)

    def _rows(self, rows: np.ndarray, positive: np.ndarray, other: np.ndarray) -> TrainingRows:
        def tensor(mask: np.ndarray) -> Tensor:
            return torch.as_tensor(rows[mask], dtype=torch.float32, device=self.device)

        return TrainingRows(tensor(positive), tensor(other))

    def _hold_out(
        self, rows: np.ndarray, labeled: np.ndarray, generator: torch.Generator
    ) -> tuple[TrainingRows, TrainingRows | None]:
        """Split labeled rows and population into training rows and rows held out to stop early.

        A labeled row of the population is held out of both groups or of neither.
        """
        population = self._population(labeled)
        if self.n_iter_no_change is None:
            return self._rows(rows, labeled, population), None
        held = stratified_part(labeled, self.validation_share, generator)
        return (
            self._rows(rows, labeled & ~held, population & ~held),
            self._rows(rows, labeled & held, population & held),
        )

    def _schedule(self, **changes: Any) -> Schedule:
        return Schedule(
            **{
                "max_epochs": self.max_epochs,
                "learning_rate": self.learning_rate,
                "batch_size": self.batch_size,
                "weight_decay": self.weight_decay,
            }
            | changes
        )

    def _finish(self, network: nn.Module, curve: list[float]) -> None:
        self.weights_ = to_arrays(network)
        self.loss_curve_ = np.array(curve)
        self.n_iter_ = len(curve)

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        network = build_network(self.network, rows.shape[1:], self.network_seed_)
        # In double precision the score of a row does not depend on the rows beside it.
        network = load_arrays(network, self.weights_).double()
        with torch.no_grad():
            parts = [
                scores(network, torch.as_tensor(rows[i : i + CHUNK], dtype=torch.float64))
                for i in range(0, len(rows), CHUNK)
            ]
        return torch.cat(parts).numpy().astype(float)

    def _decide(self, rows: np.ndarray) -> np.ndarray:
        return self._scores(rows)

    def _probability(self, decision: np.ndarray) -> np.ndarray:
        return expit(decision)


def stratified_part(labeled: np.ndarray, share: float, generator: torch.Generator) -> np.ndarray:
    """Draw a mask of a share of the labeled and of the unlabeled rows, at least one of each.

    >>> part = stratified_part(np.arange(50) < 10, 0.2, torch.Generator())
    >>> int(part[:10].sum()), int(part[10:].sum())
    (2, 8)
    """
    part = np.zeros(len(labeled), dtype=bool)
    for group in (np.flatnonzero(labeled), np.flatnonzero(~labeled)):
        if len(group) < 2:
            raise ValueError(
                f"There are {labeled.sum()} labeled and {(~labeled).sum()} unlabeled rows; early "
                "stopping holds at least one of each out, and at least one must be left to "
                "learn from. Label more rows, or train all epochs with n_iter_no_change=None."
            )
        order = group[torch.randperm(len(group), generator=generator).numpy()]
        part[order[: min(max(1, round(share * len(group))), len(group) - 1)]] = True
    return part
