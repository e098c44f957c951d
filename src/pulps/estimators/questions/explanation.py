r"""What each attribute adds to the decision on a row; all that is added sums to the decision.

A model says what its decision :math:`\ell` would be if only the attributes in a set :math:`S` were
known. The states of a network say it exactly: the sites of all others are traced. The views of a
consensus take the others for missing cells, as they do with holes of a table. If attributes become
known one after the other, each adds the change of the decision, and the changes sum to
:math:`\ell(x) - \ell(\text{nothing known})`. They depend on the order; the Shapley value is their
mean over all orders,

.. math:: a_i(x) = \sum_{S \not\ni i} \frac{|S|!\,(n - |S| - 1)!}{n!}
          \bigl(\ell(x_{S \cup i}) - \ell(x_S)\bigr).

Up to :data:`EXACT` attributes all :math:`2^n` sets are asked about, and the values are exact.
Beyond, the mean is taken over some orders, each together with its reverse. Such a pair is exact
already where no more than two attributes act together; otherwise there is an error, which is told.
The sum is exact either way, and an attribute whose cell is missing adds nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.utils import check_random_state

from pulps.report.progress import on_terminal
from pulps.tables.columns import NumericColumn

EXACT, MOST_EXACT = 10, 16  # attributes of which all sets are asked: by default, if wanted
FEWEST_PAIRS = 8  # of an order and its reverse
ROWS_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class Explanation:
    """What each attribute adds to the decision on some rows.

    Parameters
    ----------
    names : list of str
        Names of the attributes: columns of the table that the model uses.
    values : array of shape (rows, attributes)
        What each adds, signed. A row of them and ``base`` sum to its decision.
    errors : array of shape (rows, attributes)
        Standard error of each value; zero if ``exact``, NaN of a single pair
        of orders.
    base : float
        The decision on a row of which nothing is known.
    decision : array of shape (rows,)
        The decision on each row.
    cells : array of shape (rows, attributes)
        The cells as they came.
    places : array of shape (rows, attributes)
        Where numbers lie between the smallest and the largest of the fit, from 0 to 1; NaN for
        categories and missing cells.
    n_orders : int or None
        Orders that were averaged over; None if that were all.
    """

    names: list[str]
    values: np.ndarray
    errors: np.ndarray
    base: float
    decision: np.ndarray
    cells: np.ndarray
    places: np.ndarray
    n_orders: int | None

    def __len__(self) -> int:
        return len(self.values)

    @property
    def exact(self) -> bool:
        """Whether the values are the mean over all orders."""
        return self.n_orders is None

    @property
    def table(self) -> pd.DataFrame:
        """One line per row: what every attribute adds."""
        return pd.DataFrame(self.values, columns=self.names)

    @property
    def sizes(self) -> pd.Series:
        """Mean size of what every attribute adds, the largest first."""
        sizes = pd.Series(np.abs(self.values).mean(axis=0), index=self.names, name="mean size")
        return sizes.sort_values(ascending=False, kind="stable")

    def row(self, number: int = 0) -> pd.DataFrame:
        """Tell about one row.

        Parameters
        ----------
        number : int, default=0
            Which of the rows, from 0.

        Returns
        -------
        pandas.DataFrame
            Cell, what it adds and the standard error of that, by attribute, the largest first.
        """
        if not -len(self) <= number < len(self):
            raise ValueError(f"number is {number}, but {len(self)} rows were explained.")
        told = {"cell": self.cells[number], "adds": self.values[number]}
        index = pd.Index(self.names, name="attribute")
        frame = pd.DataFrame(told | {"error": self.errors[number]}, index=index)
        return frame.iloc[np.argsort(-np.abs(self.values[number]), kind="stable")]


def explain_rows(
    model: Any, X: Any, orders: int | Literal["auto", "all"] = "auto", random_state: Any = 0
) -> Explanation:
    """Find what each attribute adds to the decision on each row.

    Parameters
    ----------
    model
        A fitted classifier of tables.
    X
        Rows of the same kind as in ``fit``.
    orders
        ``"all"``, or how many orders to average over; half of them are the others reversed.
        ``"auto"`` takes all for few attributes, and else as many as cost about the same.
    random_state
        Seed of the orders.

    Returns
    -------
    Explanation
    """
    values = model.encode(X)
    encoder = model.encoder_
    indices, first, group = np.unique(
        [column.index for column in encoder.columns_], return_index=True, return_inverse=True
    )
    mean = _choose(orders, len(indices), random_state)
    added = np.empty((len(values), len(indices)))
    errors, decision = np.zeros_like(added), np.empty(len(values))
    base = 0.0
    size = max(1, ROWS_AT_ONCE // len(mean.known))
    with on_terminal("Explanation") as tell:
        for start in range(0, len(values), size):
            tell(start / len(values), f"row {start + 1} of {len(values)}")
            rows = slice(start, start + size)
            asked = np.where(mean.known[:, group], values[rows, None], np.nan)
            told = model.decision_of_encoded(asked.reshape(-1, values.shape[1]))
            told = told.reshape(asked.shape[:2])
            base, decision[rows] = float(told[0, 0]), told[:, -1]
            added[rows], errors[rows] = mean.added(told)
    series = encoder.series_of(model.check_columns(X))
    cells = np.empty(added.shape, dtype=object)
    for place, index in enumerate(indices):
        column = series[index]
        cells[:, place] = column.tolist() if isinstance(column, np.ndarray) else column.to_list()
    numeric = [isinstance(encoder.columns_[place], NumericColumn) for place in first]
    return Explanation(
        names=[str(encoder.names_[i]) if encoder.names_ else f"x{i}" for i in indices],
        values=added,
        errors=errors,
        base=base,
        decision=decision,
        cells=cells,
        places=np.where(numeric, values[:, first], np.nan),
        n_orders=mean.n_orders,
    )


def _choose(orders: Any, n: int, random_state: Any) -> AllOrders | SomeOrders:
    if orders == "all" or (orders == "auto" and n <= EXACT):
        if n > MOST_EXACT:
            raise ValueError(
                f"The model uses {n} attributes, which have {2**n} sets; all orders can be had "
                f"for {MOST_EXACT} at most. Pass a number of orders, or 'auto'."
            )
        return AllOrders(n)
    if orders == "auto":
        n_pairs = max(FEWEST_PAIRS, 2**EXACT // (2 * n))
    elif isinstance(orders, Integral) and int(orders) >= 2 and int(orders) % 2 == 0:
        n_pairs = int(orders) // 2
    else:
        raise ValueError(
            f"orders is {orders!r}; it must be 'auto', 'all' or an even number, since every order "
            "comes with its reverse."
        )
    rng = check_random_state(random_state)
    return SomeOrders(np.array([rng.permutation(n) for _ in range(n_pairs)]))


class AllOrders:
    """The mean over all orders, from the decisions on all sets of attributes.

    Parameters
    ----------
    n
        Number of attributes.
    """

    n_orders = None

    def __init__(self, n: int) -> None:
        self.known = (np.arange(2**n)[:, None] >> np.arange(n)) % 2 == 1
        shares = [factorial(k) * factorial(n - 1 - k) / factorial(n) for k in range(n)]
        step = np.array([0.0, *shares, 0.0])  # from k - 1 to k attributes
        size = self.known.sum(axis=1)[:, None]
        self._weights = np.where(self.known, step[size], -step[size + 1])

    def added(self, told: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Average over orders.

        Parameters
        ----------
        told
            Decisions if the attributes in each set of ``known`` are known, shape (rows, sets).

        Returns
        -------
        added, errors
            Shape (rows, attributes) each.
        """
        added = told @ self._weights
        return added, np.zeros_like(added)


