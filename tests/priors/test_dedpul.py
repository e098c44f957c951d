"""DEDPUL: the answer is where EM hardly moves."""

import numpy as np
import pytest
from populations import draw_scores

from pulps.priors import bbe, dedpul

METHODS = {"bbe": bbe, "dedpul": dedpul}


def estimate(name, labeled, unlabeled):
    return METHODS[name](labeled, unlabeled, **({"n_resamples": 2} if name == "dedpul" else {}))


def test_em_keeps_the_answer_of_dedpul_within_its_tolerance():
    labeled, unlabeled, truth = draw_scores(0.4, 2.5)
    found = estimate("dedpul", labeled, unlabeled)
    posterior = found.diagnostics["posterior"]
    assert posterior.mean() == pytest.approx(found.prior_of_unlabeled, abs=0.05)
    assert found.diagnostics["em_fixed_point"] <= found.prior_of_unlabeled + 0.05
    assert np.mean((posterior > 0.5) == truth) > 0.8
    order = np.argsort(unlabeled)
    assert (np.diff(posterior[order]) >= 0).all()
