"""What the sweep in PyTorch keeps for its way back, and the gradients it finds there."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor

from pulps.network.engine.factors import Stop
from pulps.network.engine.layouts import Layout
from pulps.network.engine.route import Step


@dataclass
class Record:
    """What the backward pass needs of one step."""

    step: Step
    env: Tensor
    tag: int  # which chunk's memory: the results of a kept tape must not share any
    factors: list[Tensor] = field(default_factory=list)
    prefixes: list[Tensor] = field(default_factory=list)
    divisors: dict[int, Tensor] = field(default_factory=dict)
    trace: Tensor = field(init=False)


@dataclass
class Tape:
    """What the backward pass needs of a chunk: both factors' ways, the steps, and what met."""

    left: list[Stop] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    right: list[Stop] = field(default_factory=list)
    factors: tuple[Tensor, Tensor] = field(init=False)  # at their ends
    joint: Tensor = field(init=False)  # their products, or of the right one and the environment
    share: Tensor = field(init=False)  # derivative of the log-norm by it, over it


@dataclass
class Gradients:
    """Gradients by the weights of sites, a layout each, and by the cores of traced sites."""

    weights: dict[int, dict[Layout, Tensor]] = field(default_factory=dict)
    cores: dict[int, Tensor] = field(default_factory=dict)

    def add(self, layout: Layout, site: int, phi: Tensor, d_factor: Tensor) -> None:
        """Add to the gradient by a site's weights."""
        found = self.weights.setdefault(site, {})
        if layout not in found:
            found[layout] = layout.zero_gradient(site)
        layout.add_weight_grad(found[layout], phi, d_factor)

    def add_traced(self, site: int, gradient: Tensor) -> None:
        """Add to the gradient by a core."""
        self.cores[site] = self.cores[site] + gradient if site in self.cores else gradient

    def of_core(self, site: int, like: Tensor) -> Tensor:
        """Return the gradient by a core."""
        found = self.weights.get(site, {})
        shaped = [layout.as_core(weight, site) for layout, weight in found.items()]
        shaped += [self.cores[site]] if site in self.cores else []
        return sum(shaped[1:], shaped[0]) if shaped else torch.zeros_like(like)
