r"""The cut whose F1 scores are expected to be best, where many labels tell.

With honest recall *r* of labeled rows above a cut, the share *u* of unlabeled rows above it and
the share of positives :math:`\pi_U` among them, the whole confusion matrix is known up to noise.
With many labels the noise is small, and the best cut can be looked for: that with the best mean of
the F1 of positives and that of negatives, of which the first counts three times. These weights did
best on the development tables; the mean of both alone calls too few rows positive where the share
of positives is estimated too small. The mean is smoothed over nearby cuts, since its maximum is
flat and its noise is not.
"""

from __future__ import annotations

import numpy as np

POSITIVES = 0.75  # weight of their F1
WIDTH = 0.01  # of the smoothing, as a share of the rows
N_SHARES = 401  # cuts that are compared
MANY_LABELS = 150  # with which the best cut has half of the say


def say_of_labels(n_labeled: float) -> float:
    """How much the cut that is expected to be best has to say.

    Parameters
    ----------
    n_labeled
        Weight of the labeled rows.

    Returns
    -------
    float
        From 0 for few labels to 1 for many.

    Examples
    --------
    >>> [round(say_of_labels(n), 3) for n in (30, 150, 500)]
    [0.002, 0.5, 0.992]
    """
    odds = (n_labeled / MANY_LABELS) ** 4
    return odds / (1 + odds)


def best_share_above(
    labeled: np.ndarray,
    unlabeled: np.ndarray,
    n_labeled: float,
    n_unlabeled: float,
    prior: float,
    *,
    single_training_set: bool = True,
) -> float:
    """Find the share of the rows above the cut that is expected to be best.

    Parameters
    ----------
    labeled, unlabeled
        Honest scores; some of each will do.
    n_labeled, n_unlabeled
        Rows they stand for.
    prior
        Share of positives among the unlabeled rows.
    single_training_set
        Whether the labeled rows are part of the population, so that they count.

    Returns
    -------
    float
        Share of the population.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labeled = rng.normal(2, 1, 500)
    >>> unlabeled = np.r_[rng.normal(2, 1, 500), rng.normal(-2, 1, 1000)]
    >>> share = best_share_above(labeled, unlabeled, 500, 1500, 1 / 3)
    >>> abs(share - 0.5) < 0.03
    True
    """
    labeled, unlabeled = np.sort(labeled), np.sort(unlabeled)
    cuts = np.unique(np.concatenate([labeled, unlabeled]))[::-1]  # rows from here up are above
    recall = np.append(0.0, 1 - np.searchsorted(labeled, cuts) / len(labeled))
    share = np.append(0.0, 1 - np.searchsorted(unlabeled, cuts) / len(unlabeled))
    known = n_labeled if single_training_set else 0.0
    found = np.minimum(prior * recall, share) * n_unlabeled
    true_positives = found + recall * known
    false_positives = share * n_unlabeled - found
    false_negatives = prior * n_unlabeled + known - true_positives
    true_negatives = np.maximum((1 - prior) * n_unlabeled - false_positives, 0.0)
    wrong = false_positives + false_negatives
    tiny = np.finfo(float).tiny
    of_positives = 2 * true_positives / np.maximum(2 * true_positives + wrong, tiny)
    of_negatives = 2 * true_negatives / np.maximum(2 * true_negatives + wrong, tiny)
    mean = POSITIVES * of_positives + (1 - POSITIVES) * of_negatives
    above = (share * n_unlabeled + recall * known) / (n_unlabeled + known)
    shares = np.linspace(0, 1, N_SHARES)
    reach = int(5 * WIDTH * (N_SHARES - 1))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (WIDTH * (N_SHARES - 1))) ** 2)
    padded = np.pad(np.interp(shares, above, mean), reach, mode="edge")
    return float(shares[np.convolve(padded, kernel, "valid").argmax()])
