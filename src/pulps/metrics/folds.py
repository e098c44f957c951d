"""Folds for PU data: every fold has its share of the few labeled rows."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import BaseCrossValidator, StratifiedGroupKFold, StratifiedKFold

from pulps.labels import read_labels


class PUStratifiedKFold(BaseCrossValidator):
    """Folds with equal shares of labeled rows, at least one in each.

    Scikit-learn's ``StratifiedKFold`` only warns if a class has fewer rows than folds; a fold
    without a labeled row cannot be scored, so here that is an error. With ``groups``, rows of
    one group stay together: pass it where rows occur twice, as in case-control samples whose
    labeled rows are also among the unlabeled ones.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds.
    shuffle : bool, default=True
        Whether to shuffle the rows first.
    random_state : int, RandomState or None, default=0
        Seed of the shuffle; the same folds each time unless it is None.
    pos_label : object, default=None
        The value of a labeled positive; by default the larger number.

    Examples
    --------
    >>> folds = PUStratifiedKFold(2, random_state=0)
    >>> y = np.array([1, 1, 0, 0, 0, 0])
    >>> [int(y[test].sum()) for _, test in folds.split(y, y)]
    [1, 1]
    """

    def __init__(
        self,
        n_splits: int = 5,
        *,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = 0,
        pos_label: Any = None,
    ):
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state
        self.pos_label = pos_label

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds.

        Parameters
        ----------
        X, y, groups
            Not used.

        Returns
        -------
        int
        """
        return self.n_splits

    def split(self, X: Any, y: Any, groups: Any = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the row numbers to train on and to test on, fold by fold.

        Parameters
        ----------
        X
            Not used.
        y : array of shape (rows,)
            PU labels.
        groups : array of shape (rows,), default=None
            Rows of one group stay together.

        Yields
        ------
        train, test : arrays of int
        """
        given: Any = self.n_splits
        if not isinstance(given, Integral) or int(given) < 2:
            raise ValueError(f"n_splits is {given!r}; it must be a whole number above 1.")
        n_splits = int(given)
        _, labeled = read_labels(np.asarray(y), self.pos_label)
        for count, kind in ((int(labeled.sum()), "labeled"), (int((~labeled).sum()), "unlabeled")):
            if count < n_splits:
                raise ValueError(
                    f"{count} {kind} rows cannot be dealt into {self.n_splits} folds, at least "
                    f"one in each. Lower n_splits to {max(count, 2)} or fewer"
                    + (", or label more rows." if count < 2 else ".")
                )
        seed = self.random_state if self.shuffle else None
        kind_of_folds = StratifiedKFold if groups is None else StratifiedGroupKFold
        folds = kind_of_folds(n_splits, shuffle=self.shuffle, random_state=seed)
        for train, test in folds.split(np.zeros(len(labeled)), labeled, groups):
            for rows, name in ((train, "training"), (test, "test")):
                if len(np.unique(labeled[rows])) < 2:
                    raise ValueError(
                        f"The groups leave a {name} fold without labeled or without unlabeled "
                        "rows. Lower n_splits, or split large groups."
                    )
            yield train, test
