r"""What a value of y means, what shares of positives follow from counts, how to hide labels.

``y`` holds two values. The larger one (1, True) marks a *labeled positive*; the other one
(0, −1, False), or nothing at all, an *unlabeled* row, which may be positive. Predictions use the
same two values, the second now meaning *negative*. Strings have no meaningful order, so they need
``pos_label``, unless there is one beside missing ones. See :mod:`reading`. The three numbers 1, 0
and -1 together are positive, unlabeled and *known to be negative*: see :mod:`negatives`. With
several classes -1, None and NaN mean unlabeled and every other value is a class: see
:mod:`classes`.

Two shares of positives must not be confused: the prior :math:`\pi` of the *population*, which
weighs the classes of rows to predict, and the share :math:`\pi_U` among the *unlabeled* rows,
which goes with their counts. :mod:`shares` knows how they are related; :mod:`hiding` makes
problems whose truth is known, and :mod:`stacking` makes one table of two.
"""

from pulps.labels.classes import (
    ClassTarget,
    read_class_column,
    read_classes,
    unlabeled_rows,
)
from pulps.labels.hiding import hide_labels
from pulps.labels.negatives import known_states, take_negatives
from pulps.labels.reading import (
    Target,
    missing_labels,
    read_label_column,
    read_labels,
    read_target,
)
from pulps.labels.shares import (
    SCENARIOS,
    Shares,
    every_nth,
    labeled_to_keep,
    share_among_unlabeled,
    shares_of,
)
from pulps.labels.stacking import stack_pu

__all__ = [
    "SCENARIOS",
    "ClassTarget",
    "Shares",
    "Target",
    "every_nth",
    "hide_labels",
    "known_states",
    "labeled_to_keep",
    "missing_labels",
    "read_class_column",
    "read_classes",
    "read_label_column",
    "read_labels",
    "read_target",
    "share_among_unlabeled",
    "shares_of",
    "stack_pu",
    "take_negatives",
    "unlabeled_rows",
]
