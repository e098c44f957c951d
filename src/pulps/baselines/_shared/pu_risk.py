r"""PU risks that a network can descend: unbiased, and non-negative.

The risk :math:`R = \pi R_P^+ + R^-` is that of :mod:`pulps.metrics.risk`, here with losses that
have a gradient. Its part on the negatives, :math:`R^- = R_X^- - \pi R_P^-`, cannot be negative,
but its estimate can, once a flexible model has learned the rows by heart. The *unbiased* risk
(uPU) accepts that; the *non-negative* one (nnPU) does not count it below :math:`-\beta`, and
descends :math:`-\gamma R^-` there, a step back out of the overfit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from pulps.metrics.risk import risk_parts

LOSSES: dict[str, Callable[[Tensor], Tensor]] = {
    "sigmoid": lambda margin: torch.sigmoid(-margin),
    "logistic": lambda margin: functional.softplus(-margin),
    "double-hinge": lambda margin: torch.maximum(-margin, ((1 - margin) / 2).clamp_min(0)),
    "squared": lambda margin: (1 - margin).square() / 4,
}


class PURisk(NamedTuple):
    """The two parts of a risk, its value, and what an optimizer should descend.

    ``value`` is the estimate of the risk. ``objective`` differs from it where the
    non-negative correction acts: it is a direction to move in, and no risk.
    """

    positive: Tensor
    negative: Tensor
    value: Tensor
    objective: Tensor


def unbiased_risk(positive: Tensor, population: Tensor, prior: float, loss: str) -> PURisk:
    """Unbiased risk (uPU) from scores of labeled positives and of the population.

    >>> risk = unbiased_risk(torch.tensor([0.0]), torch.tensor([0.0]), 0.4, "sigmoid")
    >>> round(float(risk.value), 4)
    0.5
    """
    known, negative = risk_parts(positive, population, prior, LOSSES[loss])
    return PURisk(known, negative, known + negative, known + negative)


def non_negative_risk(
    positive: Tensor,
    population: Tensor,
    prior: float,
    loss: str,
    *,
    beta: float = 0.0,
    gamma: float = 1.0,
) -> PURisk:
    """Non-negative risk (nnPU); parameters as in the module's formula."""
    known, negative, value, _ = unbiased_risk(positive, population, prior, loss)
    if negative < -beta:
        return PURisk(known, negative, known - beta, -gamma * negative)
    return PURisk(known, negative, value, value)
