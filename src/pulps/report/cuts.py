"""What to expect if more or fewer rows are called positive: one entry per cut.

Each entry says what ``with_threshold(value=…)`` would. A network without a first guess keeps no
honest scores: there the entries follow from the probabilities that it gives to the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

N_STEPS = 60  # on either scale
ROUND = [number * 10**power for power in range(1, 7) for number in (1, 2, 5)]


def cuts(model: Any, decision: np.ndarray) -> dict[str, Any]:
    """Tell what to expect of many cuts.

    Parameters
    ----------
    model
        A fitted classifier.
    decision
        Of the unlabeled rows.

    Returns
    -------
    dict
        ``steps``, one entry per cut in the order of the number of rows above it; ``own``, the
        position of the model's own cut; ``top``, positions of cuts with a round number of rows;
        ``honest``, whether rows that models did not see tell what to expect.
    """
    ordered = np.sort(decision)[::-1]
    wanted = _wanted(len(ordered), int((ordered > 0).sum()))
    places = {
        n: float(ordered[n]) if n < len(ordered) else float(ordered[-1]) - 1.0
        for n in wanted
        if n == len(ordered) or n == 0 or ordered[n] < ordered[n - 1]
    }
    called = int((ordered > 0).sum())
    places[called] = 0.0
    honest = getattr(model, "honest_", None) or getattr(model, "movable_cut_", None)
    expect = _honestly if honest else _by_probability
    steps = [
        {"rows": n, "decision": at, **expect(model, ordered, n, at)}
        for n, at in sorted(places.items())
        if n or n == called
    ]
    counts = [step["rows"] for step in steps]
    return {
        "steps": steps,
        "own": counts.index(called),
        "top": [counts.index(n) for n in sorted({*ROUND, called} & set(counts)) if n],
        "honest": honest is not None,
    }


def _wanted(n_rows: int, called: int) -> list[int]:
    """Numbers of rows, close together where they are few."""
    if not n_rows:
        return []
    spread = np.concatenate(
        [np.geomspace(1, n_rows, N_STEPS), np.linspace(1, n_rows, N_STEPS), ROUND, [called]]
    )
    return [n for n in np.unique(spread.round().astype(int)).tolist() if n <= n_rows]


def _honestly(model: Any, ordered: np.ndarray, n: int, at: float) -> dict[str, Any]:
    told = model.threshold_report_
    if at:
        told = model.with_threshold(value=told.threshold + at).threshold_report_
    return {
        "share": told.share,
        "lowest": float(model.probability_of(ordered[n - 1])) if n else None,
        **{
            name: getattr(told, name)
            for name in ("precision", "precision_interval", "recall", "recall_interval")
        },
    }


def _by_probability(model: Any, ordered: np.ndarray, n: int, at: float) -> dict[str, Any]:
    probability = model.probability_of(ordered)
    found, total = probability[:n].sum(), probability.sum()
    return {
        "share": n / len(ordered),
        "lowest": float(probability[n - 1]) if n else None,
        "precision": found / n if n else 0.0,
        "precision_interval": (None, None),
        "recall": found / total if total > 0 else 0.0,
        "recall_interval": (None, None),
    }
