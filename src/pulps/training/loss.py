r"""The loss: five terms that place rows on a sphere or in a kernel, and a sixth that does not.

There is one state per class. A row of a class should have log-norm ``sphere`` (the paper's
:math:`\mu_0`) under its own state and ``kernel`` (:math:`\mu_1`) under the others. Labeled rows
have the class of their label; unlabeled rows are whatever the model says they are now. Two more
terms keep the states tight and keep the model from calling everything one class. These five are
the paper's, who has two states, *positive* and *negative*, and labels of the first one only:
:func:`pu_loss`. :func:`state_loss` is the same for any number of states, of which some or all
have labels.

The sixth is the cross-entropy of the norms. With two states and *r* the log-ratio of their norms
that is :math:`\log(1 + e^{-r})` for as much of a row as is positive, :math:`\log(1 + e^r)` for the
rest. It asks for the right side and not for a place, so a doubtful row can stay in the middle. It
needs somebody to say which sides are right (:class:`pulps.training.batches.Batches`, ``hints``):
alone, the states would agree with themselves. Nothing in it sets the size of the norms; ``size``
does, weakly.

Eq. 10 of the paper prints :math:`\mu_0` and :math:`\mu_1` of the negative rows the wrong
way round; its text and the author's code have them as here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import softplus

from pulps.training.pseudo_labels import hard_pseudo_labels

N_STATES = 2  # the positive and the negative one
Rule = Callable[[Tensor], Sequence[Tensor]]  # from leanings to pseudo-labels


@dataclass(frozen=True)
class LossWeights:
    """Weights of the loss terms, and the two log-norms that rows should have.

    The defaults are the paper's; its letters stand beside the fields.

    Parameters
    ----------
    labeled_own, labeled_other
        Of labeled rows, for their norm under their own state and under the others.
    positive_own, positive_other
        Of unlabeled rows given to the first state, the positive one, in the same order.
    negative_other, negative_own
        Of unlabeled rows given to any other state: under the others, and under their own.
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
        How far rows are from where they should be: labeled ones, unlabeled ones given to the
        first state, and unlabeled ones given to any other.
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
    r"""Weighted means of all states' values over several groups of rows, in few operations.

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
        The means, shape (members,): all states of the first group, of the second and so on.
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
    prior: float | Tensor = 0.5,
    **options: Any,
) -> LossTerms:
    r"""Loss of two states, the first of which alone has labels: the paper's case.

    Parameters
    ----------
    log_p, log_n
        Log-norms of the rows under both states, shape (members, rows).
    labeled, unlabeled
        Weight of each row as a labeled and as an unlabeled row, shape (members, rows);
        zero in both means the row is held out.
    log_frobenius_p, log_frobenius_n
        Log-Frobenius norms of the states, shape (members,).
    weights, norm_weight
        As in :func:`state_loss`.
    prior
        Share of positives among the unlabeled rows, a number or one per member.
    **options
        Of :func:`state_loss`.

    Returns
    -------
    LossTerms
        One entry per member in each.
    """
    return state_loss(
        torch.stack([log_p, log_n]),
        [labeled, None],
        unlabeled,
        torch.stack([log_frobenius_p, log_frobenius_n]),
        weights,
        norm_weight,
        shares=(prior, 1 - prior),
        **options,
    )


def state_loss(
    logs: Tensor,
    labeled: Sequence[Tensor | None],
    unlabeled: Tensor,
    log_frobenius: Tensor,
    weights: LossWeights,
    norm_weight: Tensor,
    *,
    margin: float = 0.0,
    shares: Sequence[float | Tensor] | None = None,
    squared: bool = False,
    hints: Tensor | float = 0.0,
    own: float = 1.0,
    pseudo_labels: Rule | None = None,
) -> LossTerms:
    r"""Loss of K states, one per class; every mean is over the rows of one class.

    What is added up over classes is counted so that two states give the paper's loss, and that
    its size does not grow with K: labeled rows are averaged over the classes that have any;
    "the other state" is the mean over the others; unlabeled rows count 2/K per class. The norm
    term is :math:`\frac 2K \sum_c |\log F_c|` plus the mean of :math:`|\log F_c - \log F_d|` over
    pairs of states, and the balance term a mean over pairs as well.

    Parameters
    ----------
    logs
        Log-norms of the rows under every state, shape (states, members, rows).
    labeled
        For each state the weight of each row as a labeled row of its class, shape (members,
        rows), or None if that class has no labels.
    unlabeled
        Weight of each row as an unlabeled one, shape (members, rows). A row that is zero here
        and in all of ``labeled`` is held out.
    log_frobenius
        Log-Frobenius norms of the states, shape (states, members).
    weights
        Weights of the terms, and the two log-norms.
    norm_weight
        The scheduled weight λ7, shape (members,).
    margin
        Unlabeled rows whose two best states are within ``margin`` of each other belong to no
        class. The paper has none; the author's code uses 10 on images.
    shares
        Share of each class among the unlabeled rows, a number or one per member; None takes
        equal ones. If the log-ratios of two classes are of one size, their mean over the rows
        of both is :math:`2q - 1` times that size, *q* being the share of the first among the
        two, and the balance term pulls it there. Equal shares give the paper's term.
    squared
        Place logarithms of squared norms instead of norms. The paper says norms, the
        author's code uses squared norms with the same targets.
    hints
        What is known of the rows from elsewhere; it is added where unlabeled rows are given to
        classes. For two states a number, one per row or (members, rows), added to their
        log-ratio; for more, (states, members, rows), added to the log-norms.
    own
        How much the states' own log-norms are heard there, beside the hints.
    pseudo_labels
        From the leanings, log-norms times ``own`` plus hints, to the weight with which each
        unlabeled row counts for each class (:mod:`pulps.training.pseudo_labels`). None goes by
        the largest and the margin.

    Returns
    -------
    LossTerms
        One entry per member in each.
    """
    w, n_states = weights, len(logs)
    if squared:
        logs, log_frobenius = 2 * logs, 2 * log_frobenius
    # Two states need one difference and not two logarithms: also, their bits stay as they were.
    log_ratio = logs[0] - logs[1] if n_states == 2 else None
    leaning = own * (logs if log_ratio is None else log_ratio).detach() + hints
    rule = pseudo_labels or partial(hard_pseudo_labels, margin=margin)
    known = [state for state, rows in enumerate(labeled) if rows is not None]
    groups = torch.stack(
        [
            *(rows for rows in labeled if rows is not None),
            *(unlabeled * share for share in rule(leaning)),
        ]
    )
    off = torch.zeros_like(norm_weight)
    on_place = _placed(logs, groups, known, w) if w.places else (off, off, off)
    norm = w.norm * norm_weight * _size(log_frobenius)
    if w.size:
        norm = norm + w.size * (2 / n_states) * _total([one**2 for one in log_frobenius])
    balance, logistic = off, off
    if w.balance:
        shares = [1 / n_states] * n_states if shares is None else shares
        balance = w.balance * _drift(logs, log_ratio, unlabeled, shares)
    if w.logistic:
        logistic = w.logistic * _on_wrong_side(logs, log_ratio, groups, known)
    return LossTerms(*on_place, norm=norm, balance=balance, logistic=logistic)


def _placed(
    logs: Tensor, groups: Tensor, known: list[int], w: LossWeights
) -> tuple[Tensor, Tensor, Tensor]:
    """How far labeled rows, those given to the first state and all others are from their places.

    The groups are the labeled rows of each known class, then the rows given to each state.
    """
    n_states = len(logs)
    on_sphere = group_means((logs - w.sphere) ** 2, groups)
    in_kernel = group_means((logs - w.kernel) ** 2, groups)

    def apart(group: int, state: int) -> tuple[Tensor, Tensor]:
        """How far a group is from its own state's place, and on average from the others'."""
        first = group * n_states
        others = [in_kernel[first + other] for other in range(n_states) if other != state]
        return on_sphere[first + state], _total(others) / len(others)

    labeled = []
    for group, state in enumerate(known):
        here, elsewhere = apart(group, state)
        labeled.append(w.labeled_own * here + w.labeled_other * elsewhere)
    given = [apart(len(known) + state, state) for state in range(n_states)]
    positive = w.positive_own * given[0][0] + w.positive_other * given[0][1]
    negative = [
        w.negative_other * elsewhere + w.negative_own * here for here, elsewhere in given[1:]
    ]
    scale = 2 / n_states
    return (
        _total(labeled) / _n_present(groups, known),
        scale * positive,
        scale * _total(negative),
    )


def _size(log_frobenius: Tensor) -> Tensor:
    """How far the norms of the states are from one, and from each other."""
    far = (2 / len(log_frobenius)) * _total([one.abs() for one in log_frobenius])
    apart = [(one - other).abs() for one, other in combinations(log_frobenius, 2)]
    return far + _total(apart) / len(apart)


def _drift(
    logs: Tensor,
    log_ratio: Tensor | None,
    unlabeled: Tensor,
    shares: Sequence[float | Tensor],
) -> Tensor:
    """How far the mean log-ratio of each pair of states is from what their shares ask for."""
    squares = []
    for one, other in combinations(range(len(logs)), 2):
        ratio = logs[one] - logs[other] if log_ratio is None else log_ratio
        share = shares[one] / (shares[one] + shares[other])
        wanted = (2 * share - 1) * group_mean(ratio.detach().abs(), unlabeled)
        squares.append((group_mean(ratio, unlabeled) - wanted) ** 2)
    return _total(squares) / len(squares)


def _on_wrong_side(
    logs: Tensor, log_ratio: Tensor | None, groups: Tensor, known: list[int]
) -> Tensor:
    """Mean cross-entropy of each group: labeled ones averaged, those given to states added."""
    n_states = len(logs)
    if log_ratio is not None:
        costs = [softplus(-log_ratio), softplus(log_ratio)]
    else:
        costs = [*(logs.logsumexp(0) - logs)]
    labeled = [group_mean(costs[state], groups[group]) for group, state in enumerate(known)]
    total = _total(labeled) / _n_present(groups, known)
    for state, cost in enumerate(costs):
        total = total + (2 / n_states) * group_mean(cost, groups[len(known) + state])
    return total


def _n_present(groups: Tensor, known: list[int]) -> Tensor:
    """Count the classes with labeled rows here, for each member; at least one."""
    return (groups[: len(known)].sum(-1) > 0).sum(0).clamp_min(1)


def _total(parts: Sequence[Tensor]) -> Tensor:
    """Sum from the first to the last."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
