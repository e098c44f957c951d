"""Is the model better than the first thing one would try? A logistic regression says."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from pulps.labels import labeled_to_keep
from pulps.tables.matrix import MatrixForm

N_FOLDS, FEWEST_LABELS, MOST_ROWS = 5, 10, 4000


def compare(
    model: Any, values: np.ndarray, labeled: np.ndarray, rng: np.random.RandomState
) -> dict[str, Any] | None:
    """Compare how many held-out labels a model and a plain method find in as many rows.

    The plain method tells labeled from unlabeled rows, each fold by the others.

    Parameters
    ----------
    model
        A fitted classifier.
    values, labeled
        Encoded rows, and which of them are labeled.
    rng
        Chooses rows where there are very many.

    Returns
    -------
    dict or None
        ``recall`` of both among held-out labels where each calls ``share`` of the unlabeled
        rows positive, and ``n_labels`` of them. None if these are not the rows of the fit, or
        labels are too few.
    """
    told = model.threshold_report_
    n_unlabeled = int((~labeled).sum())
    if min(labeled.sum(), n_unlabeled) < FEWEST_LABELS or told.n_labeled != labeled.sum():
        return None
    honest = getattr(model, "honest_", None)
    if honest is not None and round(honest.n_unlabeled) != n_unlabeled:
        return None
    rows = np.arange(len(values))
    if len(rows) > MOST_ROWS:
        n_known = labeled_to_keep(labeled, MOST_ROWS)
        rows = np.concatenate(
            [
                rng.choice(np.flatnonzero(kind), size, replace=False)
                for kind, size in ((labeled, n_known), (~labeled, MOST_ROWS - n_known))
            ]
        )
    known = labeled[rows]
    cells = values[rows]
    vary = [i for i, one in enumerate(cells.T) if len(np.unique(one[~np.isnan(one)])) > 1]
    if not vary:
        return None
    columns = [model.encoder_.columns_[i] for i in vary]
    form = MatrixForm.of(cells[:, vary], columns, np.ones(len(rows)))
    scores = cross_val_predict(
        LogisticRegression(class_weight="balanced", max_iter=500),
        form.write(cells[:, vary]),
        known,
        cv=StratifiedKFold(N_FOLDS, shuffle=True, random_state=0),
        method="decision_function",
    )
    cut = np.quantile(scores[~known], np.clip(1 - told.share, 0, 1))
    return {
        "share": told.share,
        "n_labels": told.n_labeled,
        "recall": told.recall,
        "plain_recall": float((scores[known] > cut).mean()),
    }
