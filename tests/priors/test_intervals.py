"""Intervals cover the truth about as often as they say."""

import numpy as np
import pytest
from populations import draw_gaussians, draw_scores
from prior_estimators import SCENARIOS, make
from sklearn.utils import check_random_state

from pulps.priors import bbe, dedpul
from pulps.priors.intervals import bootstrap_spread, parts_spread

METHODS = {"bbe": bbe, "dedpul": dedpul}


@pytest.mark.parametrize(("name", "least"), [("bbe", 14), ("dedpul", 16)])
def test_the_interval_of_scores_covers_roughly(name, least):
    covered = 0
    for seed in range(20):
        labeled, unlabeled, _ = draw_scores(0.4, 4.0, n_labeled=100, n_unlabeled=400, seed=seed)
        more = {"n_resamples": 30, "random_state": 0} if name == "dedpul" else {}
        found = METHODS[name](labeled, unlabeled, **more)
        low, high = found.interval
        assert low <= found.prior_of_unlabeled <= high
        assert high - low < 0.35
        covered += low <= 0.4 <= high
    assert covered >= least


def test_parts_and_resamples_know_the_error_of_a_mean():
    rng = np.random.default_rng(0)
    values = rng.normal(0, 2, 1000)
    labeled = np.arange(1000) < 300
    for max_rows in (10_000, 200):
        spread = parts_spread(
            lambda rows: values[rows].mean(),
            labeled,
            n_parts=400,
            max_rows=max_rows,
            rng=check_random_state(0),
        )
        assert spread == pytest.approx(2 / np.sqrt(1000), rel=0.15)
    spread = bootstrap_spread(
        lambda a, b: a.mean() - b.mean(),
        values[:400],
        values[400:],
        n_resamples=400,
        rng=check_random_state(0),
    )
    assert spread == pytest.approx(2 * np.sqrt(1 / 400 + 1 / 600), rel=0.15)


@pytest.mark.parametrize("name", ["km2", "tice"])
def test_intervals_from_parts_cover_roughly(name):
    covered = 0
    for seed in range(20):
        X, y, _ = draw_gaussians(0.4, SCENARIOS[1], distance=6, n_rows=160, seed=seed)
        model = make(name, scenario=SCENARIOS[1], n_parts=6).fit(X, y)
        covered += model.interval_[0] <= 0.4 <= model.interval_[1]
        assert model.interval_[1] - model.interval_[0] < 0.6
    assert covered >= 13
