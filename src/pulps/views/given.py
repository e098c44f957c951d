"""A view of somebody else: any classifier of scikit-learn, cross-fitted."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from pulps.io.randomness import new_seed
from pulps.views.catalog import View
from pulps.views.given_model import GivenModel, decision_of
from pulps.views.rows import Labels, Rows


def given_view(classifier: Any, name: str = "given", *, reads: str = "matrix") -> View:
    """Make a view of a classifier.

    It learns labeled against unlabeled rows from a matrix without holes: numbers standardized,
    categories one-hot (:class:`pulps.tables.matrix.MatrixForm`).

    Parameters
    ----------
    classifier
        An estimator with ``fit`` and ``decision_function`` or ``predict_proba``. It is cloned;
        its ``random_state`` is set if it has one and it is None, and it gets ``sample_weight``
        if it takes that and rows weigh differently.
    name
        What the view is called.
    reads
        ``"matrix"``, or ``"codes"`` for encoded cells, NaN where missing.

    Returns
    -------
    View
    """
    fit = partial(fit_given, classifier=classifier, reads=reads)
    return View(name, fit, type(classifier).__name__)


def fit_given(
    rows: Rows,
    labels: Labels,
    rng: np.random.RandomState,
    *,
    classifier: Any,
    reads: str = "matrix",
) -> tuple[np.ndarray, GivenModel]:
    """Cross-fit a classifier.

    Parameters
    ----------
    rows, labels
        Training rows, and what is known of them.
    rng
        Seeds classifiers that have no seed.
    classifier
        An estimator; it is cloned.
    reads
        What it sees of the rows.

    Returns
    -------
    honest, model
        Scores of the rows by models that did not see them, and the model for new rows.
    """
    honest, models = np.full(len(rows), np.nan), []
    cells = getattr(rows, reads)
    for fold in range(labels.n_folds):
        seen = labels.folds != fold
        model = clone(classifier)
        if "random_state" in model.get_params() and model.get_params()["random_state"] is None:
            model.set_params(random_state=new_seed(rng))
        options = {}
        weights = labels.weights[seen]
        if (weights != weights[0]).any() and has_fit_parameter(model, "sample_weight"):
            options["sample_weight"] = weights
        model.fit(cells[seen], labels.labeled[seen].astype(int), **options)
        honest[~seen] = decision_of(model, cells[~seen])
        models.append(model)
    alone = np.isnan(honest)
    if alone.any():  # the only row of its kind: every model saw it
        honest[alone] = GivenModel(models, reads).score(rows[alone])
    return honest, GivenModel(models, reads)
