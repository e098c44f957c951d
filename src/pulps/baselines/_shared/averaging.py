r"""A Beta distribution over the share of positives, in place of one number.

Averaging the subtraction :math:`q_0 = (P_U - p\,q_1) / (1 - p)` over
:math:`p \sim \mathrm{Beta}(\alpha, \beta)` needs only
:math:`E[1/(1-p)] = (\alpha+\beta-1)/(\beta-1)` and :math:`E[p/(1-p)] = \alpha/(\beta-1)`, and
gives the subtraction at :math:`p_e = \alpha/(\alpha+\beta-1)`. Averaging the joint
probability of a row has no closed form; Gauss–Jacobi nodes are exact for polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal

import numpy as np
from scipy.linalg import eigh_tridiagonal

from pulps.baselines._shared.positive_bayes import Candidates, PositiveBayes
from pulps.io._sklearn import Interval, StrOptions

NODES = 32
NO_KNOWLEDGE = (2.0, 2.0)


class AveragedPrior(PositiveBayes):
    """A Bayesian classifier whose prior is a Beta distribution."""

    _parameter_constraints = {
        **PositiveBayes._parameter_constraints,
        "prior": [*PositiveBayes._parameter_constraints["prior"], None],
        "concentration": [Interval(Real, 0, None, closed="neither")],
        "averaging": [StrOptions({"conditional", "joint"})],
    }

    def __init__(
        self,
        *,
        prior: float | Literal["estimate"] | None = "estimate",
        concentration: float = 30.0,
        averaging: Literal["conditional", "joint"] = "conditional",
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        smoothing: float = 1.0,
        n_bins: int = 5,
        binning: Literal["quantile", "uniform"] = "quantile",
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        pos_label: Any = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.prior = prior
        self.concentration = concentration
        self.averaging = averaging
        self.scenario = scenario
        self.smoothing = smoothing
        self.n_bins = n_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.pos_label = pos_label
        self.random_state = random_state

    def _candidates(self, codes: np.ndarray, labeled: np.ndarray) -> Candidates:
        if self.prior is None:
            return beta_candidates(*NO_KNOWLEDGE, self.averaging)
        mean = self._mean_share(codes, labeled)
        return beta_candidates(*beta_parameters(mean, self.concentration), self.averaging)


def beta_parameters(mean: float, concentration: float) -> tuple[float, float]:
    r"""Parameters of a Beta distribution with a mean and an equivalent number of rows.

    The averages exist for :math:`\beta > 1`; where the concentration is too small for
    :math:`\beta = 2` it is raised, which keeps the mean.

    >>> beta_parameters(0.5, 30)
    (15.0, 15.0)
    >>> beta_parameters(0.9, 10)[1].__round__(9)
    2.0
    """
    mean = min(max(mean, 1e-6), 1 - 1e-6)
    concentration = max(concentration, 2 / (1 - mean))
    return concentration * mean, concentration * (1 - mean)


def beta_candidates(alpha: float, beta: float, averaging: str) -> Candidates:
    """Shares to subtract, to weigh classes with, and their weights.

    Parameters
    ----------
    alpha, beta
        Parameters of the Beta distribution of the share among the unlabeled rows.
    averaging
        ``"conditional"``: the negative tables are averaged. ``"joint"``: the probabilities of
        whole rows are.
    """
    if averaging == "conditional":
        subtracted, mean = alpha / (alpha + beta - 1), alpha / (alpha + beta)
        return Candidates(np.array([subtracted]), np.array([mean]), np.ones(1))
    share, weights = beta_quadrature(alpha, beta)
    return Candidates(share, share, weights)


def beta_quadrature(alpha: float, beta: float) -> tuple[np.ndarray, np.ndarray]:
    """Gauss nodes and weights of a Beta distribution, by the eigenvectors of its Jacobi matrix.

    ``scipy.special.roots_jacobi`` overflows for narrow distributions; here the weights are
    normalized from the start.

    >>> nodes, weights = beta_quadrature(3.0, 2.0)
    >>> float((weights @ nodes).round(9)), float(weights.sum().round(9))
    (0.6, 1.0)
    """
    a, b = beta - 1, alpha - 1
    k = np.arange(1, NODES)
    twice = 2 * k + a + b
    diagonal = np.append((b - a) / (a + b + 2), (b - a) * (b + a) / (twice * (twice + 2)))
    product = 4 * k * (k + a) * (k + b) * (k + a + b) / (twice**2 * (twice + 1) * (twice - 1))
    nodes, vectors = eigh_tridiagonal(diagonal, np.sqrt(product))
    return (nodes + 1) / 2, vectors[0] ** 2
