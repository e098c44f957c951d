r"""From honest scores to an answer: the prior, the cut, what to expect of it, a probability.

Every training row has a score by models that did not see it, so labeled rows show how positives
among the unlabeled rows are scored. The share of positives among the unlabeled rows is the
three-way estimate (:mod:`pulps.priors.three_way`). ``"auto"`` cuts where best bin estimation
alone, which errs upwards, puts that share, a little moved to one half: a positive that is missed
costs more than a negative that is found. Where positives are rare it cuts where the F1 of
positives among the unlabeled rows is expected to be largest. If the scores leave a gap nearby,
the cut lies in it, and the share above it counts as an estimate of the share of positives. All
this is for few labels: the more there are, the nearer is the cut to where the F1 scores are
expected to be best (:mod:`pulps.decision.expected_cut`). The report says where the share called
positive differs from the share estimated. A prior that is given decides the cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit

from pulps.decision.calibration import fit_slope
from pulps.decision.cuts import cut_leaving
from pulps.decision.expected_cut import best_share_above, say_of_labels
from pulps.decision.held_out import HeldOut
from pulps.decision.threshold import ThresholdReport, choose_threshold, estimated_scores
from pulps.io.shares import percent
from pulps.labels import every_nth, shares_of
from pulps.priors.three_way import LOWER, three_way

MOST_SCORES = 20_000
MIDDLE = 0.1  # of the way from the share of all rows above the cut to one half
NEAR = 0.15  # how far the share above a gap may be from that above the cut
FOUND = 0.5  # share of the labeled rows that lie above a gap, at least
IN_GAP = 0.7  # weight of the share above a gap in the share of positives
RARE = 0.25  # below this share of positives among the unlabeled rows, the cut aims at F1
CLOSE = 0.1  # shares called positive and estimated that differ by more are told apart
MOST = 0.5  # of the say
CONVENTIONAL_SLOPE = 2.0
TOLD = ("precision", "recall", "f1_pos", "f1_neg", "accuracy")


@dataclass(frozen=True)
class HonestScores:
    """Honest scores of both kinds of rows, as many as any cut needs.

    Parameters
    ----------
    labeled, unlabeled
        Scores; of very many rows, some.
    n_labeled, n_unlabeled
        Rows they stand for.
    draws
        Share of positives among the unlabeled rows on resampled rows, in three ways.
    estimate, interval
        That share, and nine in ten of its resamples.
    """

    labeled: np.ndarray
    unlabeled: np.ndarray
    n_labeled: float
    n_unlabeled: float
    draws: np.ndarray
    estimate: float
    interval: tuple[float, float]

    @classmethod
    def of(
        cls,
        scores: np.ndarray,
        labeled: np.ndarray,
        weights: np.ndarray,
        random_state: int | np.random.RandomState | None = None,
    ) -> HonestScores:
        """Collect scores and estimate the share of positives among the unlabeled rows.

        Parameters
        ----------
        scores
            Honest scores of the training rows.
        labeled
            Which rows are labeled.
        weights
            Weight of each row: one that weighs two is two scores.
        random_state
            Seed of the resamples.

        Returns
        -------
        HonestScores
        """
        shown, others = (_copies(scores[kind], weights[kind]) for kind in (labeled, ~labeled))
        found = three_way(shown, others, random_state=random_state)
        return cls(
            shown,
            others,
            float(weights[labeled].sum()),
            float(weights[~labeled].sum()),
            found.diagnostics["draws"],
            found.prior_of_unlabeled,
            found.interval,
        )

    @property
    def best_bin(self) -> float:
        """Best bin estimate, averaged over resamples: it errs upwards."""
        return float(self.draws[:, 0].mean())

    @property
    def held_out(self) -> HeldOut:
        """The curves that follow."""
        weights = [
            np.full(len(group), n_rows / len(group))
            for group, n_rows in (
                (self.labeled, self.n_labeled),
                (self.unlabeled, self.n_unlabeled),
            )
        ]
        return HeldOut(self.labeled[None], self.unlabeled[None], weights[0][None], *weights)

    def best_f1(self, prior: float) -> tuple[float, float]:
        """Find the cut with the largest F1 of positives that can be expected.

        Parameters
        ----------
        prior
            Share of positives among the unlabeled rows.

        Returns
        -------
        share, recall
            Of the unlabeled and of the labeled rows above it.
        """
        held_out, cuts = self.held_out, np.nextafter(np.unique(self.labeled), -np.inf)
        recalls, shares = held_out.recall(cuts), held_out.share(cuts)
        true_positives = np.minimum(prior * recalls, shares)
        best = np.argmax(true_positives / (shares + prior))
        return float(shares[best]), float(recalls[best])

    def at(
        self,
        *,
        value: float | None,
        share: float | None,
        precision: float | None,
        recall: float | None,
        prior: float,
        interval: tuple[float, float],
    ) -> ThresholdReport:
        """Cut elsewhere, and tell what to expect.

        Parameters
        ----------
        value
            The cut itself.
        share
            Share of the unlabeled rows above it.
        precision, recall
            What is expected at least. One of these four is given.
        prior, interval
            Share of positives among the unlabeled rows.

        Returns
        -------
        ThresholdReport
        """
        wanted = {"value": value, "share": share, "precision": precision, "recall": recall}
        named = {name: number for name, number in wanted.items() if number is not None}
        if len(named) != 1:
            raise ValueError(
                f"A cut is named in one way, by {', '.join(wanted)}; got "
                f"{', '.join(named) or 'none of them'}."
            )
        ((name, number),) = named.items()
        if name != "value" and not 0 <= number <= 1:
            raise ValueError(f"{name} is {number}; it lies between 0 and 1.")
        held_out = self.held_out
        if name == "value":
            cut, reason = number, "given"
        elif name == "share":
            cut = float(held_out.quantiles([1 - number])[0])
            reason = f"{percent(number)} of the unlabeled rows lie above"
        else:
            cut = self._cut_for(name, number, prior)
            reason = f"expected {name} of at least {number:.2f}"
        draws = self.draws.ravel()
        return report_at(held_out, cut, prior, interval, draws, rule=name, reason=reason)

    def _cut_for(self, name: str, number: float, prior: float) -> float:
        """Return the highest cut with enough recall, or the lowest with enough precision."""
        held_out = self.held_out
        cuts = np.unique(np.concatenate([self.labeled, self.unlabeled]))
        cuts = np.append(cuts[0] - 1.0, cuts[:-1])
        recalls = held_out.recall(cuts)
        if name == "recall":
            return float(cuts[recalls >= number][-1])
        scores = estimated_scores(recalls, held_out.share(cuts), prior, 0, self.n_unlabeled)
        enough = scores["precision"] >= number
        if not enough.any():
            raise ValueError(
                f"No cut is expected to have a precision of {number}; the largest is "
                f"{scores['precision'].max():.2f}. Ask for less, or for a share."
            )
        return float(cuts[enough][0])


def _copies(scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Repeat each score as often as it weighs; at least two scores, and not too many."""
    copies = np.diff(np.floor(np.cumsum(np.append(0.0, weights)) + 0.5)).astype(int)
    repeated = np.repeat(scores, copies)
    if len(repeated) < 2:
        return np.repeat(scores[:1], 2)
    return np.sort(repeated)[every_nth(len(repeated), MOST_SCORES)]


