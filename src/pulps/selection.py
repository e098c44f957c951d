"""Choosing members without negatives: keep those that agree.

Models that found the same split from different starts have probably found the one in the
data. The share of rows on which two of them agree is the paper's "estimated accuracy".
It measures stability, not truth, and a model that calls every row positive agrees
perfectly with its twin; so constant predictors and models that lose the labeled rows are
set aside first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ENOUGH_LABELS = 20
HIGH_AGREEMENT, LOW_KAPPA, LARGE_GAP = 0.9, 0.2, 0.2


def agreement_matrix(predictions) -> np.ndarray:
    """Fraction of rows on which each pair of models predicts the same class.

    >>> agreement_matrix([[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 1]])
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.25],
           [0.  , 0.25, 1.  ]])
    """
    predictions = np.asarray(predictions)
    return (predictions[:, None] == predictions[None]).mean(axis=-1)


def kappa_matrix(predictions) -> np.ndarray:
    """Agreement beyond chance (Cohen's κ) of each pair; zero if both are constant.

    >>> kappa_matrix([[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]])
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 0.]])
    """
    predictions = np.asarray(predictions, dtype=float)
    share = predictions.mean(axis=1)
    chance = np.outer(share, share) + np.outer(1 - share, 1 - share)
    gain = agreement_matrix(predictions) - chance
    room = 1 - chance
    return np.where(room > 1e-12, gain / np.where(room > 1e-12, room, 1), 0.0)


def mean_of_pairs(matrix: np.ndarray) -> float:
    """Mean over pairs of different models; NaN for one model alone.

    >>> mean_of_pairs(np.array([[1.0, 0.6], [0.6, 1.0]]))
    0.6
    """
    pairs = matrix[np.triu_indices(len(matrix), 1)]
    return float(pairs.mean()) if len(pairs) else float("nan")


class AgreementWarning(UserWarning):
    """The members agree, but other evidence says the split they agree on may be wrong."""


def doubts_about(
    agreement: float,
    kappa: float,
    *,
    recall: float,
    share: float,
    accuracy: float,
    n_held_out: int,
) -> list[str]:
    """Reasons not to take the agreement for an accuracy, a sentence each.

    Parameters
    ----------
    agreement, kappa
        Mean agreement of pairs, plain and beyond chance.
    recall, share
        Share predicted positive of the labeled rows whose label was held out, and of the
        unlabeled rows.
    accuracy
        The accuracy that follows from both and the class prior.
    n_held_out
        Labeled rows that were held out. With fewer than 20 nothing is certain enough to
        doubt.

    Examples
    --------
    >>> doubts_about(0.95, 0.9, recall=0.97, share=0.5, accuracy=0.9, n_held_out=30)
    []
    """
    doubts: list[str] = []
    if n_held_out < ENOUGH_LABELS:
        return doubts
    if agreement >= HIGH_AGREEMENT and kappa < LOW_KAPPA:
        doubts.append(
            f"Members agree on {agreement:.0%} of the rows, but hardly more than constant "
            f"predictors would (κ = {kappa:.2f}): nearly all rows are in one class."
        )
    if recall - share < 2 * (recall * (1 - recall) / n_held_out) ** 0.5:
        doubts.append(
            f"Of the labeled rows that were held out {recall:.0%} are called positive, of the "
            f"unlabeled rows {share:.0%}: either the attributes do not tell positives apart, or "
            "nearly all unlabeled rows are positive."
        )
    if agreement - accuracy > LARGE_GAP:
        doubts.append(
            f"Members agree on {agreement:.0%} of the rows, but held-out labels suggest an "
            f"accuracy of {accuracy:.0%}: they may agree on a wrong split."
        )
    return doubts


class Selection(NamedTuple):
    """Members that were chosen and how much they agree."""

    chosen: np.ndarray
    agreement: float
    sound: np.ndarray


def select_members(
    predictions, labeled, *, size: int | None = 2, min_recall: float = 0.5, min_share: float = 0.01
) -> Selection:
    """Choose the most agreeing members among those that are not degenerate.

    Parameters
    ----------
    predictions
        Boolean, shape (members, rows), on the training rows.
    labeled
        Boolean, shape (rows,).
    size
        How many to choose. Starting from the pair that agrees most (the paper chooses a
        pair), the member that agrees most with those chosen joins next. None chooses
        every sound member.
    min_recall
        A member must find at least this share of the labeled rows.
    min_share
        A member must put at least this share of the unlabeled rows in each class.

    Returns
    -------
    Selection
        Indices in order of choice, mean pairwise agreement of the chosen (NaN for one
        member alone), and which members are sound. If none is sound, all take part and
        ``sound`` says so.
    """
    predictions = np.asarray(predictions, dtype=bool)
    labeled = np.asarray(labeled, dtype=bool)
    recall = predictions[:, labeled].mean(axis=1)
    share = predictions[:, ~labeled].mean(axis=1) if (~labeled).any() else recall * np.nan
    sound = (recall >= min_recall) & (share >= min_share) & (share <= 1 - min_share)
    pool = np.flatnonzero(sound) if sound.any() else np.arange(len(predictions))
    agreement = agreement_matrix(predictions[pool])
    if len(pool) == 1:
        return Selection(pool, float("nan"), sound)
    np.fill_diagonal(agreement, -np.inf)
    order = [int(i) for i in np.unravel_index(agreement.argmax(), agreement.shape)]
    wanted = len(pool) if size is None else min(size, len(pool))
    while len(order) < wanted:
        rest = [i for i in range(len(pool)) if i not in order]
        order.append(max(rest, key=lambda i: agreement[i, order].mean()))
    order = order[:wanted]
    return Selection(pool[order], mean_of_pairs(agreement[np.ix_(order, order)]), sound)
