"""What the rivals with a generator share: the game, the second stage, samples.

A rival names its networks and gives each a loss; in every update each network moves once,
in the order of the losses. Then a classifier learns from generated rows, unless one of the
networks is already a classifier.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import torch
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn
from torch.nn.functional import softplus

from pulps.baselines._shared.generated_rows import RowCodec, hardened
from pulps.baselines._shared.generators import build_generator, draw_noise
from pulps.baselines._shared.images import check_columns_or_images
from pulps.baselines._shared.network_training import (
    Schedule,
    TrainingBatch,
    TrainingRows,
    train_network,
)
from pulps.baselines._shared.perceptrons import (
    build_network,
    load_arrays,
    perceptron,
    scores,
    to_arrays,
)
from pulps.baselines._shared.tabular import TabularClassifier
from pulps.estimators.progress import fit_progress
from pulps.io._sklearn import Interval, StrOptions
from pulps.io.randomness import new_seed
from pulps.network.adam import Adam

CHUNK = 8192
UPDATES_PER_EPOCH = 100
FEWEST_TO_HOLD_OUT = 10
LARGEST_SEED = np.iinfo(np.int32).max
GAN_CONSTRAINTS: dict[str, Any] = {
    **TabularClassifier._parameter_constraints,
    "generator": [StrOptions({"auto", "mlp", "cnn"}), callable],
    "discriminator": [StrOptions({"auto", "linear", "mlp", "cnn"}), nn.Module, callable],
    "hidden_units": ["array-like"],
    "noise_dim": [Interval(Integral, 1, None, closed="left")],
    "n_updates": [Interval(Integral, 1, None, closed="left")],
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "batch_size": [Interval(Integral, 1, None, closed="left")],
    "device": [str],
    "verbose": ["verbose"],
}
SECOND_STAGE_CONSTRAINTS: dict[str, Any] = {
    "classifier": [StrOptions({"auto", "linear", "mlp", "cnn"}), nn.Module, callable],
    "n_generated": [Interval(Integral, 2, None, closed="left")],
    "classifier_epochs": [Interval(Integral, 1, None, closed="left")],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
}

Networks = dict[str, nn.Module]
Loss = Callable[[Tensor, Tensor], Tensor]


def real(logits: Tensor) -> Tensor:
    """Cross-entropy of calling rows real, given a discriminator's scores.

    >>> round(float(real(torch.zeros(2))), 4), round(float(fake(torch.zeros(2))), 4)
    (0.6931, 0.6931)
    """
    return softplus(-logits).mean()


def fake(logits: Tensor) -> Tensor:
    """Cross-entropy of calling rows fake, given a discriminator's scores."""
    return softplus(logits).mean()


def judge(network: nn.Module, *groups: Tensor) -> tuple[Tensor, ...]:
    """Scores of several groups of rows, in one pass."""
    return scores(network, torch.cat(groups)).split([len(group) for group in groups])


