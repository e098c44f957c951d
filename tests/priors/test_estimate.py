"""One call gives the number, and methods are known by name."""

import pytest
from populations import draw_gaussians
from prior_estimators import QUICK, SCENARIOS, make
from sklearn.svm import LinearSVC

from pulps import priors
from pulps.priors import BBE, DEDPUL, KernelMean, TIcE, estimate_prior


@pytest.mark.parametrize("name", priors.METHODS)
def test_one_call_gives_the_prior_of_the_class(name):
    X, y, _ = draw_gaussians(0.4, SCENARIOS[0], distance=3, n_rows=150)
    wanted = make(name).fit(X, y).prior_
    assert estimate_prior(X, y, name, random_state=0, **QUICK[name]) == wanted


def test_parameters_are_checked_and_methods_known():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [1, 1, 0, 0]
    with pytest.raises(ValueError, match="'scenario' parameter of BBE"):
        BBE(scenario="both").fit(X, y)
    with pytest.raises(ValueError, match="'classifier' parameter of DEDPUL"):
        DEDPUL(LinearSVC()).fit(X, y)
    with pytest.raises(ValueError, match="'delta' parameter of TIcE"):
        TIcE(delta=1.0).fit(X, y)
    with pytest.raises(ValueError, match="'threshold' parameter of KernelMean"):
        KernelMean("km3").fit(X, y)
    with pytest.raises(ValueError, match="method is 'guess'"):
        estimate_prior(X, y, "guess")
