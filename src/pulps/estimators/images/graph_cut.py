r"""Where to cut scores of points that know their neighbors: where few links are cut.

Classes are groups of points with many links inside and few between them. So of all sets "the best
m points" those are candidates that cut few links for their size: local minima of the
normalized cut :math:`c/v + c/(V - v)`, with c the links that are cut, v those of the set and V
all. No share of positives needs to be known.

Which candidate the labels mean: if they were drawn from a set of share q, but for one in so
many, a labeled point has the density (1 - e)/q inside and e/(1 - q) outside (by its honest
score). How many lie outside, e, is not known: it is small where classes are apart, and large where
they overlap, so all e count, small ones more. The share should be near that of a mixture of two
normals, of which one is the labeled points' scores. Few links and a share near one half are better
than many and an extreme one. All this makes odds, and the odds say how sure the cut is: with a
hundred labels nearly always one candidate is left, with a single one often several.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import minimum_filter1d
from scipy.special import betaln, logit, logsumexp, softmax

from pulps.estimators.images.neighbor_graph import NeighborGraph
from pulps.labels import every_nth
from pulps.priors.three_way import BLUR, mixture_share

NEAR = 0.12  # candidates are at least so far apart, in log-odds of their share
SMALLEST = 0.005  # share of the points in a set and outside of it
PER_NEAR = 10  # bins in which the best set is looked for
TINY_CUT = 1e-4  # as good as no links
INSIDE = 10.0  # labeled points inside that count as seen before any is: few lie outside
UNSURE = 0.4  # deviation of the log-odds of a mixture's share, beside that of resamples
N_RESAMPLES, MOST_SCORES, EXTREME = 4, 5000, 0.001


@dataclass(frozen=True)
class GraphCuts:
    """Cuts that scores may mean.

    Parameters
    ----------
    cuts
        Scores, decreasing: a candidate is the set of points above.
    shares
        Share of the unlabeled points in each.
    odds
        How likely each is meant; they sum to one.
    links_cut
        Normalized cut of each.
    recalls
        Share of the labeled points above, by honest scores; NaN of a single one.
    evidence
        Logarithm of how well all candidates together explain the labels; to be compared with
        that of other links between the same points.
    n_labeled
        Number of labeled points.
    """

    cuts: np.ndarray
    shares: np.ndarray
    odds: np.ndarray
    links_cut: np.ndarray
    recalls: np.ndarray
    evidence: float
    n_labeled: int

    @property
    def best(self) -> int:
        """Number of the likeliest cut."""
        return int(self.odds.argmax())

    def expected_agreement(self, share: float) -> np.ndarray:
        """How many of the points each candidate gives to the class that another cut does.

        Parameters
        ----------
        share
            Share of the unlabeled points above the other cut.

        Returns
        -------
        array of shape (candidates,)
        """
        return 1 - np.abs(self.shares - share)

    @property
    def expected_overlap(self) -> np.ndarray:
        """Share of the points that lie on the wrong side of each candidate, by the labeled ones.

        As many others are taken to lie inside as positives lie outside.
        """
        outside = np.nan_to_num((1 - self.recalls) * self.n_labeled)
        return np.minimum(2 * self.shares * outside / (self.n_labeled + INSIDE), 1.0)


def graph_cuts(
    graph: NeighborGraph, scores: np.ndarray, labeled: np.ndarray, honest: np.ndarray
) -> GraphCuts:
    """Find the cuts that few links cross, and say how likely each is meant by the labels.

    Parameters
    ----------
    graph
        The points.
    scores
        One per point.
    labeled
        Which points are labeled.
    honest
        Scores of the same points, of labeled ones without their own label.

    Returns
    -------
    GraphCuts

    Examples
    --------
    >>> points = np.concatenate([np.arange(30.0), np.arange(100.0, 170.0)])[:, None]
    >>> labeled, graph = np.arange(100) < 5, NeighborGraph.of(points, 3)
    >>> spread = graph.spread(labeled, 0.99)
    >>> cuts = graph_cuts(graph, spread.scores, labeled, spread.honest)
    >>> float(cuts.shares[cuts.best].round(2))
    0.26
    """
    order = np.argsort(-scores, kind="stable")
    crossed = _normalized_cuts(graph, order)
    sizes = _local_minima(crossed)
    ranked = scores[order]
    cuts = (ranked[sizes - 1] + ranked[sizes]) / 2
    unlabeled = np.cumsum(~labeled[order])[sizes - 1]
    shares = unlabeled / max(int((~labeled).sum()), 1)
    known = honest[labeled]
    if len(known) == 1:
        inside, recalls = np.ones(len(cuts)), np.full(len(cuts), np.nan)
    else:
        inside = (known > cuts[:, None]).sum(axis=1)
        recalls = inside / len(known)
    odds = log_odds(sizes / len(order), crossed[sizes], inside, len(known))
    if len(known) > 1:
        odds += _near_mixture(sizes / len(order), known, scores[~labeled])
    evidence = float(logsumexp(odds))
    return GraphCuts(cuts, shares, softmax(odds), crossed[sizes], recalls, evidence, len(known))


def _near_mixture(shares: np.ndarray, known: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Tell how likely each share is if scores are a mixture of two normals; logarithms."""
    rng = np.random.RandomState(0)
    others = others[every_nth(len(others), MOST_SCORES)].astype(float)
    ends = np.quantile(others, [EXTREME, 1 - EXTREME])
    others, known = np.clip(others, *ends), np.clip(known, *ends)
    blur = BLUR * others.std()
    draws = [
        rng.choice(known, len(known)) + rng.normal(0, blur, len(known)) for _ in range(N_RESAMPLES)
    ]
    found = [mixture_share(drawn, others) for drawn in [known, *draws]]
    centers = logit(np.clip(found, SMALLEST, 1 - SMALLEST))
    away = logit(np.clip(shares, SMALLEST, 1 - SMALLEST)) - centers.mean()
    likelihood: np.ndarray = -0.5 * away**2 / (centers.var() + UNSURE**2)
    return likelihood


