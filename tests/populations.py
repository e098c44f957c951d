"""Populations with known classes, to learn from PU labels."""

import numpy as np
import pandas as pd


def draw_classes(prior_of_unlabeled, scenario, *, n_rows=800, label_frequency=0.5, rng):
    """Draw PU labels and the truth, so that the share among unlabeled rows is as wanted.

    In a single training set positives of one sample are labeled at random; in case-control
    the labeled rows are a sample of their own.
    """
    if scenario == "single-training-set":
        odds = prior_of_unlabeled / (1 - label_frequency * (1 - prior_of_unlabeled))
        truth = rng.random(n_rows) < odds
        y = (truth & (rng.random(n_rows) < label_frequency)).astype(int)
        return y, truth
    n_labeled = n_rows // 4
    truth = np.r_[np.ones(n_labeled, bool), rng.random(n_rows - n_labeled) < prior_of_unlabeled]
    return np.repeat([1, 0], [n_labeled, n_rows - n_labeled]), truth


def draw_gaussians(prior_of_unlabeled, scenario, *, distance, seed=0, n_columns=2, **sizes):
    """Two normal clouds, some standard deviations apart: X, y, share among unlabeled."""
    rng = np.random.default_rng(seed)
    y, truth = draw_classes(prior_of_unlabeled, scenario, rng=rng, **sizes)
    X = rng.normal(size=(len(y), n_columns)) + distance / np.sqrt(n_columns) * truth[:, None]
    return X, y, truth[y == 0].mean()


def draw_table(prior_of_unlabeled, scenario, *, seed=0, missing=0.1, **sizes):
    """Six categorical columns and a number, with holes: X, y, share among unlabeled."""
    rng = np.random.default_rng(seed)
    y, truth = draw_classes(prior_of_unlabeled, scenario, rng=rng, **sizes)
    columns = {}
    for index in range(6):
        like = rng.random(len(y)) < 0.9
        word = np.where(like == truth, "often", rng.choice(["seldom", "never"], len(y)))
        columns[f"word{index}"] = pd.Series(word, dtype="category")
    columns["number"] = pd.Series(rng.normal(size=len(y)) + 3 * truth)
    X = pd.DataFrame(columns)
    return X.mask(rng.random(X.shape) < missing), y, truth[y == 0].mean()


def mixed_table(n_rows=90, seed=0):
    """Numbers, categories and missing cells; the first third of the rows is positive."""
    rng = np.random.default_rng(seed)
    positive = np.arange(n_rows) < n_rows // 3
    size = rng.normal(2.0 * positive)
    color = np.where(rng.random(n_rows) < 0.8, np.where(positive, "red", "blue"), "green")
    shape = np.where(rng.random(n_rows) < 0.8, positive, ~positive)
    table = pd.DataFrame({"size": size, "color": color, "round": shape})
    table.loc[rng.random(n_rows) < 0.1, "size"] = np.nan
    table.loc[rng.random(n_rows) < 0.1, "color"] = None
    return table, positive, np.where(positive & (np.arange(n_rows) % 2 == 0), "yes", "no")


def simulate(scenario, *, prior=0.4, frequency=0.5, n=200_000, shift=1.5):
    """Draw a population with known truth, scores and PU labels."""
    rng = np.random.default_rng(0)
    truth = rng.random(n) < prior
    score = rng.normal(shift * truth, 1)
    if scenario == "single-training-set":
        y = truth & (rng.random(n) < frequency)
        return y.astype(int), score, truth, score
    labeled = rng.normal(shift, 1, size=n // 2)
    y = np.r_[np.ones(len(labeled), int), np.zeros(n, int)]
    return y, np.r_[labeled, score], truth, score


def draw_scores(prior, distance, *, n_labeled=300, n_unlabeled=1200, seed=0):
    """Normal scores of labeled and unlabeled rows, and which of the latter are positive."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_unlabeled) < prior
    return (
        rng.normal(distance, 1, n_labeled),
        rng.normal(distance * truth, 1),
        truth,
    )
