"""PGAN and D-GAN: one generator, whose rows are the negatives of the second stage."""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor

from pulps.baselines._shared.gan_classifier import Loss, Networks, TwoStageClassifier, real
from pulps.baselines._shared.perceptrons import scores


class FakesAsNegatives(TwoStageClassifier):
    """A generator, a discriminator with the rival's own loss, and the labeled positives."""

    _network_names = ("discriminator", "generator")

    @abstractmethod
    def _judge(self, networks: Networks, known: Tensor, unknown: Tensor, made: Tensor) -> Tensor:
        """Loss of the discriminator on labeled, unlabeled and generated rows."""

    def _losses(self, networks: Networks) -> dict[str, Loss]:
        def judge(known: Tensor, unknown: Tensor) -> Tensor:
            with torch.no_grad():
                made = self._make(networks, self.batch_size, False)
            return self._judge(networks, known, unknown, made)

        def generate(known: Tensor, unknown: Tensor) -> Tensor:
            made = self._make(networks, self.batch_size, False)
            return real(scores(networks["discriminator"], made))

        return {"discriminator": judge, "generator": generate}

    def _make(self, networks: Networks, n_rows: int, positive: bool) -> Tensor:
        if positive:
            raise ValueError(
                f"y names the positive class, but the generator of {type(self).__name__} makes "
                "only rows like the unlabeled or negative ones. Pass y=0."
            )
        return networks["generator"](self._draw(n_rows))

    def _positives(self, networks: Networks, positive: Tensor) -> Tensor:
        return positive
