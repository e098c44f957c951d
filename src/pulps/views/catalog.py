"""The views there are: a name, how it is fitted, and whether it needs a prior first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from pulps.views.bagging import fit_bagging
from pulps.views.boosting import fit_boosting
from pulps.views.kernel import fit_kernel
from pulps.views.risk_network import fit_risk_network
from pulps.views.risk_trees import fit_risk_trees


@dataclass(frozen=True)
class View:
    """A way to look at a table.

    Parameters
    ----------
    name
        What it is called in reports and parameters.
    fit
        From rows, labels and a source of randomness to honest scores of these rows and a
        :class:`Scorer`.
    sentence
        What it does, for people.
    needs_prior
        Whether ``fit`` also takes ``prior_of_unlabeled``, which the other views then tell.
    voices
        As how many views it counts where labels do not tell which view is better.
    """

    name: str
    fit: Callable[..., tuple[np.ndarray, Any]]
    sentence: str
    needs_prior: bool = False
    voices: float = 1.0


VIEWS = {
    view.name: view
    for view in (
        View("kernel", partial(fit_kernel, sharpness=1.0), "logistic regression, wide kernel"),
        View(
            "narrow-kernel",
            partial(fit_kernel, sharpness=3.0),
            "logistic regression, narrow kernel",
        ),
        View(
            "relevant-kernel",
            partial(fit_kernel, sharpness=1.0, relevant=True),
            "logistic regression, wide kernel of the columns that matter",
        ),
        View("bagging", fit_bagging, "trees of labeled against a few unlabeled rows"),
        View("boosting", fit_boosting, "gradient boosting of labeled against unlabeled rows"),
        View("risk-trees", fit_risk_trees, "random trees that descend a PU risk", True),
        View("risk-network", fit_risk_network, "perceptrons that descend a PU risk", True, 4.0),
    )
}
DEFAULT_VIEWS = tuple(VIEWS)
