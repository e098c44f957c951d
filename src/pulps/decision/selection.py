"""Choosing members without negatives: keep those that agree.

Everything here works on votes, a boolean array (members, rows) of predicted classes, whatever
made them; :mod:`pulps.decision.copies` collects those of any scikit-learn estimators.

Models that found the same split from different starts have probably found the one in the
data. The share of rows on which two of them agree is the paper's "estimated accuracy".
It measures stability, not truth, and a model that calls every row positive agrees
perfectly with its twin; so constant predictors and models that lose the labeled rows are
set aside first.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from pulps.decision.held_out import weighted_mean

ENOUGH_LABELS = 20
HIGH_AGREEMENT, LOW_KAPPA, LARGE_GAP = 0.9, 0.2, 0.2


def agreement_matrix(predictions: Any, weights: np.ndarray | None = None) -> np.ndarray:
    """Fraction of rows on which each pair of models predicts the same class.

    Parameters
    ----------
    predictions
        Votes, shape (members, rows).
    weights
        Weight of each row: one that weighs two counts as two rows. None weighs all alike.

    Returns
    -------
    array of shape (members, members)

    Examples
    --------
    >>> agreement_matrix([[1, 1, 0, 0], [1, 1, 0, 1], [0, 0, 1, 1]])
    array([[1.  , 0.75, 0.  ],
           [0.75, 1.  , 0.25],
           [0.  , 0.25, 1.  ]])
    """
    predictions = np.asarray(predictions)
    return weighted_mean(predictions[:, None] == predictions[None], weights, axis=-1)


def kappa_matrix(
    predictions: Any, chance: str = "cohen", weights: np.ndarray | None = None
) -> np.ndarray:
    """Agreement beyond chance of each pair; zero where chance leaves no room.

    Parameters
    ----------
    predictions
        Votes, shape (members, rows).
    chance
        What two members would agree on by chance. ``"cohen"``: if each drew its classes with
        its own share of positives (κ). ``"scott"``: if both drew with their mean share (π);
        unlike κ it does not forgive members whose shares differ. ``"gwet"``: AC1, which
        stays high for members that agree that nearly all rows are in one class.
    weights
        Weight of each row; None weighs all alike.

    Returns
    -------
    array of shape (members, members)

    Examples
    --------
    >>> kappa_matrix([[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]])
    array([[1., 1., 0.],
           [1., 1., 0.],
           [0., 0., 0.]])
    """
    predictions = np.asarray(predictions, dtype=float)
    share = weighted_mean(predictions, weights, axis=1)
    mean = (share[:, None] + share) / 2
    if chance == "cohen":
        expected = np.outer(share, share) + np.outer(1 - share, 1 - share)
    elif chance == "scott":
        expected = mean**2 + (1 - mean) ** 2
    elif chance == "gwet":
        expected = 2 * mean * (1 - mean)
    else:
        raise ValueError(f"chance is {chance!r}; it must be 'cohen', 'scott' or 'gwet'.")
    gain = agreement_matrix(predictions, weights) - expected
    room = 1 - expected
    return np.where(room > 1e-12, gain / np.where(room > 1e-12, room, 1), 0.0)


def mean_of_pairs(matrix: np.ndarray) -> float:
    """Mean over pairs of different models; NaN for one model alone.

    Parameters
    ----------
    matrix
        One number for each pair of models.

    Returns
    -------
    float

    Examples
    --------
    >>> mean_of_pairs(np.array([[1.0, 0.6], [0.6, 1.0]]))
    0.6
    """
    pairs = matrix[np.triu_indices(len(matrix), 1)]
    return float(pairs.mean()) if len(pairs) else float("nan")


def most_agreeing_pair(agreement: np.ndarray) -> tuple[int, int]:
    """Return the two members that agree most, of a matrix of at least two.

    Parameters
    ----------
    agreement
        Matrix of agreement of at least two members.

    Returns
    -------
    tuple of two int

    Examples
    --------
    >>> most_agreeing_pair(agreement_matrix([[1, 1, 0], [0, 0, 0], [1, 0, 0]]))
    (0, 2)
    """
    pairs = np.where(np.eye(len(agreement), dtype=bool), -np.inf, agreement)
    first, second = np.unravel_index(pairs.argmax(), pairs.shape)
    return int(first), int(second)


def largest_agreeing_cluster(agreement: np.ndarray, min_agreement: float = 0.9) -> np.ndarray:
    """Find the largest set of members of which every pair agrees; the tightest of equals.

    Exact, by Bron and Kerbosch's search with pivots; meant for tens of members.

    Parameters
    ----------
    agreement
        Matrix of agreement, plain or beyond chance.
    min_agreement
        What every pair of the set must reach.

    Returns
    -------
    array of int
        Members, ascending; at least one.

    Examples
    --------
    >>> votes = [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 1, 0]]
    >>> largest_agreeing_cluster(agreement_matrix(votes), 0.7)
    array([0, 1, 3])
    """
    agreement = np.asarray(agreement, dtype=float)
    near = (agreement >= min_agreement) & ~np.eye(len(agreement), dtype=bool)
    friends = [set(np.flatnonzero(row).tolist()) for row in near]
    best: tuple[tuple[int, float], list[int]] = ((0, 0.0), [])

    def grow(inside: list[int], may_join: set[int], seen: set[int]) -> None:
        nonlocal best
        if not may_join and not seen:
            tightness = mean_of_pairs(agreement[np.ix_(inside, inside)])
            rank = (len(inside), tightness if len(inside) > 1 else 0.0)
            if rank > best[0]:
                best = (rank, inside)
            return
        pivot = max(may_join | seen, key=lambda member: len(friends[member] & may_join))
        for member in sorted(may_join - friends[pivot]):
            grow([*inside, member], may_join & friends[member], seen & friends[member])
            may_join = may_join - {member}
            seen = seen | {member}

    grow([], set(range(len(agreement))), set())
    return np.array(sorted(best[1]))


def reasons_to_doubt(
    agreement: float,
    kappa: float,
    *,
    recall: float,
    share: float,
    accuracy: float,
    n_held_out: int,
) -> list[str]:
    """Reasons not to take the agreement for an accuracy, one sentence each.

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

    Returns
    -------
    list of str
        Empty if there is no reason.

    Examples
    --------
    >>> reasons_to_doubt(0.95, 0.9, recall=0.97, share=0.5, accuracy=0.9, n_held_out=30)
    []
    """
    doubts: list[str] = []
    if n_held_out < ENOUGH_LABELS:
        return doubts
    if agreement >= HIGH_AGREEMENT and kappa < LOW_KAPPA:
        doubts.append(
            f"Members agree on {agreement:.0%} of the rows, but hardly more than constant "
            "predictors would: nearly all rows are in one class."
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


def sound_members(
    predictions: Any,
    labeled: Any,
    *,
    min_recall: float = 0.5,
    min_share: float = 0.01,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """Tell which members are sound, that is, not degenerate; without unlabeled rows none is.

    Parameters
    ----------
    predictions
        Votes, shape (members, rows).
    labeled
        Boolean, shape (rows,).
    min_recall
        A member must find at least this share of the labeled rows.
    min_share
        A member must put at least this share of the unlabeled rows in each class.
    weights
        Weight of each row; None weighs all alike.

    Returns
    -------
    array of bool, shape (members,)

    Examples
    --------
    >>> sound_members([[1, 1, 1, 1], [1, 1, 0, 0], [0, 1, 0, 0]], [True, False, False, False])
    array([False,  True, False])
    """
    predictions = np.asarray(predictions, dtype=bool)
    labeled = np.asarray(labeled, dtype=bool)
    of_labeled, of_unlabeled = (
        None if weights is None else weights[group] for group in (labeled, ~labeled)
    )
    recall = weighted_mean(predictions[:, labeled], of_labeled, axis=1)
    if labeled.all():
        return recall < 0
    share = weighted_mean(predictions[:, ~labeled], of_unlabeled, axis=1)
    return (recall >= min_recall) & (share >= min_share) & (share <= 1 - min_share)


class Selection(NamedTuple):
    """Members that were chosen and how much they agree.

    Parameters
    ----------
    chosen
        Numbers of the members, in order of choice.
    agreement
        Mean agreement of pairs; NaN for one member alone.
    sound
        Which members are not degenerate.
    """

    chosen: np.ndarray
    agreement: float
    sound: np.ndarray


def select_members(
    predictions: Any,
    labeled: Any,
    *,
    size: int | Literal["cluster"] | None = 2,
    min_recall: float = 0.5,
    min_share: float = 0.01,
    weights: np.ndarray | None = None,
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
        pair), the member that agrees most with those chosen joins next. ``"cluster"``
        chooses the largest set of which every pair agrees on nine rows of ten, or the pair
        that agrees most if none does. None chooses every sound member.
    min_recall
        A member must find at least this share of the labeled rows.
    min_share
        A member must put at least this share of the unlabeled rows in each class.
    weights
        Weight of each row; None weighs all alike.

    Returns
    -------
    Selection
        Indices in order of choice, mean pairwise agreement of the chosen (NaN for one
        member alone), and which members are sound. If none is sound, all take part and
        ``sound`` says so.
    """
    predictions = np.asarray(predictions, dtype=bool)
    sound = sound_members(
        predictions, labeled, min_recall=min_recall, min_share=min_share, weights=weights
    )
    pool = np.flatnonzero(sound) if sound.any() else np.arange(len(predictions))
    agreement = agreement_matrix(predictions[pool], weights)
    if len(pool) == 1:
        return Selection(pool, float("nan"), sound)
    if size == "cluster":
        order = largest_agreeing_cluster(agreement, HIGH_AGREEMENT).tolist()
        if len(order) == 1:
            order = _most_agreeing(agreement, 2)
    else:
        order = _most_agreeing(agreement, len(pool) if size is None else min(size, len(pool)))
    return Selection(pool[order], mean_of_pairs(agreement[np.ix_(order, order)]), sound)


def _most_agreeing(agreement: np.ndarray, size: int) -> list[int]:
    """Start from the pair that agrees most; add whoever agrees most with those chosen."""
    order = list(most_agreeing_pair(agreement))
    while len(order) < size:
        rest = [i for i in range(len(agreement)) if i not in order]
        order.append(max(rest, key=lambda i: agreement[i, order].mean()))
    return order[:size]
