"""GPU: rows that a model of the positives finds least likely are negative; then an SVM."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy.special import logsumexp
from sklearn import config_context
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from pulps.baselines._shared.bayesian_network import BayesianNetwork, chow_liu, climb, fit_network
from pulps.baselines._shared.codes import TableCoder
from pulps.baselines._shared.tabular import TabularClassifier
from pulps.io._sklearn import Interval, StrOptions
from pulps.tables.dependence import one_hot

C_GRID = tuple(10.0**power for power in range(-8, 4))
GAMMA_GRID = tuple(10.0**power for power in range(-6, 6))
FEWEST_FOR_GRID = 3


class GenerativePUClassifier(TabularClassifier):
    r"""Bayesian network, reliable negatives, support vector machine (GPU).

    A Bayesian network learns the labeled rows. The unlabeled rows it finds least likely, as
    many as there are labeled ones, are taken as negative. An SVM with a Gaussian kernel
    on one-hot vectors separates both.

    Parameters
    ----------
    network : {"k2", "chow-liu"}, default="k2"
        Structure by hill climbing with the K2 score, or the Chow–Liu tree, which is faster.
    n_networks : int, default=1
        With more than one, networks of bootstrap samples of the labeled rows, whose
        likelihoods are averaged (the ensemble of 2019).
    max_parents : int or None, default=4
        Largest number of parents of an attribute in ``"k2"``.
    C_grid : sequence of float or None, default=None
        Values of the SVM's C to choose from; None takes 10⁻⁸ … 10³.
    gamma_grid : sequence of float or None, default=None
        Values of the kernel's γ; None takes 10⁻⁶ … 10⁵.
    n_bins : int, default=10
        Largest number of bins of a numeric column.
    binning : {"quantile", "uniform"}, default="quantile"
        Bins of equal counts, or of equal width.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    random_state : int, RandomState or None, default=None
        Draws bootstrap samples and the splits of the grid search.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    networks_ : list of BayesianNetwork
        What was learned from the labeled rows.
    reliable_negatives_ : array of int
        Which rows of the training table were taken as negative.
    svm_ : SVC
        The machine with the chosen C and γ.
    coder_ : TableCoder
        Values of each attribute; missing is one of them if the table had it.

    Notes
    -----
    Sources: Basile, Di Mauro, Esposito, Ferilli and Vergari (2018), "Density estimators for
    positive-unlabeled learning", with its published code, and their ensemble of 2019. From
    the code: K2, one imaginary row for the parameters, as many negatives as
    positives, the grid, five stratified shuffle splits with a fifth for testing (seed 177
    there, ``random_state`` here), the F1 of the *negative* class as their score. Open, and
    done so here:

    * The code sets no limit to the number of parents; ours keeps tables small.
    * The number of networks in the ensemble is not known to us; 20 is a start.
    * With fewer than three labeled rows no split is possible, and C = 1, γ = 1 / columns.
    * ``predict_proba`` is the logistic function of the decision and not calibrated.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"a": list("xxxxxyyyyy"), "b": list("uvuvuwzwzw")})
    >>> y = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    >>> model = GenerativePUClassifier(C_grid=[1], gamma_grid=[0.1, 1], random_state=0)
    >>> model.fit(X, y).predict(X)
    array([1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
    """

    _parameter_constraints = {
        **TabularClassifier._parameter_constraints,
        "network": [StrOptions({"k2", "chow-liu"})],
        "n_networks": [Interval(Integral, 1, None, closed="left")],
        "max_parents": [Interval(Integral, 0, None, closed="left"), None],
        "C_grid": ["array-like", None],
        "gamma_grid": ["array-like", None],
        "n_bins": [Interval(Integral, 2, None, closed="left")],
        "binning": [StrOptions({"quantile", "uniform"})],
    }

    def __init__(
        self,
        *,
        network: Literal["k2", "chow-liu"] = "k2",
        n_networks: int = 1,
        max_parents: int | None = 4,
        C_grid: Sequence[Any] | None = None,
        gamma_grid: Sequence[Any] | None = None,
        n_bins: int = 10,
        binning: Literal["quantile", "uniform"] = "quantile",
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        pos_label: Any = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.network = network
        self.n_networks = n_networks
        self.max_parents = max_parents
        self.C_grid = C_grid
        self.gamma_grid = gamma_grid
        self.n_bins = n_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state

    def _fit_table(self, X: Any, labeled: np.ndarray) -> None:
        rng = check_random_state(self.random_state)
        self.coder_ = TableCoder(self.categorical_features, self.n_bins, self.binning, "value")
        codes = self.coder_.fit_transform(X)
        positive = codes[labeled]
        self.networks_ = [self._learn(sample) for sample in self._samples(positive, rng)]
        likelihood = logsumexp(
            [network.log_likelihood(codes[~labeled]) for network in self.networks_], axis=0
        )
        least = np.argsort(likelihood, kind="stable")[: len(positive)]
        self.reliable_negatives_ = np.flatnonzero(~labeled)[least]

        rows = np.concatenate([positive, codes[self.reliable_negatives_]])
        signs = np.repeat([1, -1], [len(positive), len(least)])
        features = one_hot(rows, self.coder_.n_values_)
        self.svm_ = SVC(**self._choose(features, signs, rng)).fit(features, signs)

    def _samples(self, positive: np.ndarray, rng: np.random.RandomState) -> list[np.ndarray]:
        if self.n_networks == 1:
            return [positive]
        return [
            positive[rng.randint(len(positive), size=len(positive))]
            for _ in range(self.n_networks)
        ]

    def _learn(self, codes: np.ndarray) -> BayesianNetwork:
        n_values = self.coder_.n_values_
        if self.network == "k2":
            parents = climb(codes, n_values, self.max_parents)
        else:
            parents = chow_liu(codes, n_values)
        return fit_network(codes, n_values, parents)

    def _choose(
        self, features: np.ndarray, signs: np.ndarray, rng: np.random.RandomState
    ) -> dict[str, float | str]:
        """Choose C and γ by the F1 of the negative class."""
        if min((signs > 0).sum(), (signs < 0).sum()) < FEWEST_FOR_GRID:
            return {"gamma": "auto"}
        C_grid = C_GRID if self.C_grid is None else list(self.C_grid)
        gamma_grid = GAMMA_GRID if self.gamma_grid is None else list(self.gamma_grid)
        shuffle = StratifiedShuffleSplit(5, test_size=0.2, random_state=rng.randint(2**31 - 1))
        splits = list(shuffle.split(features, signs))
        scores = grid_scores(features, signs, splits, C_grid, gamma_grid)
        best_C, best_gamma = np.unravel_index(scores.argmax(), scores.shape)
        return {"C": float(C_grid[best_C]), "gamma": float(gamma_grid[best_gamma])}

    def _decide_table(self, X: Any) -> np.ndarray:
        return self.svm_.decision_function(
            one_hot(self.coder_.transform(X), self.coder_.n_values_)
        )


def grid_scores(
    features: np.ndarray,
    signs: np.ndarray,
    splits: Sequence[tuple[np.ndarray, np.ndarray]],
    C_grid: Sequence[float],
    gamma_grid: Sequence[float],
) -> np.ndarray:
    """Mean F1 of the sign −1 over the splits, for every C (rows) and γ (columns).

    This is what a grid search over an RBF machine finds. Every kernel is computed once, and
    machines whose answers are known beforehand are not trained, see :func:`scores_along`.

    Parameters
    ----------
    features
        Dense rows.
    signs
        Sign of each row, +1 or −1.
    splits
        Rows to train on and rows to test on.
    C_grid
        Penalties of errors, the rows of the result.
    gamma_grid
        Widths of the kernel, its columns.

    Returns
    -------
    array
        Of shape (penalties, widths).
    """
    scores = np.zeros((len(C_grid), len(gamma_grid)))
    with config_context(assume_finite=True, skip_parameter_validation=True):
        for column, gamma in enumerate(gamma_grid):
            kernel = rbf_kernel(features, gamma=gamma)
            for train, test in splits:
                scores[:, column] += scores_along(
                    kernel[np.ix_(train, train)],
                    signs[train],
                    kernel[np.ix_(test, train)],
                    signs[test],
                    C_grid,
                )
    return scores / len(splits)


def scores_along(
    kernel: np.ndarray,
    signs: np.ndarray,
    test_kernel: np.ndarray,
    test_signs: np.ndarray,
    C_grid: Sequence[float],
) -> np.ndarray:
    """F1 of the sign −1 for every C, from the largest to the smallest.

    A machine none of whose multipliers reaches C is the machine of every C above its largest
    multiplier. A machine all of whose multipliers are C predicts like that of every smaller
    C: its decision is only scaled.

    Parameters
    ----------
    kernel
        Kernel matrix of the training rows.
    signs
        Their signs.
    test_kernel
        Kernel of test rows (rows) with training rows (columns).
    test_signs
        Signs of the test rows.
    C_grid
        Penalties of errors, in any order.

    Returns
    -------
    array
        One F1 per penalty, in the order given.
    """
    scores = np.zeros(len(C_grid))
    largest, saturated = np.inf, False
    for row in np.argsort(C_grid)[::-1]:
        C = C_grid[row]
        if largest > C and not saturated:
            machine = SVC(C=C, kernel="precomputed").fit(kernel, signs)
            multipliers = np.abs(machine.dual_coef_[0])
            largest = multipliers.max() if multipliers.max() < C else np.inf
            saturated = len(multipliers) == len(signs) and multipliers.min() >= C
            score = _f1_of_negatives(test_signs, machine.predict(test_kernel))
        scores[row] = score
    return scores


def _f1_of_negatives(signs: np.ndarray, predicted: np.ndarray) -> float:
    both = ((signs < 0) & (predicted < 0)).sum()
    return float(2 * both / max(int((signs < 0).sum() + (predicted < 0).sum()), 1))
