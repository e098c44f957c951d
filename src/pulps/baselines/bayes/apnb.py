"""APNB, averaged positive naive Bayes: the prior is not a number but a Beta distribution."""

from __future__ import annotations

from pulps.baselines._shared.averaging import AveragedPrior
from pulps.baselines.bayes.pnb import PositiveNaiveBayes


class AveragedPositiveNaiveBayes(AveragedPrior, PositiveNaiveBayes):
    r"""Positive naive Bayes averaged over a Beta distribution of the prior (APNB).

    Parameters
    ----------
    prior : float, "estimate" or None, default="estimate"
        Share of positives in the population, from which the mean of the Beta distribution
        follows; None knows nothing and takes Beta(2, 2).
    concentration : float, default=30
        How many rows the knowledge of the prior is worth, α + β. With more, the model
        approaches :class:`PositiveNaiveBayes`. Raised where β would fall below 2.
    averaging : {"conditional", "joint"}, default="conditional"
        Average the negatives' probability tables, in closed form, or the joint probability of
        each row with the negative class, by quadrature.
    scenario, smoothing, n_bins, binning, categorical_features, pos_label, random_state
        As in :class:`PositiveNaiveBayes`, with the same attributes.

    Notes
    -----
    Source: Calvo, Larrañaga and Lozano (2007), where the prior of PNB is a Beta random
    variable. Left open there, chosen here: the level of averaging (both are offered, the
    closed form is the default), the parameters of the distribution, and that it describes
    the share among the *unlabeled* rows, to which the counts belong. With ``"conditional"``
    the subtraction uses :math:`\alpha / (\alpha + \beta - 1)` and the classes weigh by the
    mean, see :mod:`pulps.baselines._shared.averaging`.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"color": ["red"] * 7 + ["blue"] * 3})
    >>> y = [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    >>> AveragedPositiveNaiveBayes(prior=0.6).fit(X, y).predict(X)
    array([1, 1, 1, 1, 1, 1, 1, 0, 0, 0])
    """
