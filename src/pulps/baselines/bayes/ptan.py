"""PTAN, positive tree-augmented naive Bayes: each attribute may lean on one other."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from pulps.baselines._shared.dependency_tree import heaviest_tree
from pulps.baselines._shared.positive_bayes import PositiveBayes, negative_counts
from pulps.tables.dependence import block, mutual_information


class PositiveTAN(PositiveBayes):
    r"""Tree-augmented naive Bayes from labeled positives and unlabeled rows (PTAN).

    The attributes form a tree, the same in both classes: that of the largest mutual
    information given the class, :math:`\pi\,I_1 + (1 - \pi)\,I_0`. Probabilities of an
    attribute given its parent are counted on the labeled rows for the positives; for the
    negatives the expected positives are subtracted from the *joint* counts of both.

    Parameters
    ----------
    prior : float or "estimate", default="estimate"
        Share of positives in the population.
    scenario, smoothing, n_bins, binning, categorical_features, pos_label, random_state
        As in :class:`~pulps.baselines.PositiveNaiveBayes`, with the same attributes.

    Notes
    -----
    Sources: Calvo, Larrañaga and Lozano (2007); Friedman, Geiger and Goldszmidt (1997),
    "Bayesian network classifiers". Left open there, chosen here:

    * A public implementation subtracts :math:`p\,N_U(pa)\,P(x \mid pa, 1)`, which takes the
      global prior for that of the parent's value. We subtract from the joint counts.
    * The same implementation weighs the negative part of the information by differences that
      can be negative. We cut at zero first and take margins of the pair's own table, so that
      the information is never negative.
    * Tables of pairs are smoothed by as much in total as those of single attributes times the
      number of the parent's values, except that what is subtracted is smoothed more lightly,
      because it is multiplied by the number of unlabeled rows.
    * Missing values are left out of the counts and summed over exactly in predictions.
    * Prior and its estimate as in PNB.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"a": list("xxyyxxyyxy") * 5, "b": list("xxyyxxyyyx") * 5})
    >>> y = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0] * 5
    >>> PositiveTAN(prior=0.8).fit(X, y).predict(X[:10])
    array([1, 1, 1, 1, 1, 1, 1, 1, 0, 0])
    """

    def _edges(
        self, positive: np.ndarray, unlabeled: np.ndarray, n_values: np.ndarray
    ) -> np.ndarray:
        information = np.zeros((len(n_values), len(n_values)))
        for i, k in combinations(range(len(n_values)), 2):
            ours, theirs = (block(counts, n_values, i, k) for counts in (positive, unlabeled))
            negative = negative_counts(ours, theirs, self.prior_of_unlabeled_, self.smoothing)
            information[i, k] = information[k, i] = self.prior_ * self._information(ours) + (
                1 - self.prior_
            ) * self._information(negative)
        return heaviest_tree(information)

    def _information(self, counts: np.ndarray) -> float:
        smoothed = counts + self.smoothing
        return mutual_information(smoothed / smoothed.sum())
