"""What one epoch did: loss terms, and how many rows are where they should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import torch
from torch import Tensor

from pulps.training.loss import N_STATES, LossTerms


@dataclass(frozen=True)
class Epoch:
    """What one epoch did; every tensor has one entry per member.

    Parameters
    ----------
    terms
        The loss terms.
    norm_weight
        Weight of the norm term.
    labeled_recall
        Share of the labeled rows that are classified as what they are labeled.
    positive_share
        Share of the unlabeled rows that the first state wins; of more than two states, the share
        of the one that wins most.
    learning_rate
        Of this epoch.
    """

    terms: LossTerms
    norm_weight: Tensor
    labeled_recall: Tensor
    positive_share: Tensor
    learning_rate: Tensor

    @property
    def sound(self) -> Tensor:
        """Which members have a finite loss and use more than one class."""
        both = (self.positive_share > 0) & (self.positive_share < 1)
        return self.terms.total.isfinite() & both

    @classmethod
    def n_records(cls) -> int:
        """Count the records of a member.

        Returns
        -------
        int
        """
        return len(LossTerms._fields) + len(fields(cls)) - 1

    def stacked(self) -> Tensor:
        """All records in one tensor, an axis for the records, then that of the members.

        Returns
        -------
        Tensor of shape (records, members)
        """
        rest = [getattr(self, field.name) for field in fields(self) if field.name != "terms"]
        return torch.stack([*self.terms, *rest])

    @classmethod
    def of(cls, stacked: Tensor) -> Epoch:
        """Read what :meth:`stacked` wrote, of all members or of one.

        Parameters
        ----------
        stacked
            Shape (records, members) or (records,).

        Returns
        -------
        Epoch
        """
        n_terms = len(LossTerms._fields)
        return cls(LossTerms(*stacked[:n_terms]), *stacked[n_terms:])


def record_of(
    terms: LossTerms, logs: Tensor, labeled: Sequence[Tensor | None], unlabeled: Tensor
) -> Tensor:
    """Note what one batch did.

    Parameters
    ----------
    terms
        Its loss terms.
    logs
        Log-norms, shape (states, members, rows).
    labeled, unlabeled
        Weights of the rows, as :func:`pulps.training.loss.state_loss` takes them.

    Returns
    -------
    Tensor of shape (10, members)
        The six terms, the labeled rows that are found, the unlabeled ones that the first state
        wins (of more than two states, the one that wins most), and all labeled and unlabeled
        rows, each counted by weight.
    """
    with torch.no_grad():
        wins = [state_wins(logs, state) for state in range(len(logs))]
        known = [(rows, won) for rows, won in zip(labeled, wins, strict=True) if rows is not None]
        found = torch.stack([(rows * won).sum(-1) for rows, won in known]).sum(0)
        shares = torch.stack([(unlabeled * won).sum(-1) for won in wins])
        most = shares[0] if len(logs) == N_STATES else shares.amax(0)
        n_labeled = torch.stack([rows.sum(-1) for rows, _ in known]).sum(0)
        counts = torch.stack([found, most, n_labeled, unlabeled.sum(-1)])
        return torch.cat([torch.stack(terms), counts])


def state_wins(logs: Tensor, state: int) -> Tensor:
    """Tell where a state has the largest norm of all.

    Parameters
    ----------
    logs
        Log-norms, shape (states, ...).
    state
        Number of the state.

    Returns
    -------
    Tensor of bool, of the shape of one state's log-norms
    """
    others = torch.cat([logs[:state], logs[state + 1 :]])
    return logs[state] > others.amax(0)


def summary(parts: Sequence[Tensor], norm_weight: Tensor, rate: Tensor) -> Epoch:
    """Put the records of all batches together: terms are averaged, rows counted.

    Parameters
    ----------
    parts
        From :func:`record_of`.
    norm_weight, rate
        Weight of the norm term and learning rate of each member.

    Returns
    -------
    Epoch
    """
    stacked = torch.stack([*parts])
    n_terms = len(LossTerms._fields)
    counts = stacked[:, n_terms:].sum(0)
    found, size = counts[:2], counts[2:]  # of labeled and of unlabeled rows
    labeled_recall, positive_share = found / torch.where(size > 0, size, 1)
    return Epoch(
        terms=LossTerms(*stacked[:, :n_terms].mean(0)),
        norm_weight=norm_weight,
        labeled_recall=labeled_recall,
        positive_share=positive_share,
        learning_rate=rate,
    )
