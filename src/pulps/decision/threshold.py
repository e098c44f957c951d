r"""Where to cut: the decision threshold, from labeled and unlabeled rows alone.

The paper cuts where both norms are equal. Its balance term makes that a cut near the
middle of the unlabeled rows, whatever their true share of positives; the ranking is often
far better than the cut. With the honest recall *r(t)* of labeled rows above a cut
(:mod:`pulps.decision.held_out`), the share *u(t)* of unlabeled rows above it and the share of
positives :math:`\pi_U` among them, the whole confusion matrix is known up to noise, so any
score can be estimated for every cut:

================  ================================================================
``"balance"``     zero: the paper's rule
``"prior"``       as many unlabeled rows above the cut as there are positives
``"pu-f1"``       best estimated F1 of the positive class
``"lee-liu"``     best recall² / share predicted positive; needs no prior
``"auto"``        zero, unless another cut has a better estimated F1, averaged over
                  both classes, by more than two standard errors
================  ================================================================

``"auto"`` is careful with few labels. With fewer than forty it stays at zero; with fewer than
a hundred it stays within half the mean size of the log-ratios, because rows a member was
trained on lie closer to the two modes than new rows do, and a cut beside a mode that looks
safe on the former loses the latter.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from pulps.decision.held_out import HeldOut
from pulps.io.shares import percent

RULES = ("auto", "balance", "prior", "pu-f1", "lee-liu")
STANDARD_ERRORS = 2.0
TOO_FEW_LABELS, FEW_LABELS = 40, 100
NEAR = 0.5
UNKNOWN = (float("nan"), float("nan"))
WIDE = 0.5  # an interval of the prior that leaves only its upper end to be told
TOLD = {
    "recall": "recall",
    "precision": "precision",
    "f1_pos": "F1 of positives",
    "f1_neg": "F1 of negatives",
}


@dataclass(frozen=True)
class ThresholdReport:
    """What was done to find the threshold, and what to expect of it.

    Parameters
    ----------
    rule
        What was asked for.
    threshold
        Where the decision is cut, in units of the members' mean log-ratio.
    reason
        One sentence for people.
    prior_of_unlabeled, prior_interval
        Share of positives among the unlabeled rows; the interval holds nine in ten
        resamples of the labeled rows. A prior that was given has no width.
    share
        Unlabeled rows above the threshold, as a share.
    recall, precision, f1_pos, f1_neg, accuracy
        Estimates at the threshold, among the unlabeled rows. NaN without honest scores.
    n_labeled
        Labeled rows with an honest score.
    recall_interval, precision_interval, f1_pos_interval, f1_neg_interval, accuracy_interval
        Where nine in ten resamples of the rows fall; NaN where nothing was resampled.
    n_negative
        Known negatives on which the scores were counted; zero if they were estimated.
    """

    rule: str
    threshold: float
    reason: str
    prior_of_unlabeled: float
    prior_interval: tuple[float, float]
    share: float
    recall: float
    precision: float
    f1_pos: float
    f1_neg: float
    accuracy: float
    n_labeled: int
    recall_interval: tuple[float, float] = UNKNOWN
    precision_interval: tuple[float, float] = UNKNOWN
    f1_pos_interval: tuple[float, float] = UNKNOWN
    f1_neg_interval: tuple[float, float] = UNKNOWN
    accuracy_interval: tuple[float, float] = UNKNOWN
    n_negative: int = 0

    @property
    def upper_bound_only(self) -> bool:
        """Whether the data tell no more of the share of positives than its upper end."""
        low, high = self.prior_interval
        return high - low > WIDE

    @property
    def told_prior(self) -> str:
        """The share of positives among the unlabeled rows, in words."""
        low, high = self.prior_interval
        if self.upper_bound_only:
            return (
                f"at most {percent(high)}, perhaps {percent(self.prior_of_unlabeled)}; the data "
                "do not tell more"
            )
        between = f"between {percent(low)} and {percent(high)}"
        return f"{percent(self.prior_of_unlabeled)} ({between})"

    def __str__(self) -> str:
        """Say it in a few lines."""
        lines = [
            f"threshold {self.threshold:+.3f} ({self.rule}): {self.reason}",
            f"positives among unlabeled rows: {self.told_prior}",
        ]
        if self.n_labeled:
            told = ", ".join(
                f"{word} {getattr(self, name):.2f}{_between(getattr(self, name + '_interval'))}"
                for name, word in TOLD.items()
            )
            from_whom = f"from {self.n_labeled} labeled rows"
            if self.n_negative:
                told += f", accuracy {self.accuracy:.2f}{_between(self.accuracy_interval)}"
                from_whom = f"counted, {from_whom} and {self.n_negative} known negatives"
            lines.append(f"expected among unlabeled rows: {told}, {from_whom}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Show it as a small table in a notebook."""
        rows = [
            ("positives among unlabeled rows", self.told_prior),
            ("unlabeled rows called positive", f"{self.share:.1%}"),
        ]
        if self.n_labeled:
            rows += [
                (
                    f"expected {word}",
                    f"{getattr(self, name):.2f}{_between(getattr(self, name + '_interval'))}",
                )
                for name, word in TOLD.items()
            ]
        rows += [
            ("labels they come from", str(self.n_labeled)),
            ("cut", f"{self.threshold:+.3f} ({self.rule}): {self.reason}"),
        ]
        cells = "".join(
            f'<tr><th scope="row" style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:left">{escape(value)}</td></tr>'
            for name, value in rows
        )
        return f"<table><tbody>{cells}</tbody></table>"


