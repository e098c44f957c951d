r"""The share of a table's positives that is labeled, *c*, and what it says of the prior.

A table with :math:`n_L` labeled rows and :math:`n_U` unlabeled ones, of which the share
:math:`\pi_U` is positive, holds :math:`n_L + \pi_U n_U` positives. Of these the share

.. math:: c = \frac{n_L}{n_L + \pi_U n_U}
    \quad\Longleftrightarrow\quad
    \pi_U = \frac{n_L}{n_U} \, \frac{1 - c}{c}

is labeled. Nothing but counting is used, so this holds in both scenarios. Methods that compare
labeled with unlabeled rows find :math:`\pi_U` directly. Methods that ask a classifier or a tree
for the chance :math:`g(x)` of a row *of this table* to be labeled find *c*: with densities
:math:`f_+` of the positives and :math:`f_U = \pi_U f_+ + (1 - \pi_U) f_-` of the unlabeled rows,

.. math:: g(x) = \frac{n_L f_+(x)}{n_L f_+(x) + n_U f_U(x)} \le \frac{n_L}{n_L + \pi_U n_U} = c,

with equality where there are no negatives. In a single training set *c* is also the label
frequency, the chance of a positive to be labeled (:func:`pulps.labels.shares_of`).
"""

from __future__ import annotations


def label_share(prior_of_unlabeled: float, *, n_labeled: int, n_unlabeled: int) -> float:
    r"""Share of a table's positives that is labeled, :math:`c = n_L / (n_L + \pi_U n_U)`.

    Parameters
    ----------
    prior_of_unlabeled, n_labeled, n_unlabeled
        As in :func:`pulps.labels.shares_of`.

    Returns
    -------
    float

    Examples
    --------
    >>> label_share(0.25, n_labeled=100, n_unlabeled=400)
    0.5
    """
    return n_labeled / (n_labeled + prior_of_unlabeled * n_unlabeled)


def prior_from_label_share(share: float, *, n_labeled: int, n_unlabeled: int) -> float:
    r"""Share of positives among the unlabeled rows, :math:`\pi_U = (n_L / n_U) (1 - c) / c`.

    The inverse of :func:`label_share`.

    Parameters
    ----------
    share
        The labeled share *c* of the positives. If it is so small that more than all unlabeled
        rows would be positive, the result is one.
    n_labeled, n_unlabeled
        As in :func:`pulps.labels.shares_of`.

    Returns
    -------
    float

    Examples
    --------
    >>> prior_from_label_share(0.5, n_labeled=100, n_unlabeled=400)
    0.25
    >>> prior_from_label_share(0.1, n_labeled=100, n_unlabeled=400)
    1.0
    """
    if share <= n_labeled / (n_labeled + n_unlabeled):
        return 1.0
    return max(0.0, n_labeled / n_unlabeled * (1 - share) / share)
