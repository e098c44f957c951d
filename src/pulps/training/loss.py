r"""The loss: five terms that place rows on a sphere or in a kernel, and a sixth that does not.

A row of a class should have log-norm ``sphere`` (the paper's :math:`\mu_0`) under its own
state and ``kernel`` (:math:`\mu_1`) under the other one. Labeled rows are positive;
unlabeled rows are whatever the model says they are now. Two more terms keep both states
tight and keep the model from calling everything one class. These five are the paper's.

The sixth is the logistic loss of the log-ratio *r* of both norms: :math:`\log(1 + e^{-r})` for
as much of a row as is positive, :math:`\log(1 + e^r)` for the rest. It asks for the right side
and not for a place, so a doubtful row can stay in the middle. It needs somebody to say which
sides are right (:class:`pulps.training.batches.Batches`, ``hints``): alone, the states would
agree with themselves. Nothing in it sets the size of the norms; ``size`` does, weakly.

Eq. 10 of the paper prints :math:`\mu_0` and :math:`\mu_1` of the negative rows the wrong
way round; its text and the author's code have them as here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import softplus

from pulps.training.pseudo_labels import hard_pseudo_labels

N_STATES = 2  # the positive and the negative one


@dataclass(frozen=True)
class LossWeights:
    """Weights of the loss terms, and the two log-norms that rows should have.

    The defaults are the paper's; its letters stand beside the fields.

    Parameters
    ----------
    labeled_own, labeled_other
        Of labeled rows, for their norm under the positive and the negative state.
    positive_own, positive_other
        Of unlabeled rows taken for positive, in the same order.
    negative_other, negative_own
        Of unlabeled rows taken for negative, in the same order.
    norm
        Factor of the scheduled weight of the norm term, see :mod:`pulps.training.norm_weight`.
    balance
        Of the balance term.
    sphere, kernel
        Log-norm wanted under a row's own state, and under the other one.
    logistic
        Of the logistic loss of the log-ratio; the paper has none.
    size
        Of the squared log-Frobenius norms, added to the norm term; the paper has none.
    """

    labeled_own: float = 4.0  # λ1
    labeled_other: float = 4.0  # λ2
    positive_own: float = 1.0  # λ3
    positive_other: float = 2.0  # λ4
    negative_other: float = 2.0  # λ5
    negative_own: float = 1.0  # λ6
    norm: float = 1.0  # factor of λ7, which is scheduled, see pulps.training.norm_weight
    balance: float = 4.0  # λ8
    sphere: float = 5.0  # μ0
    kernel: float = -50.0  # μ1
    logistic: float = 0.0
    size: float = 0.0

    @property
    def places(self) -> bool:
        """Whether any row is asked for a place."""
        own = self.labeled_own, self.positive_own, self.negative_own
        return any((*own, self.labeled_other, self.positive_other, self.negative_other))


# What a network learns from somebody who knows the sides: no places, no balance.
SIDES_ONLY = LossWeights(
    labeled_own=0.0,
    labeled_other=0.0,
    positive_own=0.0,
    positive_other=0.0,
    negative_other=0.0,
    negative_own=0.0,
    norm=0.0,
    balance=0.0,
    logistic=1.0,
    size=0.001,
)


class LossTerms(NamedTuple):
    """The six terms, each with one entry per member; zero where a term is off.

    Parameters
    ----------
    labeled, positive, negative
        How far rows are from where they should be, by group.
    norm
        Size of the states.
    balance
        How far the mean log-ratio of unlabeled rows is from its target.
    logistic
        How far rows are on the wrong side.
    """

    labeled: Tensor  # L1
    positive: Tensor  # L2
    negative: Tensor  # L3
    norm: Tensor  # L4
    balance: Tensor  # L5
    logistic: Tensor

    @property
    def total(self) -> Tensor:
        """Sum of the terms, one entry per member."""
        places = self.labeled + self.positive + self.negative
        return places + self.norm + self.balance + self.logistic


def group_mean(values: Tensor, weights: Tensor) -> Tensor:
    """Weighted mean over the last axis; zero for an empty group.

    Parameters
    ----------
    values
        Shape (..., rows).
    weights
        Shape (..., rows).

    Returns
    -------
    Tensor of shape (...)
    """
    size = weights.sum(-1)
    return (weights * values).sum(-1) / torch.where(size > 0, size, 1)


def group_means(values: Tensor, groups: Tensor) -> tuple[Tensor, ...]:
    r"""Weighted means of both states' values over several groups of rows, in few operations.

    The mean of group :math:`g` under state :math:`s` is :math:`\sum_n w_{gn} v_{sn} / \sum_n
    w_{gn}`, for every member apart: one matrix product per member. Zero for an empty group.

    Parameters
    ----------
    values
        Shape (states, members, rows).
    groups
        Weight of each row in each group, shape (groups, members, rows).

    Returns
    -------
    tuple of Tensor
        The means, shape (members,): both states of the first group, of the second and so on.
    """
    size = groups.sum(-1, keepdim=True)
    shares = groups / torch.where(size > 0, size, 1)
    return torch.einsum("gmn,smn->gsm", shares, values).flatten(0, 1).unbind()


def pu_loss(
    log_p: Tensor,
    log_n: Tensor,
    labeled: Tensor,
    unlabeled: Tensor,
    log_frobenius_p: Tensor,
    log_frobenius_n: Tensor,
    weights: LossWeights,
    norm_weight: Tensor,
    *,
    margin: float = 0.0,
    prior: float | Tensor = 0.5,
    squared: bool = False,
    hints: Tensor | float = 0.0,
    own: float = 1.0,
    pseudo_labels: Callable[[Tensor], tuple[Tensor, Tensor]] | None = None,
) -> LossTerms:
    r"""Place labeled, positive and negative rows; each mean is over its own group.

    Parameters
    ----------
    log_p, log_n
        Log-norms of the rows under both states, shape (members, rows).
    labeled, unlabeled
        Weight of each row as a labeled and as an unlabeled row, shape (members, rows);
        zero in both means the row is held out.
    log_frobenius_p, log_frobenius_n
        Log-Frobenius norms of the states, shape (members,).
    weights
        Weights of the terms, and the two log-norms.
    norm_weight
        The scheduled weight λ7, shape (members,).
    margin
        Unlabeled rows whose log-ratio is within ``margin`` of zero belong to neither
        class. The paper has none; the author's code uses 10 on images.
    prior
        Share of positives among the unlabeled rows, a number or one per member. If the
        log-ratios of both classes are of one size, their mean is :math:`2\pi_U - 1` times
        that size, and the balance term pulls it there. One half gives the paper's term.
    squared
        Place logarithms of squared norms instead of norms. The paper says norms, the
        author's code uses squared norms with the same targets.
    hints
        What is known of the rows from elsewhere, a number, one per row or (members, rows): it
        is added to the log-ratio where unlabeled rows are given to classes.
    own
        How much the states' own log-ratio is heard there, beside the hints.
    pseudo_labels
        From the leanings, log-ratios times ``own`` plus hints, to the weight with which each
        unlabeled row counts as positive and as negative (:mod:`pulps.training.pseudo_labels`).
        None goes by the sign and the margin.

    Returns
    -------
    LossTerms
        One entry per member in each.
    """
    w = weights
    logs = torch.stack([log_p, log_n])
    if squared:
        logs = 2 * logs
        log_frobenius_p, log_frobenius_n = 2 * log_frobenius_p, 2 * log_frobenius_n
    log_ratio = logs[0] - logs[1]
    leaning = own * log_ratio.detach() + hints
    rule = pseudo_labels or partial(hard_pseudo_labels, margin=margin)
    positive, negative = (unlabeled * share for share in rule(leaning))
    groups = torch.stack([labeled, positive, negative])
    off = torch.zeros_like(norm_weight)
    on_place = _placed(logs, groups, w) if w.places else (off, off, off)
    norm = (
        w.norm
        * norm_weight
        * (
            log_frobenius_p.abs()
            + log_frobenius_n.abs()
            + (log_frobenius_p - log_frobenius_n).abs()
        )
    )
    if w.size:
        norm = norm + w.size * (log_frobenius_p**2 + log_frobenius_n**2)
    return LossTerms(
        *on_place,
        norm=norm,
        balance=w.balance
        * (
            group_mean(log_ratio, unlabeled)
            - (2 * prior - 1) * group_mean(log_ratio.detach().abs(), unlabeled)
        )
        ** 2,
        logistic=w.logistic * _on_wrong_side(log_ratio, groups) if w.logistic else off,
    )


def _placed(logs: Tensor, groups: Tensor, w: LossWeights) -> tuple[Tensor, Tensor, Tensor]:
    """How far labeled, positive and negative rows are from their places."""
    on_sphere = group_means((logs - w.sphere) ** 2, groups)
    in_kernel = group_means((logs - w.kernel) ** 2, groups)
    labeled_p, _, positive_p, _, _, negative_n = on_sphere
    _, labeled_n, _, positive_n, negative_p, _ = in_kernel
    return (
        w.labeled_own * labeled_p + w.labeled_other * labeled_n,
        w.positive_own * positive_p + w.positive_other * positive_n,
        w.negative_other * negative_p + w.negative_own * negative_n,
    )


def _on_wrong_side(log_ratio: Tensor, groups: Tensor) -> Tensor:
    """Mean logistic loss of each group, and the three of them added."""
    labeled, positive, negative = groups
    as_positive, as_negative = softplus(-log_ratio), softplus(log_ratio)
    return (
        group_mean(as_positive, labeled)
        + group_mean(as_positive, positive)
        + group_mean(as_negative, negative)
    )