def _between(interval: tuple[float, float]) -> str:
    low, high = interval
    return f" ({low:.2f} to {high:.2f})" if low <= high else ""


def estimated_scores(
    recall: np.ndarray,
    share: np.ndarray,
    prior: float | np.ndarray,
    n_labeled: float,
    n_unlabeled: float,
) -> dict[str, np.ndarray]:
    r"""Precision, both F1 scores and accuracy a cut is expected to have.

    Positives among unlabeled rows are found at the rate the labeled ones are, so
    :math:`\pi_U r` of the unlabeled rows are true positives and :math:`u - \pi_U r` false
    ones (never fewer than none, never more than there are negatives).

    Parameters
    ----------
    recall, share
        Share of labeled and of unlabeled rows above the cut.
    prior
        Share of positives among the unlabeled rows.
    n_labeled
        Labeled rows that belong to the population: all of them in a single training set,
        none in case-control.
    n_unlabeled
        Unlabeled rows.

    Returns
    -------
    dict of arrays
        ``"precision"``, ``"f1_pos"``, ``"f1_neg"`` and ``"accuracy"``, of the shape of ``recall``.

    Examples
    --------
    >>> estimated_scores(np.array([1.0]), np.array([0.5]), 0.5, 0, 100)["f1_neg"]
    array([1.])
    """
    positives = prior * n_unlabeled + n_labeled
    true_positives = recall * positives
    false_negatives = positives - true_positives
    negatives = (1 - prior) * n_unlabeled
    false_positives = np.clip((share - prior * recall) * n_unlabeled, 0, negatives)
    true_negatives = negatives - false_positives
    wrong = false_positives + false_negatives
    return {
        "precision": _ratio(true_positives, true_positives + false_positives),
        "f1_pos": _ratio(2 * true_positives, 2 * true_positives + wrong),
        "f1_neg": _ratio(2 * true_negatives, 2 * true_negatives + wrong),
        "accuracy": 1 - wrong / (positives + negatives),
    }


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    return np.where(whole > 0, part / np.where(whole > 0, whole, 1), 0.0)


