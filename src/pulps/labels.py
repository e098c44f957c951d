r"""What a value of y means, what shares of positives follow from counts, how to hide labels.

``y`` holds two values. The larger one (1, True) marks a *labeled positive*; the other one
(0, −1, False) an *unlabeled* row, which may be positive. Predictions use the same two
values, the second now meaning *negative*. Strings have no meaningful order, so they need
``pos_label``.

Two shares of positives must not be confused: the prior :math:`\pi` of the *population*, which
weighs the classes of rows to predict, and the share :math:`\pi_U` among the *unlabeled* rows,
which goes with their counts. The *scenario* says how they are related:

* ``"single-training-set"``: all rows are a sample of the population, and labeling has taken
  positives out of the unlabeled ones, so :math:`\pi \, n = n_L + \pi_U n_U`.
* ``"case-control"``: the unlabeled rows alone are a sample of the population, so
  :math:`\pi = \pi_U`; how many labeled rows come with them was somebody's choice.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

SCENARIOS = ("single-training-set", "case-control")


def read_labels(y: np.ndarray, pos_label=None) -> tuple[np.ndarray, np.ndarray]:
    """Tell labeled positives from unlabeled rows.

    Parameters
    ----------
    y
        Two distinct values.
    pos_label
        The value of a labeled positive; by default the larger one, for numbers and
        booleans.

    Returns
    -------
    classes
        The two values, that of unlabeled rows first.
    labeled
        Boolean, True for a labeled positive.

    Examples
    --------
    >>> read_labels(np.array([-1, 1, -1]))
    (array([-1,  1]), array([False,  True, False]))
    >>> read_labels(np.array(["no", "yes"]), pos_label="no")
    (array(['yes', 'no'], dtype='<U3'), array([ True, False]))
    """
    values = np.unique(y)
    if len(values) != 2:
        word = "class" if len(values) == 1 else "classes"
        raise ValueError(
            "Only binary classification is supported. Positive-unlabeled learning needs "
            "2 classes in y, one for labeled positives and one for unlabeled rows, but y "
            f"has {len(values)} {word}: {values[:5].tolist()}. "
            + (
                "Mark the rows you know to be positive with 1 and all others with 0."
                if len(values) == 1
                else "Merge the other values into one before fitting."
            )
        )
    if pos_label is None:
        if values.dtype.kind not in "biuf":
            first, second = values.tolist()
            raise ValueError(
                f"y holds the values {first!r} and {second!r}; which one marks a labeled "
                f"positive cannot be told from strings. Pass pos_label={second!r} or "
                f"pos_label={first!r}."
            )
        pos_label = values[1]
    elif pos_label not in values:
        raise ValueError(
            f"pos_label={pos_label!r} is not in y, which holds {values.tolist()}. "
            "Pass one of these values."
        )
    labeled = np.asarray(y == pos_label)
    classes = values if pos_label == values[1] else values[::-1]
    return classes.copy(), labeled


class Target(NamedTuple):
    """A checked ``y``: the values themselves, the two classes, and which rows are labeled."""

    y: np.ndarray
    classes: np.ndarray
    labeled: np.ndarray


def read_target(y, pos_label=None, *, n_rows: int, caller: str, rows: str = "rows") -> Target:
    """Check ``y`` as scikit-learn wants it checked, and read it.

    Parameters
    ----------
    y : array-like of shape (rows,)
        Two distinct values.
    pos_label
        As in :func:`read_labels`.
    n_rows
        Number of rows of X, which ``y`` must have as well.
    caller
        Name of the estimator, for the error that ``y`` is missing.
    rows
        What the estimator calls a row, for the same error.

    Returns
    -------
    Target
        ``y`` as a vector, the classes (that of unlabeled rows first), and a boolean array
        that is True for a labeled positive.

    Examples
    --------
    >>> read_target([0, 1, 0], n_rows=3, caller="BBE").labeled
    array([False,  True, False])
    """
    from sklearn.utils import assert_all_finite
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_consistent_length, column_or_1d

    if y is None:
        raise ValueError(
            f"This {caller} estimator requires y to be passed, but the target y is None: pass "
            f"1 for labeled positives and 0 for unlabeled {rows}."
        )
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    check_consistent_length(range(n_rows), y)
    return Target(y, *read_labels(y, pos_label))


def read_label_column(column, positive: str | None = None) -> np.ndarray:
    """Tell labeled positives in a table's column, where blanks are unlabeled.

    Parameters
    ----------
    column
        A pandas column.
    positive
        The value of a labeled positive as it stands in the file; by default the larger
        of two numbers, or the only value beside blanks.

    Returns
    -------
    labeled
        Boolean array.
    """
    name, blank = column.name, column.isna().to_numpy()
    values = column[~blank].unique().tolist()
    if positive is not None:
        matches = [value for value in values if str(value) in (positive, f"{positive}.0")]
        if not matches:
            raise ValueError(
                f"Column {name!r} never holds {positive!r}; it holds {values[:5]}. Pass the "
                "value that marks a labeled positive."
            )
        labeled = (column == matches[0]).to_numpy()
    elif len(values) == 1 and blank.any():
        labeled = ~blank
    elif len(values) == 2 and all(isinstance(value, Real) for value in values):
        labeled = (column == max(values)).to_numpy()
    elif len(values) == 2:
        raise ValueError(
            f"Column {name!r} holds {values[0]!r} and {values[1]!r}; which one marks a labeled "
            f"positive cannot be told. Say so with --positive {values[0]}."
        )
    elif len(values) > 2:
        raise ValueError(
            f"Column {name!r} holds {len(values)} values: {values[:5]}. Expected two, one for "
            "labeled positives and one (or blank) for unlabeled rows; or name one with "
            "--positive."
        )
    else:
        labeled = np.full(len(column), bool(values) and bool(values[0]))
    labeled = np.asarray(labeled, dtype=bool)
    if not labeled.any():
        raise ValueError(
            f"Column {name!r} marks no row as positive: it holds only {values[:1] or 'blanks'}. "
            "Mark the rows known to be positive with 1."
        )
    if labeled.all():
        raise ValueError(
            f"Column {name!r} marks all {len(labeled)} rows as positive. Unlabeled rows are "
            "needed as well; mark them with 0 or leave them blank."
        )
    return labeled


def hide_labels(
    y_true,
    *,
    label_frequency: float | None = None,
    n_labeled: int | None = None,
    mechanism: str = "scar",
    X=None,
    scenario: str = "single-training-set",
    random_state=None,
):
    """Keep some positive labels and hide all others, to simulate a PU problem.

    Parameters
    ----------
    y_true
        The truth: 1 or True for a positive row, anything else for a negative one.
    label_frequency
        Share of the positives that stays labeled (c of Bekker and Davis).
    n_labeled
        Number of positives that stay labeled, instead of the share.
    mechanism
        ``"scar"``: every positive is equally likely to be labeled. ``"sar"``: the odds
        rise along the first principal direction of ``X`` among the positives, so that the
        labeled rows are a biased sample.
    X
        Attributes, needed for ``"sar"``: a numeric array without missing values.
    scenario
        ``"single-training-set"``: the labeled rows are no longer among the unlabeled ones;
        the result has one entry per row. ``"case-control"``: the labeled rows are an extra
        sample; the result, row numbers and labels, names each labeled row twice, once as
        labeled and once as unlabeled.
    random_state
        Seed or generator.

    Returns
    -------
    y or (rows, y)
        Labels, 1 for labeled and 0 for unlabeled; in ``"case-control"`` preceded by the
        numbers of the rows they belong to.

    Examples
    --------
    >>> hide_labels([1, 1, 1, 1, 0, 0], label_frequency=0.5, random_state=0)
    array([0, 0, 1, 1, 0, 0])
    >>> rows, y = hide_labels([1, 0], n_labeled=1, scenario="case-control")
    >>> rows, y
    (array([0, 0, 1]), array([1, 0, 0]))
    """
    from sklearn.utils import check_random_state

    rng = check_random_state(random_state)
    y_true = np.asarray(y_true)
    positives = np.flatnonzero(y_true == 1)
    if len(positives) == 0:
        raise ValueError(
            f"y_true has no positive row among its {len(y_true)}: it holds "
            f"{np.unique(y_true)[:5].tolist()}. Mark the positive class with 1."
        )
    keep = _number_to_keep(len(positives), label_frequency, n_labeled)
    if mechanism == "scar":
        odds = None
    elif mechanism == "sar":
        odds = _propensity(X, positives)
    else:
        raise ValueError(f"mechanism is {mechanism!r}; it must be 'scar' or 'sar'.")
    chosen = rng.choice(positives, keep, replace=False, p=odds)
    if scenario == "single-training-set":
        y = np.zeros(len(y_true), dtype=int)
        y[chosen] = 1
        return y
    if scenario == "case-control":
        rows = np.concatenate([np.sort(chosen), np.arange(len(y_true))])
        return rows, np.repeat([1, 0], [keep, len(y_true)])
    raise ValueError(f"scenario is {scenario!r}; it must be one of {SCENARIOS}.")


def _number_to_keep(n_positives: int, label_frequency, n_labeled) -> int:
    if (label_frequency is None) == (n_labeled is None):
        raise ValueError("Pass either label_frequency or n_labeled, and not both.")
    if label_frequency is not None:
        if not (isinstance(label_frequency, Real) and 0 < float(label_frequency) <= 1):
            raise ValueError(f"label_frequency is {label_frequency!r}; it must be in (0, 1].")
        return max(1, round(float(label_frequency) * n_positives))
    if not (isinstance(n_labeled, Integral) and 1 <= int(n_labeled) <= n_positives):
        raise ValueError(
            f"n_labeled is {n_labeled!r}; it must be a whole number from 1 to the "
            f"{n_positives} positives there are."
        )
    return int(n_labeled)


def _propensity(X, positives: np.ndarray) -> np.ndarray:
    """Odds that grow along the first principal direction of the positives."""
    if X is None:
        raise ValueError("mechanism='sar' labels by attributes: pass X, a numeric array.")
    X = np.asarray(X, dtype=float)[positives]
    centered = X - X.mean(axis=0)
    direction = np.linalg.svd(centered, full_matrices=False)[2][0]
    score = centered @ (direction * np.sign(direction[np.abs(direction).argmax()]))
    odds = expit(3 * score / (score.std() or 1.0))
    return odds / odds.sum()


def share_among_unlabeled(
    prior: float,
    labeled: np.ndarray,
    scenario: str,
    *,
    weights: np.ndarray | None = None,
    clip: bool = False,
) -> float:
    r"""Share of positives among the unlabeled rows, :math:`\pi_U`, from that in the population.

    Parameters
    ----------
    prior
        Share of positives in the population, :math:`\pi`.
    labeled
        Boolean, True for a labeled row.
    scenario
        How the rows were drawn, one of ``SCENARIOS``.
    weights
        Weight of each row: one that weighs two counts as two rows. None weighs all alike.
    clip
        What to do with a prior that says fewer rows are positive than are labeled: return
        zero, or raise an error.

    Returns
    -------
    float
        The share; in the case-control scenario, the prior itself.

    Examples
    --------
    >>> share_among_unlabeled(0.5, np.arange(100) < 20, "single-training-set")
    0.375
    """
    if scenario == "case-control":
        return float(prior)
    n_rows: float = len(labeled)
    n_labeled: float = int(labeled.sum())
    if weights is not None:  # a row that weighs two counts as two rows
        n_rows, n_labeled = float(weights.sum()), float(weights[labeled].sum())
    hidden = prior * n_rows - n_labeled
    if not clip and hidden < -1e-9 * n_rows:  # the labeled share as prior may be rounded down
        raise ValueError(
            f"prior={prior} says that {prior * n_rows:.0f} of {n_rows:g} rows are positive, but "
            f"{n_labeled:g} are labeled. Pass a larger prior, have it estimated, or pass "
            "scenario='case-control' if the labeled rows are an extra sample."
        )
    return float(max(hidden, 0.0) / (n_rows - n_labeled))


class Shares(NamedTuple):
    """Share of positives in the population and among unlabeled rows; label frequency.

    Numbers, or arrays of them.
    """

    prior: Any
    prior_of_unlabeled: Any
    label_frequency: Any


def shares_of(
    prior_of_unlabeled: Any, *, n_labeled: float, n_unlabeled: float, scenario: str
) -> Shares:
    r"""Find all three shares from that of positives among the unlabeled rows.

    In a single training set :math:`\pi = (n_L + \pi_U n_U) / (n_L + n_U)`, and the label
    frequency, the chance of a positive to be labeled, is :math:`c = n_L / (n_L + \pi_U n_U)`.
    In case-control there is no such chance.

    Parameters
    ----------
    prior_of_unlabeled
        Share of positives among the unlabeled rows, or an array of such shares.
    n_labeled, n_unlabeled
        Numbers of rows.
    scenario
        How the rows were drawn, one of ``SCENARIOS``.

    Returns
    -------
    Shares

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


def every_nth(n_rows: int, enough: int) -> np.ndarray:
    """Row numbers of an even subsample: every *n*-th row, at most ``enough`` of them.

    Parameters
    ----------
    n_rows
        Number of rows.
    enough
        Largest number of rows to take.

    Returns
    -------
    array
        Increasing row numbers.

    Examples
    --------
    >>> every_nth(10, 4)
    array([0, 3, 6, 9])
    """
    return np.arange(0, n_rows, 1 + n_rows // enough)


def labeled_to_keep(labeled: np.ndarray, most: int) -> int:
    """How many labeled rows stay in a subsample of at most ``most`` rows.

    All of them, as long as they are no more than half of it; more than half only where the
    unlabeled rows are too few to fill the rest.

    Parameters
    ----------
    labeled
        Boolean, True for a labeled row.
    most
        Largest size of the subsample.

    Returns
    -------
    int
        Number of labeled rows.

    Examples
    --------
    >>> [labeled_to_keep(np.arange(100) < n, 20) for n in (5, 50, 95)]
    [5, 10, 15]
    """
    n_labeled = int(labeled.sum())
    return min(n_labeled, max(most // 2, most - (len(labeled) - n_labeled)))
