r"""How many rows are positive? Class priors from labeled positives and unlabeled rows.

Negatives are never seen, so the share of positives cannot be counted; and without an
assumption it cannot be estimated either, for negatives that look just like positives would
leave no trace. All methods here assume that labels were given at random among the positives
(SCAR) and that **somewhere there are only positives**. If there is no such place, they estimate
the largest share the data allow, which is too large.

================  ==============================================  =========================
class             idea                                            if classes overlap
================  ==============================================  =========================
`ElkanNoto`       mean score of held-out labeled rows             too large, soonest of all
`TIcE`            region of a tree where most rows are labeled    too large without a region
                                                                  of positives
`KernelMean`      subtract positives until no density is left     the same; on real tables
                                                                  often too small
`DEDPUL`          ratio of the densities of scores                the same
`BBE`             share of rows above the best cut of scores      the same
`ThreeWay`        mean of `BBE`, `DEDPUL` and a mixture of two    the same, less
                  normals, on resampled rows
================  ==============================================  =========================

Each is fitted by ``fit(X, y)`` and then has

* ``prior_of_unlabeled_``, the share of positives among unlabeled rows, :math:`\pi_U`,
* ``interval_``, a (low, high) pair for it,
* ``prior_``, the share in the population, :math:`\pi`, and ``label_frequency_``, *c*, which follow
  from it by the *scenario* (:func:`pulps.labels.shares_of`),
* ``diagnostics_``, a dict of what the method saw.

:class:`pulps.LPSPrior` has the same interface and asks the tensor network.

The functions `bbe`, `dedpul`, `elkan_noto` and `three_way` do the same for scores you already
have, of labeled and of unlabeled rows that a model has not seen.
"""

from pulps.labels import Shares, shares_of
from pulps.priors.bbe import BBE, bbe
from pulps.priors.dedpul import DEDPUL, dedpul
from pulps.priors.elkan_noto import ElkanNoto, elkan_noto
from pulps.priors.estimate import METHODS, estimate_prior, make_prior_estimator
from pulps.priors.estimator import Estimate, PriorEstimator
from pulps.priors.kernel_mean import KernelMean
from pulps.priors.label_share import label_share, prior_from_label_share
from pulps.priors.three_way import ThreeWay, three_way
from pulps.priors.tice import TIcE

__all__ = [
    "BBE",
    "DEDPUL",
    "METHODS",
    "ElkanNoto",
    "Estimate",
    "KernelMean",
    "PriorEstimator",
    "Shares",
    "TIcE",
    "ThreeWay",
    "bbe",
    "dedpul",
    "elkan_noto",
    "estimate_prior",
    "label_share",
    "make_prior_estimator",
    "prior_from_label_share",
    "shares_of",
    "three_way",
]
