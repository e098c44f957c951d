"""From log-norms of several states to probabilities of classes, and how common each class is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, ndtri

from pulps.decision.class_scale import ClassScale, centered
from pulps.decision.decide import compare_members

LEVEL = 0.9
STEADY = 1e-3  # how much offsets are held back, per row


def member_scales(log_norms: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean distance of the best class from the average one, of each member.

    Parameters
    ----------
    log_norms
        Of training rows, shape (classes, members, rows).
    weights
        Weight of each row.

    Returns
    -------
    array of shape (members,)
        Above zero.
    """
    best = centered(log_norms).max(axis=0)
    return np.maximum(np.average(best, axis=1, weights=weights), 1e-12)


def fit_class_scale(leads: np.ndarray, wanted: np.ndarray, weights: np.ndarray) -> ClassScale:
    """Find slope and offsets that come closest to given probabilities.

    Parameters
    ----------
    leads
        Mean leads of the members, shape (classes, rows).
    wanted
        Probabilities, shape (rows, classes).
    weights
        Weight of each row.

    Returns
    -------
    ClassScale
    """
    mass = weights / weights.sum()

    def cost(numbers: np.ndarray) -> tuple[float, np.ndarray]:
        slope, offsets = np.exp(numbers[0]), numbers[1:]
        logits = slope * leads.T + offsets
        logs = log_softmax(logits, axis=1)
        over = mass[:, None] * (np.exp(logs) * wanted.sum(axis=1, keepdims=True) - wanted)
        value = -(mass[:, None] * wanted * logs).sum() + STEADY * (offsets**2).sum() / 2
        slopes = slope * (over * leads.T).sum()
        return value, np.r_[slopes, over.sum(axis=0) + STEADY * offsets]

    found = minimize(
        cost,
        np.zeros(1 + len(leads)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-5, 5), *[(-20, 20)] * len(leads)],
    ).x
    return ClassScale(float(np.exp(found[0])), found[1:] - found[1:].mean())


def class_shares(probabilities: np.ndarray, known: np.ndarray, weights: np.ndarray) -> np.ndarray:
    r"""Share of every class in the population, with an interval that held-out labels justify.

    The mean probability over all rows is right only if the probabilities are. Labels that were
    held out tell by how much they are off on average, and this is taken away:
    :math:`\bar p_c + \overline{(1[y = c] - p_c)}`, the second mean over labeled rows
    (prediction-powered inference). The interval has the variance of both means. It is right if
    the labeled rows are a random sample of all rows.

    Parameters
    ----------
    probabilities
        Of all rows, of labeled ones by models that did not see their label; (rows, classes).
    known
        Class of each labeled row, -1 for others.
    weights
        Weight of each row.

    Returns
    -------
    array of shape (classes, 3)
        Share, and the ends of an interval of 90 %.
    """
    labeled = known >= 0
    n_classes = probabilities.shape[1]
    rest = ~labeled if (~labeled).any() else labeled
    truth = np.eye(n_classes)[known[labeled]]
    off = truth - probabilities[labeled]
    means, errors = [], []
    for values, mass in ((probabilities[rest], weights[rest]), (off, weights[labeled])):
        mean = np.average(values, axis=0, weights=mass)
        means.append(mean)
        spread = np.average((values - mean) ** 2, axis=0, weights=mass)
        errors.append(spread / mass.sum())
    # Few labels that happen to be right all the time do not make an interval of width zero.
    least = 0.5 / (weights[labeled].sum() + 2)
    half = ndtri((1 + LEVEL) / 2) * np.sqrt(sum(errors) + least**2 / 12)
    shares = np.clip(sum(means), 0, 1)
    total = shares.sum()
    shares = shares / total if total > 0 else np.full(n_classes, 1 / n_classes)
    return np.column_stack([shares, np.clip(shares - half, 0, 1), np.clip(shares + half, 0, 1)])


@dataclass(frozen=True)
class ClassDecision:
    """What log-norms of the training rows become.

    Parameters
    ----------
    member_scales
        Mean lead of the best class, of each member.
    scale
        From the mean leads to probabilities.
    shares
        Share of every class with an interval, shape (classes, 3).
    held_out
        Weight of the labeled rows of each class (down) that models which did not see the label
        gave to each class (across); zeros where nothing was held out.
    compared
        How members agree, see :func:`pulps.decision.decide.compare_members`.
    """

    member_scales: np.ndarray
    scale: ClassScale
    shares: np.ndarray
    held_out: np.ndarray
    compared: dict[str, Any]


def decide_classes(
    log_norms: np.ndarray,
    known: np.ndarray,
    weights: np.ndarray,
    honest: np.ndarray | None,
    asked: np.ndarray | None = None,
) -> ClassDecision:
    """Scale members, and let honest probabilities say how sure they are together.

    Parameters
    ----------
    log_norms
        Of training rows, shape (classes, members, rows).
    known
        Class of each labeled row, -1 for others.
    weights
        Weight of each row.
    honest
        Probabilities of all rows by a first guess, shape (rows, classes); None leaves only the
        labels, which the states have seen.
    asked
        Labeled rows whose honest probabilities are by models that did not see the label.

    Returns
    -------
    ClassDecision
    """
    n_classes, labeled = len(log_norms), known >= 0
    scales = member_scales(log_norms, weights)
    leads = centered(log_norms) / scales[:, None]
    mean = leads.mean(axis=1)
    held_out = np.zeros((n_classes, n_classes))
    if honest is None:
        truth = np.eye(n_classes)[known[labeled]]
        scale = fit_class_scale(mean[:, labeled], truth, weights[labeled])
        honest = scale.probabilities(mean)
        honest[labeled] = truth
    else:
        scale = fit_class_scale(mean, honest, weights)
        rows = labeled if asked is None else asked
        np.add.at(held_out, (known[rows], honest[rows].argmax(axis=1)), weights[rows])
    return ClassDecision(
        scales,
        scale,
        class_shares(honest, known, weights),
        held_out,
        compare_members(scale.votes(leads), weights),
    )
