"""The first guess of images: what a graph of neighbors says of them, and what the states say then.

Images are neighbors if their edges are alike (:mod:`pulps.images.edges`), or their pixels, or
features that the user computes. The labels spread along each graph of neighbors, and the images
are cut where few links are cut (:mod:`pulps.estimators.images.graph_cut`): so the share of
positives is found, not assumed. The graph in which this goes better is believed, edges rather than
pixels where it goes about as well in both: with one label it often does, and then edges are right
more often. The states learn from the sides of this graph, and in the end it is cut again, along
their order of the images.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from scipy.special import expit
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsRegressor

from pulps.decision.calibration import fit_slope_to
from pulps.decision.cuts import cut_leaving
from pulps.decision.decide import Decision, compare_members
from pulps.decision.learned_prior import common_scale
from pulps.decision.selection import select_members
from pulps.decision.threshold import ThresholdReport, estimated_scores
from pulps.estimators.images.graph_cut import GraphCuts, graph_cuts
from pulps.estimators.images.kinds import ROWS_AT_ONCE, likeliest_kind
from pulps.estimators.images.neighbor_graph import NeighborGraph
from pulps.io.lazy_rows import LazyRows
from pulps.labels import shares_of
from pulps.training.subsample import thin_out

MOST_LINKED = 60_000  # images that labels spread between
N_COMPONENTS = 50
SCALES = (5, 10)  # neighbors of an image; links between the nearest say where to cut
REACH = 0.999  # how far labels spread
CERTAIN = 0.9  # agreement of nine in ten likely cuts below which the labels are too few
TOLD = 0.05, 0.95


@dataclass(frozen=True)
class ImageGuess:
    """Sides of the training images before the states have learned anything.

    Parameters
    ----------
    graph
        Of the images that labels spread between.
    rows
        Which images these are.
    labeled
        Which of all images are labeled.
    hints
        How sure the guess is of each image, from -1, surely negative, to 1.
    cuts
        Where the scores may be cut.
    share
        Share of the unlabeled images that the guess calls positive.
    known
        Whether this share was given.
    """

    graph: NeighborGraph
    rows: np.ndarray
    labeled: np.ndarray
    hints: np.ndarray
    cuts: GraphCuts
    share: float
    known: bool


def guess_images(
    kinds: Sequence[LazyRows],
    labeled: np.ndarray,
    known_prior: float | None,
    generator: torch.Generator,
) -> ImageGuess:
    """Let the labels spread between images, and cut where few links are cut.

    Distances are those of the first principal components of one kind of numbers, that whose graph
    has the likelier cuts; another kind than the first must be twice as likely. Labels spread
    between 60,000 images at most; any other image hears the mean of what its nearest neighbors
    among these hear.

    Parameters
    ----------
    kinds
        Numbers that images are compared by, of one or more kinds; the first is trusted most.
    labeled
        Which images are labeled.
    known_prior
        Share of positives among the unlabeled images, where it is known.
    generator
        Chooses images, if there are very many.

    Returns
    -------
    ImageGuess
    """
    rows = thin_out(labeled, MOST_LINKED, generator)
    compared = [LinkedImages.of(values, rows) for values in kinds]
    groups = [one.group_of(labeled[rows]) for one in compared]
    chosen = likeliest_kind([one.cuts.evidence for one in groups])
    linked, group = compared[chosen], groups[chosen]
    told, share = group.hints(known_prior)
    hints = np.empty(len(labeled))
    if len(rows) < len(labeled):
        nearest = KNeighborsRegressor(min(SCALES[-1], len(rows))).fit(linked.points, told)
        for first in range(0, len(labeled), ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            hints[part] = nearest.predict(linked.components_of(linked.values[part]))
    hints[rows] = told
    known = known_prior is not None
    return ImageGuess(linked.graphs[0], rows, labeled, hints, group.cuts, share, known)


@dataclass(frozen=True)
class LinkedImages:
    """Images, compared by one kind of numbers, and their nearest neighbors at all scales.

    Parameters
    ----------
    values
        The numbers of all images.
    components
        Their principal components.
    points
        Components of the linked images, shape (images, components).
    graphs
        One per scale, the one with the fewest links first.
    """

    values: LazyRows
    components: PCA
    points: np.ndarray
    graphs: list[NeighborGraph]

    @classmethod
    def of(cls, values: LazyRows, rows: np.ndarray) -> LinkedImages:
        """Link some of the images.

        Parameters
        ----------
        values
            Numbers that images are compared by.
        rows
            Which images to link.

        Returns
        -------
        LinkedImages
        """
        read = values[rows].numpy()
        with np.errstate(invalid="ignore"):  # images without any edge have no variance to share
            components = PCA(min(N_COMPONENTS, *read.shape), random_state=0).fit(read)
        points = components.transform(read).astype(np.float32)
        return cls(values, components, points, NeighborGraph.at_scales(points, SCALES))

    def components_of(self, values: Any) -> np.ndarray:
        """Write numbers of other images as components.

        Parameters
        ----------
        values
            Shape (images, numbers).

        Returns
        -------
        array of shape (images, components)
        """
        return self.components.transform(np.asarray(values)).astype(np.float32)

    def group_of(self, labeled: np.ndarray) -> Group:
        """Let labels spread, and find where the images they mean may end.

        Parameters
        ----------
        labeled
            Which of the linked images are labeled.

        Returns
        -------
        Group
        """
        spreads = [graph.spread(labeled, REACH) for graph in self.graphs]
        scores = np.mean([spread.scores for spread in spreads], axis=0)
        honest = np.mean([spread.honest for spread in spreads], axis=0)
        return Group(labeled, scores, graph_cuts(self.graphs[0], scores, labeled, honest))


class Group(NamedTuple):
    """The images that some labels mean: what reached each image, and where the group may end."""

    labeled: np.ndarray
    scores: np.ndarray
    cuts: GraphCuts

    def hints(self, known_share: float | None = None) -> tuple[np.ndarray, float]:
        """Say how surely each image belongs to the group.

        Parameters
        ----------
        known_share
            Share of the unlabeled images that belong to it, where it is known.

        Returns
        -------
        hints, share
            From -1, surely not, to 1; and the share of the unlabeled images above zero.
        """
        unlabeled, share = ~self.labeled, known_share
        if share is None:
            share = float(self.cuts.shares[self.cuts.best])
        cut = cut_leaving(self.scores[unlabeled], share, np.ones(unlabeled.sum()))
        return hints_of(self.scores, cut), share


def hints_of(scores: np.ndarray, cut: float) -> np.ndarray:
    """Turn scores into hints from -1 to 1, positive above the cut, by rank on either side of it.

    Ranks are counted in units of the smaller side: where positives are rare, only about as many
    negatives as there are positives are doubtful, or these would be lost among them.

    Parameters
    ----------
    scores
        Larger for more positive.
    cut
        Where hints are zero.

    Returns
    -------
    array of the shape of scores
        From -1, surely negative, to 1, surely positive.

    Examples
    --------
    >>> hints_of(np.array([0.4, 0.1, 0.2, 0.3]), 0.15)
    array([ 1., -1.,  1.,  1.])
    >>> hints_of(np.array([0.4, 0.1, 0.2, 0.3]), 0.25)
    array([ 1. , -1. , -0.5,  0.5])
    """
    hints, above = np.empty(len(scores)), scores > cut
    unit = max(1, min(int(above.sum()), int((~above).sum())))
    for side, sign in ((above, 1), (~above, -1)):
        away = sign * scores[side]
        rank = np.empty(len(away))
        rank[np.argsort(away, kind="stable")] = np.arange(1, len(away) + 1)
        hints[side] = sign * np.minimum(rank / unit, 1.0)
    return hints


def follow_graph(
    log_ratios: np.ndarray,
    guess: ImageGuess,
    *,
    size: int | Literal["cluster"] | None,
    rule: str,
    hint_size: float,
    single_training_set: bool,
) -> Decision:
    """Keep members and cut the graph of neighbors once more, along their order of the images.

    Parameters
    ----------
    log_ratios
        Of the training images, shape (members, images).
    guess
        What the members were told.
    size
        How many members to keep, see :func:`pulps.decision.selection.select_members`.
    rule
        ``"balance"`` cuts where both norms are equal; any other where few links are cut, or at
        the prior that was given.
    hint_size
        How sure the guess is where it is surest, in log-odds.
    single_training_set
        Whether the labeled images are part of the population.

    Returns
    -------
    Decision
    """
    labeled, unlabeled = guess.labeled, ~guess.labeled
    choice = select_members(log_ratios > 0, labeled, size=size)
    scores, scales = common_scale(log_ratios[choice.chosen], labeled)
    mean = scores.mean(axis=0)
    threshold, reason = 0.0, "both norms are equal"
    if rule != "balance":
        share, reason = guess.share, "the given share of positives lies above"
        if not guess.known:
            share, reason = _share_again(guess, mean), "few links between neighbors are cut there"
        threshold = cut_leaving(mean[unlabeled], share, np.ones(unlabeled.sum()))
    above = mean > threshold
    agreed = float(np.mean((guess.hints > 0)[unlabeled] == above[unlabeled]))
    report = _report(guess, agreed, float(above[unlabeled].mean()), threshold, rule, reason)
    shares = shares_of(
        report.prior_of_unlabeled,
        n_labeled=labeled.sum(),
        n_unlabeled=unlabeled.sum(),
        scenario="single-training-set" if single_training_set else "case-control",
    )
    return Decision(
        members=choice.chosen,
        any_sound=bool(choice.sound.any() or np.ptp(mean) > 0),
        scales=scales,
        report=report,
        prior=float(shares.prior),
        slope=fit_slope_to(mean - threshold, expit(hint_size * guess.hints)),
        doubts=_doubts(guess, report.accuracy),
        **compare_members(scores > threshold),
    )


def _share_again(guess: ImageGuess, scores: np.ndarray) -> float:
    """Share of positives where the order by the states cuts few links, near the first cut."""
    shown = guess.labeled[guess.rows]
    cuts = graph_cuts(guess.graph, scores[guess.rows], shown, scores[guess.rows])
    return float(cuts.shares[np.abs(cuts.shares - guess.share).argmin()])


def _report(
    guess: ImageGuess, agreed: float, share: float, threshold: float, rule: str, reason: str
) -> ThresholdReport:
    """Tell what to expect: the share of images that a likely other cut would leave in place."""
    cuts, best = guess.cuts, guess.cuts.best
    alike = agreed * cuts.expected_agreement(cuts.shares[best]) * (1 - cuts.expected_overlap)
    worst, top = likely(alike, cuts.odds)
    interval, accuracy = likely(cuts.shares, cuts.odds), float(cuts.odds @ alike)
    if guess.known:
        interval, accuracy, worst = (guess.share, guess.share), agreed, agreed
    recall = float(cuts.recalls[best])
    told = estimated_scores(
        np.array([1.0 if np.isnan(recall) else recall]), np.array([share]), guess.share, 0, 1
    )
    return ThresholdReport(
        rule=rule,
        threshold=threshold,
        reason=reason,
        prior_of_unlabeled=guess.share,
        prior_interval=(min(interval[0], guess.share), max(interval[1], guess.share)),
        share=share,
        recall=recall,
        precision=float(told["precision"][0]),
        f1_pos=float(told["f1_pos"][0]),
        f1_neg=float(told["f1_neg"][0]),
        accuracy=accuracy,
        n_labeled=0 if np.isnan(recall) else int(guess.labeled.sum()),
        accuracy_interval=(min(worst, accuracy), max(top, accuracy)),
    )


def likely(values: np.ndarray, odds: np.ndarray) -> tuple[float, float]:
    """Range of values that holds nine parts in ten of their odds.

    Parameters
    ----------
    values
        One per candidate.
    odds
        They sum to one.

    Returns
    -------
    low, high

    Examples
    --------
    >>> likely(np.array([0.9, 0.5, 0.1]), np.array([0.04, 0.8, 0.16]))
    (0.1, 0.5)
    """
    order = np.argsort(values)
    places = np.searchsorted(odds[order].cumsum(), TOLD)
    low, high = values[order][np.minimum(places, len(order) - 1)]
    return float(low), float(high)


def _doubts(guess: ImageGuess, accuracy: float) -> list[str]:
    cuts, n_labeled = guess.cuts, int(guess.labeled.sum())
    worst, _ = likely(cuts.expected_agreement(cuts.shares[cuts.best]), cuts.odds)
    if guess.known or worst >= CERTAIN:
        return []
    likely_ones = (cuts.odds > TOLD[0]) | (np.arange(len(cuts.odds)) == cuts.best)
    shares = [f"{cuts.shares[i]:.0%}" for i in np.argsort(cuts.shares) if likely_ones[i]]
    others = "" if len(shares) > 1 else ", or one of many other shares that are less likely"
    return [
        f"{n_labeled} labeled image{'s are' if n_labeled > 1 else ' is'} not enough to tell which "
        f"images are meant: the positives may be {' or '.join(shares)} of the unlabeled images"
        f"{others}. The expected accuracy is {accuracy:.2f}. Label more images, or pass a prior."
    ]