class SomeOrders:
    """The mean over some orders, each with its reverse.

    Parameters
    ----------
    forward
        Permutations of the attributes, shape (pairs, attributes).
    """

    def __init__(self, forward: np.ndarray) -> None:
        orders = np.stack([forward, forward[:, ::-1]], axis=1)
        self.n_orders = 2 * len(forward)
        self._turn = np.argsort(orders, axis=2)  # when each attribute becomes known
        n = forward.shape[1]
        between = self._turn[:, :, None] < np.arange(1, n)[:, None]
        ends = np.zeros((1, n), dtype=bool), np.ones((1, n), dtype=bool)
        self.known = np.concatenate([ends[0], between.reshape(-1, n), ends[1]])

    def added(self, told: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Average over orders.

        Parameters
        ----------
        told
            Decisions if the attributes in each set of ``known`` are known, shape (rows, sets).

        Returns
        -------
        added, errors
            Shape (rows, attributes) each.
        """
        n_pairs, _, n = self._turn.shape
        between = told[:, 1:-1].reshape(len(told), n_pairs, 2, n - 1)
        shape = (*between.shape[:3], 1)
        nothing, everything = (
            np.broadcast_to(told[:, end, None, None, None], shape) for end in (0, -1)
        )
        changes = np.diff(np.concatenate([nothing, between, everything], axis=3), axis=3)
        pairs = np.take_along_axis(changes, self._turn[None], axis=3).mean(axis=2)
        if n_pairs == 1:
            return pairs[:, 0], np.full((len(told), n), np.nan)
        return pairs.mean(axis=1), pairs.std(axis=1, ddof=1) / np.sqrt(n_pairs)
