r"""One unknown in three guises: the shares of positives and of labels, and how they convert.

A table has :math:`n_L` labeled and :math:`n_U` unlabeled rows, of which the share
:math:`\pi_U` is positive. So it holds :math:`n_L + \pi_U n_U` positives, and of these the share

.. math:: c = \frac{n_L}{n_L + \pi_U n_U}
    \quad\Longleftrightarrow\quad
    \pi_U = \frac{n_L}{n_U} \, \frac{1 - c}{c}

is labeled. Nothing but counting was used, so this holds in both scenarios. What they
disagree about is what the table says of the population:

* ``"single-training-set"``: all rows are a sample of the population, so the share of
  positives there is that of the whole table,
  :math:`\pi = (n_L + \pi_U n_U) / (n_L + n_U) = n_L / (c \, (n_L + n_U))`, and *c* is the
  label frequency, the chance of a positive to be labeled.
* ``"case-control"``: the unlabeled rows alone are a sample of the population, so
  :math:`\pi = \pi_U`. How many labeled rows were drawn beside them was somebody's choice;
  *c* tells of that choice, not of the population, and there is no label frequency.

Methods that compare labeled with unlabeled rows find :math:`\pi_U` at once. Methods that ask
a classifier or a tree for the chance :math:`g(x)` of a row *of this table* to be labeled find
*c*: with densities :math:`f_+` of the positives and :math:`f_U = \pi_U f_+ + (1 - \pi_U) f_-`
of the unlabeled rows,

.. math:: g(x) = \frac{n_L f_+(x)}{n_L f_+(x) + n_U f_U(x)} \le \frac{n_L}{n_L + \pi_U n_U} = c,

with equality where no negative lives. This, too, is one formula for both scenarios.
"""

from __future__ import annotations

from typing import NamedTuple

from pulps.labels import SCENARIOS


class Shares(NamedTuple):
    """Share of positives in the population and among unlabeled rows; label frequency."""

    prior: float
    prior_of_unlabeled: float
    label_frequency: float


def shares_of(
    prior_of_unlabeled: float, *, n_labeled: int, n_unlabeled: int, scenario: str
) -> Shares:
    """All three shares from that of positives among the unlabeled rows.

    Examples
    --------
    >>> shares_of(0.25, n_labeled=100, n_unlabeled=400, scenario="single-training-set")
    Shares(prior=0.4, prior_of_unlabeled=0.25, label_frequency=0.5)
    >>> shares_of(0.25, n_labeled=100, n_unlabeled=400, scenario="case-control")
    Shares(prior=0.25, prior_of_unlabeled=0.25, label_frequency=nan)
    """
    if scenario == "case-control":
        return Shares(prior_of_unlabeled, prior_of_unlabeled, float("nan"))
    if scenario != "single-training-set":
        raise ValueError(f"scenario is {scenario!r}; it must be one of {SCENARIOS}.")
    n_positive = n_labeled + prior_of_unlabeled * n_unlabeled
    return Shares(
        n_positive / (n_labeled + n_unlabeled), prior_of_unlabeled, n_labeled / n_positive
    )


def label_share(prior_of_unlabeled: float, *, n_labeled: int, n_unlabeled: int) -> float:
    """Share of a table's positives that is labeled, *c*.

    >>> label_share(0.25, n_labeled=100, n_unlabeled=400)
    0.5
    """
    return n_labeled / (n_labeled + prior_of_unlabeled * n_unlabeled)


def prior_from_label_share(share: float, *, n_labeled: int, n_unlabeled: int) -> float:
    """Share of positives among the unlabeled rows, given the labeled share *c* of positives.

    A share so small that more than all unlabeled rows would be positive gives one.

    >>> prior_from_label_share(0.5, n_labeled=100, n_unlabeled=400)
    0.25
    >>> prior_from_label_share(0.1, n_labeled=100, n_unlabeled=400)
    1.0
    """
    if share <= n_labeled / (n_labeled + n_unlabeled):
        return 1.0
    return max(0.0, n_labeled / n_unlabeled * (1 - share) / share)