def log_odds(shares: Any, links_cut: Any, n_inside: Any, n_labeled: int) -> Any:
    """Tell how likely a set of points is the one that the labels were drawn from.

    Parameters
    ----------
    shares
        Share of all points in the set.
    links_cut
        Its normalized cut.
    n_inside
        Labeled points in it, by scores that do not know their label.
    n_labeled
        All labeled points.

    Returns
    -------
    float or array
        Logarithms, up to a constant: sets of the same points can be compared.

    Examples
    --------
    >>> bool(log_odds(0.3, 0.05, 9, 10) > log_odds(0.4, 0.05, 9, 10))
    True
    """
    q, n_outside = np.clip(shares, SMALLEST, 1 - SMALLEST), n_labeled - n_inside
    chance = betaln(1 + n_outside, INSIDE + n_inside) - betaln(1, INSIDE)
    likelihood = chance - n_inside * np.log(q) - n_outside * np.log(1 - q)
    return likelihood + np.log(q * (1 - q)) - np.log(np.maximum(links_cut, TINY_CUT))


def normalized_cut(graph: NeighborGraph, inside: np.ndarray) -> float:
    """Weigh the links that leave a set against all links of its points and of the others.

    Parameters
    ----------
    graph
        The points.
    inside
        Which points are in the set.

    Returns
    -------
    float
        Two at most; infinite if the set is empty or everything.

    Examples
    --------
    >>> graph = NeighborGraph.of(np.array([0.0, 1, 2, 10, 11, 12])[:, None], 2)
    >>> normalized_cut(graph, np.arange(6) < 3)
    0.0
    """
    if inside.all() or not inside.any():
        return float("inf")
    crossed = (graph.links @ inside.astype(float))[~inside].sum()
    degrees = graph.degrees
    return float(crossed / degrees[inside].sum() + crossed / degrees[~inside].sum())


def _normalized_cuts(graph: NeighborGraph, order: np.ndarray) -> np.ndarray:
    """Compute the normalized cut of the first m points, for every m."""
    n_points = len(order)
    position = np.empty(n_points, dtype=np.int64)
    position[order] = np.arange(n_points)
    links = graph.links.tocoo()
    ends = np.sort(position[np.stack(links.coords)], axis=0)
    # A link, listed from both ends, is cut while only its first end is in the set.
    weights = np.r_[links.data, -links.data] / 2
    changes = np.bincount(1 + ends.ravel(), weights, minlength=n_points + 1)
    crossed = np.cumsum(changes)[: n_points + 1]
    inside = np.append(0.0, np.cumsum(graph.degrees[order]))
    sides = np.maximum(inside, TINY_CUT), np.maximum(inside[-1] - inside, TINY_CUT)
    return crossed / sides[0] + crossed / sides[1]


def _local_minima(values: np.ndarray) -> np.ndarray:
    """Sizes of sets with the smallest value of all that are near; at least one."""
    n_points = len(values) - 1
    least = max(1, round(SMALLEST * n_points))
    sizes = np.arange(least, n_points - least + 1)
    bins = np.floor(logit(sizes / n_points) * (PER_NEAR / NEAR)).astype(int)
    by_value = np.lexsort((values[sizes], bins))
    _, first = np.unique(bins[by_value], return_index=True)
    sizes, bins = sizes[by_value[first]], bins[by_value[first]]  # the best of every bin
    lowest = np.full(bins[-1] - bins[0] + 1, np.inf)
    lowest[bins - bins[0]] = values[sizes]
    lowest = minimum_filter1d(lowest, 2 * PER_NEAR + 1, mode="constant", cval=-np.inf)
    found = values[sizes] <= lowest[bins - bins[0]]
    return sizes[found] if found.any() else sizes[values[sizes].argmin()][None]
