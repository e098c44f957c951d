"""Intervals from resampled rows: any metric, any estimator, and pairs of answers."""

import numpy as np
import pytest
from populations import simulate
from sklearn.linear_model import LogisticRegression

from pulps.metrics import (
    bootstrap_difference,
    bootstrap_interval,
    estimator_interval,
    make_pu_scorer,
    pu_recall_score,
)


@pytest.fixture(scope="module")
def rows():
    y, score, _, _ = simulate("single-training-set", n=300)
    return y, score


def test_the_interval_of_a_recall_is_that_of_a_share(rows):
    y, score = rows
    n = int(y.sum())
    found = bootstrap_interval("recall", y, score, threshold=1.0, n_resamples=1000, random_state=0)
    error = np.sqrt(found.value * (1 - found.value) / n)
    assert found.value == pu_recall_score(y, score, threshold=1.0)
    assert found.high - found.low == pytest.approx(2 * 1.645 * error, rel=0.2)


def test_a_name_and_its_function_are_the_same(rows):
    y, score = rows
    classes = (score > 1).astype(int)
    by_name, by_function = (
        bootstrap_interval(metric, np.where(y, 1, -1), classes, n_resamples=20, random_state=0)
        for metric in ("recall", pu_recall_score)
    )
    assert by_name == by_function


@pytest.mark.parametrize("metric", ["roc_auc", "f1", "specificity", "neg_risk"])
def test_any_estimator_has_the_score_of_its_scorer_in_an_interval(metric, rows):
    y, score = rows
    words = np.where(y, "yes", "no")
    model = LogisticRegression(class_weight="balanced").fit(score[:, None], words)
    options = {} if metric == "roc_auc" else {"prior": 0.4}
    found = estimator_interval(
        model, score[:, None], words, metric, n_resamples=50, random_state=0, **options
    )
    assert found.value == pytest.approx(
        make_pu_scorer(metric, **options)(model, score[:, None], words)
    )
    assert found.low <= found.value <= found.high


def test_weighted_rows_are_drawn_as_single_rows(rows):
    y, score = rows
    times = np.random.default_rng(0).integers(0, 6, len(y))
    many, known = np.repeat(np.arange(len(y)), times), {"n_resamples": 200, "random_state": 0}
    weighted = bootstrap_interval("roc_auc", y, score, sample_weight=times, **known)
    repeated = bootstrap_interval("roc_auc", y[many], score[many], **known)
    assert weighted.value == pytest.approx(repeated.value)
    assert weighted.high - weighted.low > repeated.high - repeated.low
    alike = bootstrap_interval("roc_auc", y, score, sample_weight=np.full(len(y), 3), **known)
    assert alike == pytest.approx(bootstrap_interval("roc_auc", y, score, **known))
    some = times > 2
    few = bootstrap_interval("roc_auc", y, score, sample_weight=some, **known)
    assert few == pytest.approx(bootstrap_interval("roc_auc", y[some], score[some], **known))
    model = LogisticRegression(class_weight="balanced").fit(score[:, None], y)
    of_model = estimator_interval(model, score[:, None], y, sample_weight=times, **known)
    assert of_model == pytest.approx(weighted)


def test_a_difference_of_weighted_rows_is_that_of_repeated_ones(rows):
    y, score = rows
    worse = score + np.random.RandomState(0).normal(size=len(y))
    times = np.random.default_rng(0).integers(0, 6, len(y))
    many = np.repeat(np.arange(len(y)), times)
    found = bootstrap_difference("aul", y, score, worse, sample_weight=times, n_resamples=9)
    repeated = bootstrap_difference("aul", y[many], score[many], worse[many], n_resamples=9)
    assert found.value == pytest.approx(repeated.value)


def test_a_function_that_knows_no_weights_needs_none(rows):
    y, score = rows
    found = bootstrap_interval(lambda labels, answers: answers.mean(), y, score, n_resamples=2)
    assert found.value == pytest.approx(score.mean())


def test_a_pair_is_told_apart_better_than_its_intervals(rows):
    y, score = rows
    noise = np.random.RandomState(0).normal(size=len(y))
    worse = score + 0.6 * noise
    same = {"n_resamples": 200, "random_state": 0}
    difference = bootstrap_difference("roc_auc", y, score, worse, **same)
    alone = bootstrap_interval("roc_auc", y, score, **same)
    assert difference.low <= difference.value <= difference.high
    assert difference.high - difference.low < alone.high - alone.low
    assert difference.chance > 0.5
    turned = bootstrap_difference("roc_auc", y, worse, score, **same)
    assert turned.chance == pytest.approx(1 - difference.chance)
    assert bootstrap_difference("roc_auc", y, score, score, **same).chance == 0.5


def test_what_is_no_metric_and_no_level_is_refused(rows):
    y, score = rows
    with pytest.raises(ValueError, match="a function or one of"):
        bootstrap_interval("auc", y, score)
    with pytest.raises(ValueError, match="between 0 and 1"):
        bootstrap_interval("roc_auc", y, score, level=95, n_resamples=2)
    with pytest.raises(ValueError, match="at least one"):
        bootstrap_interval("roc_auc", y, score, n_resamples=0)
