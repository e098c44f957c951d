"""APTAN, averaged positive tree-augmented naive Bayes: PTAN with a Beta prior."""

from __future__ import annotations

from pulps.baselines._shared.averaging import AveragedPrior
from pulps.baselines.bayes.ptan import PositiveTAN


class AveragedPositiveTAN(AveragedPrior, PositiveTAN):
    r"""Positive tree-augmented naive Bayes averaged over the prior (APTAN).

    Parameters
    ----------
    prior, concentration, averaging
        As in :class:`~pulps.baselines.AveragedPositiveNaiveBayes`.
    scenario, smoothing, n_bins, binning, categorical_features, pos_label, random_state
        As in :class:`~pulps.baselines.PositiveNaiveBayes`, with the same attributes.

    Notes
    -----
    Source: Calvo, Larrañaga and Lozano (2007). The tree is learned once, at the mean of the
    distribution; all else that is open is done as in APNB and PTAN.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"a": list("xxyyxxyyxy") * 5, "b": list("xxyyxxyyyx") * 5})
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0] * 5
    >>> AveragedPositiveTAN(prior=0.8).fit(X, y).predict(X[:10])
    array([1, 1, 1, 1, 1, 1, 1, 1, 0, 0])
    """
