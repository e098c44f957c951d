"""The search as an estimator."""

import numpy as np
import pandas as pd
import pytest
from fitters import points
from joblib import parallel_config
from searchers import PruneOdd, depth, small_search
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulps.tuning import (
    AgreementSearch,
)


def scores(search):
    """What must not depend on where and when a search ran."""
    names = [name for name in search.cv_results_ if name not in ("fit_seconds", "number")]
    return search.cv_results_[names]


def test_pruned_settings_end_after_a_fold_and_are_never_the_best():
    search = small_search(pruner=PruneOdd(), cv=3, n_trials=4).fit(*points())
    results = search.cv_results_
    assert results["state"].tolist() == ["COMPLETE", "PRUNED", "COMPLETE", "PRUNED"]
    assert results["split1_test_score"].isna().tolist() == [False, True, False, True]
    assert search.best_index_ in (0, 2)
    assert set(results["rank_test_score"][[0, 2]]) <= {1, 2}


def test_the_best_setting_is_refitted_on_all_rows():
    search = small_search(n_trials=3).fit(*points())
    X, y = points()
    assert search.best_params_ == search.cv_results_["params"][search.best_index_]
    assert search.best_estimator_.get_params()["max_depth"] == search.best_params_["max_depth"]
    assert search.best_estimator_.tree_.n_node_samples[0] == len(y)
    np.testing.assert_array_equal(search.predict(X), search.best_estimator_.predict(X))
    np.testing.assert_array_equal(search.predict_proba(X), search.best_estimator_.predict_proba(X))
    assert not hasattr(search, "decision_function")


def test_jobs_do_not_change_the_results():
    alone = small_search(trials_at_once=3).fit(*points())
    with parallel_config(backend="threading"):
        shared = small_search(trials_at_once=3, n_jobs=3).fit(*points())
    pd.testing.assert_frame_equal(scores(alone), scores(shared))


def fails_when_deep(trial):
    drawn = depth(trial)
    return drawn | {"min_samples_leaf": -1 if trial.number == 0 else 2}


def test_settings_that_fail_are_told_and_passed_over():
    search = small_search(n_trials=3).set_params(space=fails_when_deep)
    with pytest.warns(RuntimeWarning, match="1 of 3 trials failed"):
        search.fit(*points())
    assert search.cv_results_["state"].tolist() == ["FAIL", "COMPLETE", "COMPLETE"]
    hopeless = small_search(n_trials=2).set_params(space=lambda trial: {"min_samples_leaf": -1})
    with pytest.raises(ValueError, match=r"None of the 2 trials was completed.*min_samples_leaf"):
        hopeless.fit(*points())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"objective": "f2"}, "guarded"),
        ({"objective": "f1"}, "needs the share of positives"),
        ({"sampler": "best"}, "'tpe', 'random'"),
        ({"pruner": "hard"}, "'median'"),
        ({"timeout": 0}, "Raise the timeout"),
        ({"cv": 60}, "cannot be dealt into 60 folds"),
        ({"storage": "no/such/folder/study"}, "There is no folder"),
    ],
)
def test_what_cannot_be_searched_is_said(parameters, message):
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        small_search(**parameters).fit(*points())


def test_without_folds_all_rows_are_used():
    search = small_search(cv=None, n_trials=2).fit(*points())
    assert search.n_splits_ == 1
    assert search.cv_results_["mean_test_score"].notna().all()


def known_gaps(estimator):
    return {
        "check_classifiers_classes": "string labels need pos_label: which of two words marks a "
        "labeled positive cannot be guessed"
    }


@parametrize_with_checks(
    [
        AgreementSearch(GaussianNB(), {}, n_trials=1, cv=2, n_members=2, random_state=0),
        AgreementSearch(LogisticRegression(), {}, n_trials=1),  # takes sparse rows
    ],
    expected_failed_checks=known_gaps,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_a_search_tells_how_far_it_is(capsys):
    small_search(n_trials=2, cv=2, verbose=1).fit(*points())
    said = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in said] == ["fit 2 of 5", "fit 3 of 5", "fit 4 of 5"]
    small_search(n_trials=2, cv=2).fit(*points())
    assert capsys.readouterr().err == ""


def test_without_time_for_a_second_trial_the_first_is_the_best():
    search = small_search(n_trials=5, timeout=1e-9).fit(*points())
    assert len(search.cv_results_) == 1
    assert search.best_index_ == 0
