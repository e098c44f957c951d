"""The first guess of images: what a graph of neighbors says of them, and what the states say then.

Images are neighbors if their edges are alike (:mod:`pulps.images.edges`). The labels spread
along the graph of neighbors, and the images are cut where few links are cut
(:mod:`pulps.estimators.graph_cut`): so the share of positives is found, not assumed. The states
learn from these sides, and in the end the graph is cut again, along their order of the images.
"""

from __future__ import annotations

from dataclasses import dataclass

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
from pulps.estimators.graph_cut import GraphCuts, graph_cuts
from pulps.estimators.neighbor_graph import N_NEIGHBORS, NeighborGraph
from pulps.images.edges import edge_directions
from pulps.io.lazy_rows import LazyRows
from pulps.labels import shares_of
from pulps.training.subsample import thin_out

MOST_LINKED = 60_000  # images that labels spread between
N_COMPONENTS = 50
REACH = 0.999  # how far labels spread
ROWS_AT_ONCE = 2048
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
    images: torch.Tensor | LazyRows,
    labeled: np.ndarray,
    known_prior: float | None,
    generator: torch.Generator,
) -> ImageGuess:
    """Let the labels spread between images, and cut where few links are cut.

    Distances are those of the first principal components of their edges. Labels spread between
    60,000 images at most; any other hears the mean of what its nearest neighbors hear.

    Parameters
    ----------
    images
        As the chains see them.
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
    edges = LazyRows(images, edge_directions, at_once=ROWS_AT_ONCE)
    values = edges[rows].numpy()
    components = PCA(min(N_COMPONENTS, *values.shape), random_state=0)
    points = components.fit_transform(values).astype(np.float32)
    graph, shown = NeighborGraph.of(points), labeled[rows]
    spread = graph.spread(shown, REACH)
    cuts = graph_cuts(graph, spread.scores, shown, spread.honest)
    share = float(cuts.shares[cuts.best]) if known_prior is None else known_prior
    cut = cut_leaving(spread.scores[~shown], share, np.ones((~shown).sum()))
    hints = np.empty(len(labeled))
    told = hints_of(spread.scores, cut)
    if len(rows) < len(labeled):
        nearest = KNeighborsRegressor(min(N_NEIGHBORS, len(rows))).fit(points, told)
        for first in range(0, len(labeled), ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            others = components.transform(edges[part].numpy()).astype(np.float32)
            hints[part] = nearest.predict(others)
    hints[rows] = told
    return ImageGuess(graph, rows, labeled, hints, cuts, share, known_prior is not None)


def hints_of(scores: np.ndarray, cut: float) -> np.ndarray:
    """Turn scores into hints from -1 to 1, positive above the cut, by rank on either side of it.

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
    array([ 1.        , -1.        ,  0.33333333,  0.66666667])
    """
    hints = np.empty(len(scores))
    for side, sign in ((scores > cut, 1), (scores <= cut, -1)):
        away = sign * scores[side]
        rank = np.empty(len(away))
        rank[np.argsort(away, kind="stable")] = np.arange(1, len(away) + 1)
        hints[side] = sign * rank / max(len(away), 1)
    return hints


def follow_graph(
    log_ratios: np.ndarray,
    guess: ImageGuess,
    *,
    size,
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
        doubts=_doubts(guess, report),
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
    odds = np.eye(len(cuts.odds))[best] if guess.known else cuts.odds
    order = np.argsort(cuts.shares)
    low, high = (
        float(cuts.shares[order][np.searchsorted(odds[order].cumsum(), level - 1e-9)])
        for level in TOLD
    )
    if guess.known:
        low = high = guess.share
    alike = (1 - np.abs(cuts.shares - cuts.shares[best])) * agreed
    order = np.argsort(alike)
    worst = float(alike[order][np.searchsorted(odds[order].cumsum(), TOLD[0])])
    recall = float(cuts.recalls[best])
    told = estimated_scores(
        np.array([1.0 if np.isnan(recall) else recall]), np.array([share]), guess.share, 0, 1
    )
    return ThresholdReport(
        rule=rule,
        threshold=threshold,
        reason=reason,
        prior_of_unlabeled=guess.share,
        prior_interval=(min(low, guess.share), max(high, guess.share)),
        share=share,
        recall=recall,
        precision=float(told["precision"][0]),
        f1_pos=float(told["f1_pos"][0]),
        f1_neg=float(told["f1_neg"][0]),
        accuracy=float(odds @ alike),
        n_labeled=0 if np.isnan(recall) else int(guess.labeled.sum()),
        accuracy_interval=(worst, float(alike.max())),
    )


def _doubts(guess: ImageGuess, report: ThresholdReport) -> list[str]:
    if guess.known or report.accuracy_interval[0] >= CERTAIN:
        return []
    likely = [
        f"{share:.0%}"
        for share, odds in sorted(zip(guess.cuts.shares, guess.cuts.odds, strict=True))
        if odds > TOLD[0]
    ]
    n_labeled = int(guess.labeled.sum())
    return [
        f"{n_labeled} labeled image{'s are' if n_labeled > 1 else ' is'} not enough to tell which "
        f"images are meant: the positives may be {', '.join(likely)} of the unlabeled images. "
        f"Expected accuracy {report.accuracy:.2f}, perhaps {report.accuracy_interval[0]:.2f} only. "
        "Label more images, or pass a prior."
    ]