class GanClassifier(TabularClassifier):
    """Plays a rival's game and answers with a classifier."""

    _noise = "normal"
    _network_names: tuple[str, ...]

    def _fit_table(self, X: Any, labeled: np.ndarray) -> None:
        self.codec_ = RowCodec(self.categorical_features)
        encoded = self.codec_.fit_transform(X)
        rng = check_random_state(self.random_state)
        self._prepare(encoded, labeled, rng)
        rows = torch.as_tensor(encoded, dtype=torch.float32, device=self.device)
        self.network_seed_ = new_seed(rng)
        with torch.random.fork_rng(devices=[]):  # layers and losses draw from it
            torch.manual_seed(new_seed(rng))
            networks = {name: self._build(name) for name in self._network_names}
            self._play(networks, rows[labeled], rows[~labeled])
            for network in networks.values():
                network.eval()
            self._conclude(networks, rows[labeled])
        self.weights_ = {name: to_arrays(network) for name, network in networks.items()}

    def _prepare(
        self, encoded: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState
    ) -> None:
        """Learn what is needed before the game, such as a prior."""

    @abstractmethod
    def _losses(self, networks: Networks) -> dict[str, Loss]:
        """Loss of each network, from a batch of labeled and one of unlabeled rows."""

    @abstractmethod
    def _make(self, networks: Networks, n_rows: int, positive: bool) -> Tensor:
        """Generate rows of a class."""

    def _conclude(self, networks: Networks, positive: Tensor) -> None:
        """Train the classifier of the second stage, unless the game has made one."""

    def _build(self, name: str) -> nn.Module:
        shape, blocks = self.codec_.shape_, getattr(self.codec_, "blocks_", None)
        seed = self.network_seed_ + (*self._network_names, "classifier").index(name)
        if name.endswith("generator"):
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                network = build_generator(
                    self.generator, self._n_inputs(), shape, blocks, list(self.hidden_units)
                )
            return network.to(self.device)
        architecture = self.classifier if name == "classifier" else self.discriminator
        if architecture == "auto":
            architecture = "mlp" if len(shape) == 1 else "cnn"
        if architecture == "mlp":
            architecture = partial(perceptron, units=list(self.hidden_units))
        return build_network(architecture, shape, seed).to(self.device)

    def _n_inputs(self) -> int:
        return self.noise_dim

    def _draw(self, n_rows: int) -> Tensor:
        return draw_noise(n_rows, self.noise_dim, self._noise).to(self.device)

    def _play(self, networks: Networks, positive: Tensor, unlabeled: Tensor) -> None:
        """Update all networks in turn; keep the mean loss of each in every hundred updates."""
        losses = self._losses(networks)
        own = {name: list(networks[name].parameters()) for name in losses}
        optimizers = {
            name: Adam(own[name], self.learning_rate, betas=(0.5, 0.999), fused=True)
            for name in losses
        }
        known, unknown = endless(positive, self.batch_size), endless(unlabeled, self.batch_size)
        n_epochs = math.ceil(self.n_updates / UPDATES_PER_EPOCH)
        curves: dict[str, list[float]] = {name: [] for name in losses}
        self.n_iter_ = 0
        with fit_progress(self, n_epochs) as epoch_done:
            for _ in range(n_epochs):
                size = min(UPDATES_PER_EPOCH, self.n_updates - self.n_iter_)
                totals = dict.fromkeys(losses, 0.0)
                for _ in range(size):
                    batch = next(known), next(unknown)
                    for name, loss in losses.items():
                        value = loss(*batch)
                        for weight, slope in zip(
                            own[name], torch.autograd.grad(value, own[name]), strict=True
                        ):
                            weight.grad = slope
                        optimizers[name].step()
                        totals[name] += float(value.detach())
                self.n_iter_ += size
                for name, total in totals.items():
                    curves[name].append(total / size)
                if epoch_done():
                    break
        self.loss_curves_ = {name: np.array(curve) for name, curve in curves.items()}

    def _classify(self, positive: Tensor, negative: Tensor) -> nn.Module:
        """Train a classifier of rows of both classes, which count the same."""
        rows = TrainingRows(positive, negative)
        network = self._build("classifier")
        generator = torch.Generator().manual_seed(int(torch.randint(LARGEST_SEED, ())))
        held = None
        if self.n_iter_no_change is not None and len(positive) >= FEWEST_TO_HOLD_OUT:
            rows, held = rows.split(0.2, generator)

        def loss(part: TrainingRows | TrainingBatch) -> Tensor:
            answers = real(scores(network, part.positive)) + fake(scores(network, part.other))
            return answers / 2

        train_network(
            network,
            rows,
            lambda batch, epoch: loss(batch),
            Schedule(
                self.classifier_epochs,
                1e-3,
                self.batch_size,
                n_iter_no_change=self.n_iter_no_change,
            ),
            generator,
            validation=None if held is None else lambda: float(loss(held)),
        )
        return network

    def _check_columns(self, X: Any, *, reset: bool = False) -> Any:
        return check_columns_or_images(self, X, reset=reset)

    def _restored(self, name: str) -> nn.Module:
        return load_arrays(self._build(name).cpu(), self.weights_[name])

    def _answering(self) -> str:
        """Name of the network that answers."""
        return "classifier"

    def _decide_table(self, X: Any) -> np.ndarray:
        rows = torch.as_tensor(self.codec_.transform(X), dtype=torch.float64)
        network = self._restored(self._answering()).double()  # whatever rows are beside a row
        with torch.no_grad():
            parts = [scores(network, part) for part in rows.split(CHUNK)]
        return torch.cat(parts).numpy().astype(float)

    def sample(
        self,
        n_samples: int = 1,
        y: Any = 1,
        *,
        random_state: int | np.random.RandomState | None = None,
    ) -> Any:
        """Generate rows of a class.

        Parameters
        ----------
        n_samples : int, default=1
            Rows to return.
        y : default=1
            1 or ``classes_[1]`` for the positive class, 0 or ``classes_[0]`` for the negative.
        random_state : int, RandomState or None, default=None
            Source of the noise.

        Returns
        -------
        table or images
            Of the kind the model was fitted on.
        """
        check_is_fitted(self)
        if y not in (0, 1, *self.classes_.tolist()):
            raise ValueError(
                f"y is {y!r}; pass {self.classes_[0]!r} for the negative class or "
                f"{self.classes_[1]!r} for the positive one."
            )
        positive = y == self.classes_[1] or (y == 1 and 1 not in self.classes_.tolist())
        generators = [name for name in self._network_names if name.endswith("generator")]
        networks = {name: self._restored(name).to(self.device) for name in generators}
        seed = new_seed(random_state)
        with torch.random.fork_rng(devices=[]), torch.no_grad():
            torch.manual_seed(seed)
            made = self._make(networks, n_samples, bool(positive)).cpu().numpy()
        return self.codec_.decode(made.astype(float))


def endless(rows: Tensor, size: int) -> Iterator[Tensor]:
    """Batches without end: all rows in a random order, then in another one, and so on.

    Fewer rows than ``size`` are repeated within a batch.
    """
    order = torch.randperm(0)
    while True:
        while len(order) < size:
            order = torch.cat([order, torch.randperm(len(rows))])
        yield rows[order[:size].to(rows.device)]
        order = order[size:]


class TwoStageClassifier(GanClassifier):
    """Trains a classifier on rows of both classes after the game."""

    def _conclude(self, networks: Networks, positive: Tensor) -> None:
        with torch.no_grad():
            known = self._positives(networks, positive)
            negative = self._make_hard(networks, positive=False)
        networks["classifier"] = self._classify(known, negative)

    def _positives(self, networks: Networks, positive: Tensor) -> Tensor:
        """Positive rows of the second stage: generated ones, unless a method says otherwise."""
        return self._make_hard(networks, positive=True)

    def _make_hard(self, networks: Networks, *, positive: bool) -> Tensor:
        """Generate rows as the classifier will see them, with indicators of 0 and 1."""
        made = self._make(networks, self.n_generated, positive=positive)
        return hardened(made, getattr(self.codec_, "blocks_", None))
