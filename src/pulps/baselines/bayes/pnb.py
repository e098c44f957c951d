"""PNB, positive naive Bayes: the attributes are independent in each class."""

from __future__ import annotations

import numpy as np

from pulps.baselines._shared.dependency_tree import ROOT
from pulps.baselines._shared.positive_bayes import PositiveBayes


class PositiveNaiveBayes(PositiveBayes):
    r"""Naive Bayes from labeled positives and unlabeled rows (PNB).

    The positives' probabilities are counted on the labeled rows. Those of the negatives are
    what the unlabeled rows leave when the expected positives are subtracted:
    :math:`q_0 \propto 1 + \max(0, N_U - p\,n_U\,q_1)`.

    Parameters
    ----------
    prior : float or "estimate", default="estimate"
        Share of positives in the population.
    scenario : {"single-training-set", "case-control"}, default="single-training-set"
        Whether the labeled rows were taken out of the unlabeled ones or come on top of them.
    smoothing : float, default=1.0
        Rows added to every count (Laplace).
    n_bins : int, default=5
        Largest number of bins of a numeric column.
    binning : {"quantile", "uniform"}, default="quantile"
        Bins of equal counts, or of equal width.
    categorical_features : "from_dtype", list or None, default="from_dtype"
        See :class:`~pulps.tables.encoding.TableEncoder`.
    pos_label : object, default=None
        The value of ``y`` that marks a labeled positive; by default the larger number.
    random_state : int, RandomState or None, default=None
        Draws the folds in which the prior is estimated.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The value of unlabeled (negative) rows, then that of positive rows.
    prior_, prior_of_unlabeled_ : float
        Share of positives in the population, and among the unlabeled rows.
    parents_ : array of int
        Parent of each attribute in its class's tree, −1 for none.
    positive_tables_, negative_tables_ : list of arrays
        Log-probabilities of the values of each attribute; the negative ones for each share
        that is averaged over.
    coder_ : TableCoder
        Values of each attribute.

    Notes
    -----
    Sources: Denis, Gilleron, Laurent and Tommasi (2003), "Text classification and co-training
    from positive and unlabeled examples"; Calvo, Larrañaga and Lozano (2007), "Learning
    Bayesian classifiers from positive and unlabeled examples". Left open there, chosen here:

    * The prior is expected from the user. ``"estimate"`` takes the best bin of out-of-fold
      naive Bayes scores, see :func:`pulps.baselines._shared.naive_bayes_prior.naive_bayes_prior`.
    * The subtraction needs the share among the unlabeled rows, the decision the prior of the
      population. The sources have one *p*; in a single training set these are two numbers.
    * The positive probabilities are smoothed like the negative ones; unsmoothed ones, as the
      sources seem to use, give zeros.
    * Missing values are left out of the counts and of the product.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"color": ["red"] * 6 + ["red", "blue", "blue", "blue"]})
    >>> y = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    >>> model = PositiveNaiveBayes(prior=0.6).fit(X, y)
    >>> model.predict(pd.DataFrame({"color": ["red", "blue", None]}))
    array([1, 0, 1])
    """

    def _edges(
        self, positive: np.ndarray, unlabeled: np.ndarray, n_values: np.ndarray
    ) -> np.ndarray:
        return np.full(len(n_values), ROOT)