@dataclass(frozen=True)
class HonestDecision:
    """What honest scores say.

    Parameters
    ----------
    report
        Where to cut, and what to expect.
    prior
        Share of positives in the population.
    slope
        Steepness of the probability at the threshold.
    honest
        The scores, for another cut.
    """

    report: ThresholdReport
    prior: float
    slope: float
    honest: HonestScores


def decide_honestly(
    scores: np.ndarray,
    labeled: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    rule: str = "auto",
    known_prior: float | None = None,
    single_training_set: bool = True,
    gaps: np.ndarray | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> HonestDecision:
    """Estimate the prior, choose the cut, tell what to expect of it.

    Parameters
    ----------
    scores
        Honest scores of the training rows, shape (rows,).
    labeled
        Which rows are labeled.
    weights
        Weight of each row; None weighs all alike.
    rule
        ``"auto"``, ``"prior"``, ``"pu-f1"`` or ``"lee-liu"``, see :mod:`pulps.decision.threshold`.
    known_prior
        Share of positives among the unlabeled rows, if it is known.
    single_training_set
        Whether the labeled rows are part of the population.
    gaps
        Where the scores leave a gap: share of the labeled and of the unlabeled rows above it,
        and density there, as :func:`pulps.views.gaps.find_gaps` returns them.
    random_state
        Seed of the resamples.

    Returns
    -------
    HonestDecision
    """
    weights = np.ones(len(scores)) if weights is None else weights
    honest = HonestScores.of(scores, labeled, weights, random_state)
    held_out = honest.held_out
    prior = honest.estimate if known_prior is None else known_prior
    interval = honest.interval if known_prior is None else (prior, prior)
    population = np.ones(len(scores), bool) if single_training_set else ~labeled
    share, kept, middle = prior, 1.0, 0.0
    reason = "as many rows as are estimated to be positive lie above"
    if known_prior is not None:
        reason = "the given share of positives lies above"
    elif rule == "auto":
        common = min(1.0, prior / RARE) ** 2
        best_share, best_recall = honest.best_f1(prior)
        share = common * honest.best_bin + (1 - common) * best_share
        kept = common + (1 - common) * best_recall
        middle = MIDDLE * common
        reason = "where best bin estimation, an upper bound, puts the share of positives"
        if common < 0.5:
            reason = "near the largest F1 expected, because positives are rare"
    mass = weights[population]
    known = weights[population & labeled].sum()
    above = (kept * known + share * (mass.sum() - known)) / mass.sum()
    above = (1 - middle) * above + middle / 2
    if known_prior is None and gaps is not None:
        gap = _nearby(gaps, above, known / mass.sum())
        if gap is not None:
            above_gap, unlabeled_above = gap
            prior = (1 - IN_GAP) * prior + IN_GAP * unlabeled_above
            interval = min(interval[0], prior), max(interval[1], prior)
            if rule == "auto":
                above = above_gap
                reason = "in the gap that the scores leave between two groups of rows"
    if known_prior is None and rule == "auto":
        say = say_of_labels(honest.n_labeled)
        best = best_share_above(
            honest.labeled,
            honest.unlabeled,
            honest.n_labeled,
            honest.n_unlabeled,
            prior,
            single_training_set=single_training_set,
        )
        above = say * best + (1 - say) * above
        if say > MOST:
            reason = "where the F1 scores of both classes are expected to be best"
    if rule in ("auto", "prior"):
        if rule == "prior" and known_prior is None:
            above = (known + prior * (mass.sum() - known)) / mass.sum()
        threshold = cut_leaving(scores[population], above, mass)
    else:
        found = choose_threshold(
            held_out, rule, prior=prior, single_training_set=single_training_set
        )
        threshold, reason = found.threshold, found.reason
    report = report_at(
        held_out, threshold, prior, interval, honest.draws.ravel(), rule=rule, reason=reason
    )
    slope = CONVENTIONAL_SLOPE
    if 0 < prior < 1:
        slope = fit_slope(held_out, threshold, prior, single_training_set=single_training_set)
    shares = shares_of(
        prior,
        n_labeled=weights[labeled].sum(),
        n_unlabeled=weights[~labeled].sum(),
        scenario="single-training-set" if single_training_set else "case-control",
    )
    return HonestDecision(report, float(shares.prior), slope, honest)


def report_at(
    held_out: HeldOut,
    threshold: float,
    prior: float,
    interval: tuple[float, float],
    draws: np.ndarray,
    *,
    rule: str,
    reason: str,
) -> ThresholdReport:
    """Tell what to expect of a cut, among the unlabeled rows.

    Parameters
    ----------
    held_out
        Honest scores.
    threshold
        Where to cut.
    prior, interval
        Share of positives among the unlabeled rows.
    draws
        That share on resampled rows.
    rule, reason
        Why the cut is there.

    Returns
    -------
    ThresholdReport
    """
    at = np.array([threshold])
    recall, share = held_out.recall(at), held_out.share(at)
    n_labeled, n_unlabeled = held_out.n_labeled, held_out.n_unlabeled
    told = estimated_scores(recall, share, prior, 0, n_unlabeled) | {"recall": recall}
    rng = np.random.RandomState(0)
    priors = draws if interval[0] < interval[1] else np.full(len(draws), prior)
    recalls, shares = (
        rng.beta(n_rows * mean + 0.5, n_rows * (1 - mean) + 0.5, len(priors))
        for n_rows, mean in ((n_labeled, recall), (n_unlabeled, share))
    )
    drawn = estimated_scores(recalls, shares, priors, 0, n_unlabeled) | {"recall": recalls}
    at_least = estimated_scores(recall, share, interval[0], 0, n_unlabeled) | {"recall": recall}
    values: dict[str, Any] = {}
    for name in TOLD:
        low, high = np.quantile(drawn[name], [0.05, 0.95])
        if name != "recall" and interval[0] < interval[1]:
            low = expit(logit(np.clip(low, 1e-6, 1 - 1e-6)) - LOWER)
        values[name] = value = float(told[name][0])
        ends = low, high, value, float(at_least[name][0])
        values[f"{name}_interval"] = float(min(ends)), float(max(ends))
    if abs(share[0] - prior) > CLOSE:
        reason += (
            f"; {percent(share[0])} of the unlabeled rows are called positive where "
            f"{percent(prior)} are expected to be"
        )
    return ThresholdReport(
        rule=rule,
        threshold=float(threshold),
        reason=reason,
        prior_of_unlabeled=float(prior),
        prior_interval=(float(interval[0]), float(interval[1])),
        share=float(share[0]),
        n_labeled=round(n_labeled),
        **values,
    )


def _nearby(gaps: np.ndarray, above: float, share_labeled: float) -> tuple[float, float] | None:
    """Return shares of all and of the unlabeled rows above the deepest gap near the cut."""
    labeled, unlabeled, depth = gaps.T
    shares = share_labeled * labeled + (1 - share_labeled) * unlabeled
    near = (np.abs(shares - above) <= NEAR) & (labeled >= FOUND)
    if not near.any():
        return None
    deepest = np.where(near, depth, np.inf).argmin()
    return float(shares[deepest]), float(unlabeled[deepest])
