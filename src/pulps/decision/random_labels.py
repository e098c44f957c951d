r"""Whether the labels look like a random sample of the positives.

Priors, cuts and scores rest on labels that were given at random among the positives. If they were,
then among the rows that a model calls positive labeled and unlabeled ones are alike, but for the
negatives that it calls positive by mistake. These are a share :math:`\varepsilon = 1 - precision`
of the unlabeled ones, and move no distribution by more than :math:`\varepsilon`. So every column
is compared, by the largest difference of two cumulative distributions or, of categories, half the
sum of all differences; the largest distance over all columns, less :math:`\varepsilon`, is
compared with what it is after labels were shuffled among these rows.

What the model does not call positive is not looked at: positives of a kind that is never labeled
cannot be told from negatives by anyone. A large p-value is no proof.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

ENOUGH_ROWS = 20  # of either kind
MOST_ROWS = 2000  # of either kind
LARGE, SMALL_P = 0.1, 0.05


class LabelTest(NamedTuple):
    """What the test found.

    Parameters
    ----------
    p_value
        Chance of so large a distance if labels were given at random.
    effect
        Largest distance of a column, less what negatives called positive may explain.
    column
        Position of that column.
    distances
        Distance of every column.
    allowed
        What negatives called positive may explain.
    """

    p_value: float
    effect: float
    column: int
    distances: np.ndarray
    allowed: float

    @property
    def look_random(self) -> bool:
        """Whether nothing speaks against labels given at random."""
        return self.p_value >= SMALL_P or self.effect < LARGE


def labels_look_random(
    values: np.ndarray,
    labeled: np.ndarray,
    called: np.ndarray,
    *,
    precision: float,
    categorical: np.ndarray | None = None,
    n_permutations: int = 200,
    random_state: int | np.random.RandomState | None = 0,
) -> LabelTest | None:
    """Test whether labels look like a random sample of the rows called positive.

    Parameters
    ----------
    values
        Encoded rows, shape (rows, columns), NaN where missing.
    labeled
        Which rows are labeled.
    called
        Which rows a model calls positive.
    precision
        Share of the unlabeled rows called positive that are positive.
    categorical
        Which columns hold codes of categories; None for none.
    n_permutations
        How often labels are shuffled.
    random_state
        Seed of the shuffles.

    Returns
    -------
    LabelTest or None
        None if fewer than 20 rows of either kind are called positive.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> rows, called = rng.random((400, 2)), np.ones(400, dtype=bool)
    >>> labels_look_random(rows, rng.random(400) < 0.3, called, precision=1.0).look_random
    True
    >>> labels_look_random(rows, rows[:, 1] < 0.3, called, precision=1.0).look_random
    False
    """
    rng = check_random_state(random_state)
    groups = [_some(np.flatnonzero(called & kind), rng) for kind in (labeled, ~labeled)]
    if min(map(len, groups)) < ENOUGH_ROWS:
        return None
    rows = np.concatenate(groups)
    known = np.arange(len(rows)) < len(groups[0])
    words = np.zeros(values.shape[1], dtype=bool) if categorical is None else categorical
    columns = [_Cells(values[rows, place], bool(is_word)) for place, is_word in enumerate(words)]
    distances = np.array([column.distance(known) for column in columns])
    allowed = float(np.clip(1 - precision, 0, 1))
    shuffled = np.empty(n_permutations)
    for number in range(n_permutations):
        mixed = rng.permutation(known)
        shuffled[number] = max(column.distance(mixed) for column in columns)
    place = int(distances.argmax())
    excess = float(distances[place] - allowed)
    p_value = (1 + int((shuffled >= excess).sum())) / (1 + n_permutations)
    return LabelTest(p_value, max(excess, 0.0), place, distances, allowed)


def _some(rows: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    return rows if len(rows) <= MOST_ROWS else rng.choice(rows, MOST_ROWS, replace=False)


class _Cells:
    """Cells of one column, sorted once for many ways to split them."""

    def __init__(self, cells: np.ndarray, is_word: bool):
        codes = np.where(np.isnan(cells), np.nanmax(cells, initial=0.0) + 1, cells)
        self.group = np.unique(codes, return_inverse=True)[1]
        self.n_groups, self.is_word = int(self.group.max()) + 1, is_word

    def distance(self, known: np.ndarray) -> float:
        """Distance of two groups of cells; what is missing counts as a value of its own."""
        one, other = (
            np.bincount(self.group[kind], minlength=self.n_groups) / kind.sum()
            for kind in (known, ~known)
        )
        if self.is_word:
            return float(np.abs(one - other).sum() / 2)
        return float(np.abs(np.cumsum(one - other)).max())