def choose_threshold(
    held_out: HeldOut,
    rule: str = "auto",
    *,
    prior: float | None = None,
    single_training_set: bool = True,
) -> ThresholdReport:
    """Find where to cut.

    Parameters
    ----------
    held_out
        Honest scores of labeled rows, scores of unlabeled rows.
    rule
        One of ``RULES``.
    prior
        Share of positives among the unlabeled rows, if known; estimated otherwise.
    single_training_set
        Whether the labeled rows are part of the population.

    Returns
    -------
    ThresholdReport
        Where the cut is, why, and what to expect of it.

    Examples
    --------
    >>> rng = np.random.RandomState(0)
    >>> unlabeled = np.concatenate([rng.normal(3, 1, 200), rng.normal(-1, 1, 800)])
    >>> held_out = HeldOut(rng.normal(3, 1, (1, 100)), unlabeled[None])
    >>> report = choose_threshold(held_out)
    >>> report.threshold > 0, abs(report.prior_of_unlabeled - 0.2) < 0.1
    (True, True)
    """
    if not held_out.n_labeled:
        return _without_labels(held_out, rule, prior)
    interval = (prior, prior) if prior is not None else (0.0, 1.0)
    if prior is None:
        prior, interval = held_out.prior()
    population = held_out.n_labeled if single_training_set else 0
    threshold, reason = _cut(held_out, rule, prior, population)
    at = np.array([threshold])
    recall, share = held_out.recall(at), held_out.share(at)
    scores = estimated_scores(recall, share, prior, 0, held_out.n_unlabeled)
    told: dict[str, Any] = {name: float(value[0]) for name, value in scores.items()}
    return ThresholdReport(
        rule=rule,
        threshold=threshold,
        reason=reason,
        prior_of_unlabeled=prior,
        prior_interval=interval,
        share=float(share[0]),
        recall=float(recall[0]),
        n_labeled=round(held_out.n_labeled),
        **told,
    )


def _without_labels(held_out: HeldOut, rule: str, prior: float | None) -> ThresholdReport:
    threshold, reason = 0.0, "no label was held out, so both norms decide"
    if rule == "prior" and prior is not None:
        threshold = _quantile_cut(held_out, prior)
        reason = "the given share of unlabeled rows lies above"
    unknown = float("nan")
    return ThresholdReport(
        rule=rule,
        threshold=threshold,
        reason=reason,
        prior_of_unlabeled=0.5 if prior is None else prior,
        prior_interval=(0.0, 1.0) if prior is None else (prior, prior),
        share=float(held_out.share(np.array([threshold]))[0]),
        recall=unknown,
        precision=unknown,
        f1_pos=unknown,
        f1_neg=unknown,
        accuracy=unknown,
        n_labeled=0,
    )


def _cut(held_out: HeldOut, rule: str, prior: float, population: float) -> tuple[float, str]:
    if rule == "balance":
        return 0.0, "both norms are equal"
    if rule == "prior":
        return _quantile_cut(held_out, prior), "the share of positives lies above"
    if rule == "auto" and held_out.n_labeled < TOO_FEW_LABELS:
        return 0.0, f"{held_out.n_labeled:g} held-out labels are too few to move the cut"
    cuts = held_out.cuts()
    share = held_out.share(cuts)
    if rule == "lee-liu":
        n_rows = held_out.n_unlabeled + population
        recall = held_out.recall(cuts)
        predicted = (share * held_out.n_unlabeled + recall * population) / n_rows
        best = _ratio(recall**2, predicted).argmax()
        return float(cuts[best]), "best recall² over the share predicted positive"
    resampled = held_out.resampled_recall(cuts)
    scores = estimated_scores(resampled, share, prior, population, held_out.n_unlabeled)
    if rule == "pu-f1":
        return float(cuts[scores["f1_pos"].mean(axis=0).argmax()]), "best estimated F1"
    both = (scores["f1_pos"] + scores["f1_neg"]) / 2
    gain = both - both[:, [np.searchsorted(cuts, 0.0)]]
    sure = gain.mean(axis=0) - STANDARD_ERRORS * gain.std(axis=0)
    if held_out.n_labeled < FEW_LABELS:
        sure[np.abs(cuts) > NEAR] = -np.inf
    best = sure.argmax()
    if sure[best] <= 0:
        return 0.0, "no cut is better than equal norms beyond the noise of the labels"
    there, at_zero = _told_apart(both[:, best].mean(), (both - gain)[:, 0].mean())
    return float(cuts[best]), (
        f"estimated macro-F1 {there} instead of {at_zero} where both norms are equal"
    )


def _told_apart(first: float, second: float) -> tuple[str, str]:
    """Write two different numbers with as many digits as it takes to see that they differ.

    >>> _told_apart(0.8234, 0.8199)
    ('0.823', '0.820')
    """
    digits = next((d for d in range(2, 9) if f"{first:.{d}f}" != f"{second:.{d}f}"), 9)
    return f"{first:.{digits}f}", f"{second:.{digits}f}"


def _quantile_cut(held_out: HeldOut, prior: float) -> float:
    return float(held_out.quantiles([1 - prior])[0])
