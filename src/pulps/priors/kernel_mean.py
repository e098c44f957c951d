r"""KM1 and KM2 (Ramaswamy et al. 2016): subtract positives as long as a density is left.

If the share :math:`\kappa` of the unlabeled rows is positive, then
:math:`\lambda f_U + (1 - \lambda) f_+` with :math:`\lambda = 1 / (1 - \kappa)` is the density of
the negatives, and with a larger λ it becomes negative somewhere and is no density at
all. A kernel turns each distribution into a point, its mean feature, and the densities the
data can make into the convex hull of the rows' features. So the distance

.. math:: d(\lambda) = \min_{w \in \Delta}
    \Bigl\| \lambda \hat\mu_U + (1 - \lambda) \hat\mu_+ - \sum_i w_i \phi(x_i) \Bigr\|

is near zero up to the answer and grows after it. It is convex in λ, with slope
:math:`\langle \mathrm{residual}, \hat\mu_U - \hat\mu_+ \rangle / d(\lambda)`, which tends to
:math:`D = \|\hat\mu_U - \hat\mu_+\|`. The answer is where the slope crosses a threshold: for
KM2 :math:`1 / \sqrt{\min(n_L, n_U)}`, for KM1 four fifths of the slope at the start plus one
fifth of *D*. If KM2's threshold exceeds 0.9 *D* it says nothing, and KM1's is taken, as by the
authors.

The width of the Gaussian kernel is one of five around the median distance, the one for
which *D* is largest. Features are those of Nyström on some of the rows, exact if there are
no more; at most ``max_rows`` rows are used, half of them labeled if there are enough.
This estimates :math:`\pi_U` itself, in both scenarios. The factor λ multiplies the noise of
both means, so shares of 0.8 and more come out too small unless there are very many rows.

H. Ramaswamy, C. Scott and A. Tewari, *Mixture proportion estimation via kernel embeddings of
distributions*, ICML 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics import pairwise_distances

from pulps.io._sklearn import Interval, StrOptions
from pulps.labels import labeled_to_keep
from pulps.priors.estimator import Estimate, PriorEstimator
from pulps.priors.intervals import interval_around, parts_spread
from pulps.priors.nonnegative import nonnegative_weights
from pulps.tables.table_matrix import TableMatrix

WIDTHS = np.logspace(-1, 1, 5)
MAX_ROWS_PER_PART = 400
NOTHING = 1e-9  # a distance that is rounding
START = 1.05  # λ at which KM1 takes the slope of the start


class KernelMean(PriorEstimator):
    """Estimate the share of positives as what can be subtracted from the unlabeled rows.

    An upper bound if no region is purely positive; needs no classifier. See
    :mod:`pulps.priors.kernel_mean`.

    Parameters
    ----------
    threshold : {"km2", "km1"}, default="km2"
        Which slope of the distance ends the search.
    max_prior : float, default=0.97
        End of the search.
    max_rows : int, default=2000
        Larger tables are subsampled.
    n_components : int, default=200
        Features of Nyström.
    n_parts : int, default=20
        Parts of the table on which the estimate is repeated for the interval.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        How the rows were drawn; decides what ``prior_`` and ``label_frequency_`` are.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    confidence : float, default=0.9
        Level of ``interval_``.
    random_state : int, RandomState or None, default=None
        Seed of subsample, features and parts.

    Attributes
    ----------
    prior_ : float
        Share of positives in the population.
    prior_of_unlabeled_ : float
        Share of positives among the unlabeled rows.
    label_frequency_ : float
        Chance of a positive to be labeled; NaN in case-control.
    interval_ : (float, float)
        For ``prior_of_unlabeled_``: normal, from estimates on random parts of the rows
        used, at most half of them.
    diagnostics_ : dict
        Counts of rows, and of ``labeled_rows_used`` and ``unlabeled_rows_used``; the kernel's
        ``width``; ``mean_distance`` (D); ``slope_threshold``; the points of the curve that
        were looked at, ``candidates`` and ``slopes``.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> X, y_true = make_blobs(300, centers=[[0, 0], [6, 6]], random_state=0)
    >>> y = np.where(np.arange(300) % 2 == 0, y_true, 0)
    >>> model = KernelMean(random_state=0).fit(X, y)
    >>> abs(model.prior_ - 0.5) < 0.1
    True
    """

    _parameter_constraints = {
        **PriorEstimator._parameter_constraints,
        "threshold": [StrOptions({"km1", "km2"})],
        "max_prior": [Interval(Real, 0, 1, closed="neither")],
        "max_rows": [Interval(Integral, 4, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "n_parts": [Interval(Integral, 2, None, closed="left")],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    }

    def __init__(
        self,
        threshold: Literal["km2", "km1"] = "km2",
        *,
        max_prior: float = 0.97,
        max_rows: int = 2000,
        n_components: int = 200,
        n_parts: int = 20,
        categorical_features: Sequence[Any] | Literal["from_dtype"] | None = "from_dtype",
        scenario: Literal["single-training-set", "case-control"] = "single-training-set",
        pos_label: Any = None,
        confidence: float = 0.9,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.threshold = threshold
        self.max_prior = max_prior
        self.max_rows = max_rows
        self.n_components = n_components
        self.n_parts = n_parts
        self.categorical_features = categorical_features
        self.scenario = scenario
        self.pos_label = pos_label
        self.confidence = confidence
        self.random_state = random_state

    def _estimate(self, X: Any, labeled: np.ndarray, rng: np.random.RandomState) -> Estimate:
        matrix = TableMatrix(self.categorical_features).fit_transform(X)
        rows = _subsample(labeled, self.max_rows, rng)
        matrix, labeled = matrix[rows], labeled[rows]
        width = _widest_apart(matrix, labeled)
        nystroem = Nystroem(
            gamma=1 / (2 * width**2),
            n_components=min(self.n_components, len(matrix)),
            random_state=rng,
        )
        features = nystroem.fit_transform(matrix)

        def search(rows: np.ndarray) -> tuple[float, dict[str, Any]]:
            return _search(features[rows], labeled[rows], self.threshold, self.max_prior)

        prior, curve = search(np.arange(len(labeled)))
        spread = parts_spread(
            lambda rows: search(rows)[0],
            labeled,
            n_parts=self.n_parts,
            max_rows=MAX_ROWS_PER_PART,
            rng=rng,
        )
        interval = interval_around(prior, spread, self.confidence)
        used = {
            "labeled_rows_used": int(labeled.sum()),
            "unlabeled_rows_used": int((~labeled).sum()),
            "width": width,
        }
        return Estimate(prior, interval, {**used, **curve})


def nearest_in_hull(corners: np.ndarray, target: np.ndarray) -> np.ndarray:
    r"""Point nearest to a target in the convex hull of some corners.

    Weights :math:`v \ge 0` that minimize
    :math:`\|\sum_i v_i (\phi_i - t)\|^2 + (\sum_i v_i - 1)^2` have, whatever their sum, the
    proportions of the nearest point's weights: scaled by *s*, weights of sum one cost
    :math:`s^2 d^2 + (s - 1)^2`, which is least where *d* is. So non-negative least squares
    solve the quadratic program over the simplex, exactly.

    Parameters
    ----------
    corners
        One row per corner.
    target
        A point.

    Returns
    -------
    point

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> nearest_in_hull(corners, np.array([1.0, 1.0])).round(3)
    array([0.5, 0.5])
    """
    system = np.vstack([(corners - target).T, np.ones(len(corners))])
    goal = np.zeros(len(system))
    goal[-1] = 1.0
    weights = nonnegative_weights(system, goal)
    return weights @ corners / weights.sum()


def _subsample(labeled: np.ndarray, max_rows: int, rng: np.random.RandomState) -> np.ndarray:
    """Draw at most ``max_rows`` rows, half of them labeled if there are enough."""
    known, unknown = np.flatnonzero(labeled), np.flatnonzero(~labeled)
    n_known = labeled_to_keep(labeled, max_rows)
    n_unknown = min(len(unknown), max_rows - n_known)
    parts = (
        rng.choice(known, n_known, replace=False),
        rng.choice(unknown, n_unknown, replace=False),
    )
    return np.sort(np.concatenate(parts))


def _widest_apart(matrix: np.ndarray, labeled: np.ndarray) -> float:
    """Width of the kernel for which the mean features are farthest apart."""
    squared = pairwise_distances(matrix, metric="sqeuclidean")
    typical = np.sqrt(np.median(squared)) or np.sqrt(squared.mean())
    signs = np.where(labeled, -1 / labeled.sum(), 1 / (~labeled).sum())
    widths = WIDTHS * typical
    apart = [signs @ np.exp(-squared / (2 * width**2)) @ signs for width in widths]
    return float(widths[np.argmax(apart)])


def _search(
    features: np.ndarray, labeled: np.ndarray, threshold: str, max_prior: float
) -> tuple[float, dict[str, Any]]:
    """Halve the interval of candidates until the slope's crossing is known to 0.005."""
    n_labeled, n_unlabeled = int(labeled.sum()), int((~labeled).sum())
    unlabeled_mean = features[~labeled].mean(axis=0)
    away = unlabeled_mean - features[labeled].mean(axis=0)
    apart = float(np.linalg.norm(away))

    def distance_and_slope(scale: float) -> tuple[float, float]:
        target = unlabeled_mean + (scale - 1) * away
        residual = target - nearest_in_hull(features, target)
        distance = float(np.linalg.norm(residual))
        return distance, float(residual @ away) / distance if distance > NOTHING else 0.0

    limit = 1 / np.sqrt(min(n_labeled, n_unlabeled))
    if threshold == "km1" or limit > 0.9 * apart:
        slope_at_start = distance_and_slope(START)[0] / (START - 1)
        limit = 0.8 * slope_at_start + 0.2 * apart
    seen: dict[float, float] = {}
    low, high = 0.0, max_prior
    while high - low > 0.005:
        middle = (low + high) / 2
        seen[middle] = distance_and_slope(1 / (1 - middle))[1]
        low, high = (low, middle) if seen[middle] > limit else (middle, high)
    candidates = sorted(seen)
    curve = {
        "mean_distance": apart,
        "slope_threshold": float(limit),
        "candidates": np.array(candidates),
        "slopes": np.array([seen[candidate] for candidate in candidates]),
    }
    return (low + high) / 2, curve
