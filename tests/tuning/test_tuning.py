"""Searching without negatives: what is judged, what is kept, what survives."""

import multiprocessing
import signal
from functools import partial

import matplotlib as mpl
import numpy as np
import optuna
import pandas as pd
import pytest
from fitters import points
from joblib import parallel_config
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from searchers import depth, search_beside_another, search_until_killed, small_search
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulps import LPSClassifier
from pulps.cli import main
from pulps.decision.copies import collect_votes, fit_members, set_seeds
from pulps.decision.selection import agreement_matrix, most_agreeing_pair, sound_members
from pulps.io._sklearn import check_parameters
from pulps.metrics import make_pu_scorer
from pulps.tuning import (
    OBJECTIVES,
    AgreementSearch,
    SearchHistoryDisplay,
    SearchParameterDisplay,
    default_space,
    paper_space,
)
from pulps.tuning.objective import evaluate, value_of
from pulps.tuning.space import draw

mpl.use("agg")
SPAWN = multiprocessing.get_context("spawn")


def scores(search):
    """What must not depend on where and when a search ran."""
    names = [name for name in search.cv_results_ if name not in ("fit_seconds", "number")]
    return search.cv_results_[names]


def judge(estimator, parameters=None, *, prior=None, metrics=("lee_liu", "roc_auc"), seed=0):
    X, y = points(160)
    rows = np.arange(len(y))
    options = {"n_members": 3, "scenario": "single-training-set", "prior": prior, "seed": seed}
    train, test = rows[: len(y) // 2], rows[len(y) // 2 :]
    return evaluate(
        estimator, parameters or {}, X, y, y == 1, train, test, metrics=metrics, **options
    )


def test_constant_predictors_have_no_agreement():
    for constant in (0, 1):
        result = judge(DummyClassifier(strategy="constant", constant=constant))
        assert (result["agreement"], result["kappa"], result["n_sound"]) == (0, 0, 0)
        assert value_of("guarded", result) == 0
    assert judge(DecisionTreeClassifier(class_weight="balanced"))["agreement"] > 0.5


def test_the_pair_that_agrees_most_is_scored_on_the_held_out_rows():
    tree = DecisionTreeClassifier(max_features=1, max_depth=2, class_weight="balanced")
    result = judge(tree, {"min_samples_leaf": 3})
    X, y = points(160)
    models = fit_members(
        tree.set_params(min_samples_leaf=3), X[:80], y[:80], n_members=3, random_state=0
    )
    matrix = agreement_matrix(collect_votes(models, X))
    pair = most_agreeing_pair(matrix)
    assert result["n_sound"] == 3
    assert result["agreement"] == matrix[pair]
    scorer = make_pu_scorer("lee_liu")
    expected = np.mean([scorer(models[i], X[80:], y[80:]) for i in pair])
    assert result["lee_liu"] == pytest.approx(expected)


def test_members_of_our_own_are_stacked_in_one_fit():
    small = LPSClassifier(n_members=3, max_epochs=5, bond_dim=2, label_parts=None)
    result = judge(small, {"bond_dim": 3}, seed=4)
    X, y = points(160)
    model = small.set_params(bond_dim=3)
    set_seeds(model, 4)
    votes = collect_votes([model.fit(X[:80], y[:80])], X)
    sound = sound_members(votes, y == 1)
    assert result["n_sound"] == sound.sum() > 1
    matrix = agreement_matrix(votes[sound])
    assert result["agreement"] == matrix[most_agreeing_pair(matrix)]


def test_a_failure_is_a_result():
    assert "min_samples_leaf" in judge(DecisionTreeClassifier(), {"min_samples_leaf": -1})["error"]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_objective_can_be_searched(objective):
    search = small_search(objective=objective, prior=0.5, n_trials=2).fit(*points())
    column = search.cv_results_["mean_test_score"]
    if objective == "guarded":
        one = search.cv_results_.iloc[0]
        assert one["mean_test_score"] <= one["agreement"]
    else:
        np.testing.assert_allclose(column, search.cv_results_[objective])
    assert search.best_score_ == column.max()


def test_an_objective_of_your_own():
    search = small_search(objective=lambda fold: -fold["agreement"], n_trials=3).fit(*points())
    assert search.best_index_ == search.cv_results_["agreement"].argmin()


def values_of(space):
    """Draw from a space; return the distributions it asked for."""
    trial = optuna.create_study().ask()
    space(trial)
    return trial.distributions


def test_the_papers_space_has_the_papers_values():
    assert values_of(paper_space) == {
        "feature_dim": CategoricalDistribution([4, 12, 20]),
        "bond_dim": CategoricalDistribution([2, 6, 12, 20]),
        "max_epochs": CategoricalDistribution([10, 20, 50, 150, 210, 400]),
        "learning_rate": CategoricalDistribution([0.1, 0.01]),
    }


@pytest.mark.parametrize(
    ("epochs", "decay", "patience"),
    [
        (10, "constant", None),
        (20, "constant", None),
        (50, "constant", None),
        (150, "plateau", 50),
        (210, "plateau", 70),
        (400, "plateau", 100),
    ],
)
def test_in_the_papers_space_a_patience_belongs_to_the_epochs(epochs, decay, patience):
    fixed = {"max_epochs": epochs, "feature_dim": 12, "bond_dim": 20, "learning_rate": 0.01}
    drawn = paper_space(optuna.trial.FixedTrial(fixed))
    assert drawn.pop("patience") == (patience or 10)  # which a constant rate does not use
    assert drawn == fixed | {"decay": decay}


@pytest.mark.parametrize("space", [paper_space, default_space])
def test_all_values_of_a_space_are_parameters(space):
    for name, distribution in values_of(space).items():
        ends = getattr(distribution, "choices", None) or (distribution.low, distribution.high)
        for value in ends:
            check_parameters(LPSClassifier().set_params(**{name: value}))
    drawn = space(optuna.create_study().ask())
    check_parameters(LPSClassifier().set_params(**drawn))


def test_a_space_of_distributions():
    space = {
        "kind": CategoricalDistribution(["a", "b"]),
        "size": IntDistribution(2, 9),
        "rate": FloatDistribution(0.1, 0.3, log=True),
    }
    drawn = draw(space, optuna.create_study().ask())
    assert drawn["kind"] in ("a", "b")
    assert 2 <= drawn["size"] <= 9
    assert 0.1 <= drawn["rate"] <= 0.3
    with pytest.raises(ValueError, match="default, paper"):
        draw("wide", None)


class PruneOdd(optuna.pruners.BasePruner):
    def prune(self, study, trial):
        return trial.number % 2 == 1


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


def test_a_killed_search_goes_on_as_if_nothing_had_happened(tmp_path):
    """The first ten proposals are random, those after depend on the results before."""
    whole = small_search(n_trials=14).fit(*points())
    parameters = {"n_trials": 14, "storage": str(tmp_path / "study.journal")}
    process = SPAWN.Process(target=search_until_killed, args=(parameters, 25))
    process.start()
    process.join(timeout=300)
    assert process.exitcode == -signal.SIGKILL
    resumed = small_search(**parameters).fit(*points())
    pd.testing.assert_frame_equal(scores(whole), scores(resumed))
    assert whole.cv_results_["param_max_depth"][:10].nunique() > 2
    assert resumed.cv_results_["number"].iloc[-1] == 14  # one trial died
    again = small_search(**parameters).fit(*points())
    pd.testing.assert_frame_equal(again.cv_results_, resumed.cv_results_)


def test_processes_share_a_study(tmp_path):
    parameters = {"n_trials": 8, "storage": str(tmp_path / "study.journal")}
    barrier, log = SPAWN.Barrier(2), SPAWN.Queue()
    both = [
        SPAWN.Process(target=search_beside_another, args=(parameters, barrier, log))
        for _ in range(2)
    ]
    for process in both:
        process.start()
    fits = [log.get(timeout=300) for _ in both]
    for process in both:
        process.join(timeout=60)
    assert [process.exitcode for process in both] == [0, 0]
    assert min(fits) > 0
    assert sum(fits) == 8 * 2
    assert len(small_search(**parameters).fit(*points()).cv_results_) == 8


def test_a_study_may_live_in_a_database(tmp_path):
    whole = small_search(n_trials=2).fit(*points())
    url = f"sqlite:///{tmp_path / 'study.db'}"
    small_search(n_trials=1, storage=url).fit(*points())
    resumed = small_search(n_trials=2, storage=url).fit(*points())
    pd.testing.assert_frame_equal(scores(whole), scores(resumed))


def test_jobs_do_not_change_the_results():
    alone = small_search(trials_at_once=3).fit(*points())
    with parallel_config(backend="threading"):
        shared = small_search(trials_at_once=3, n_jobs=3).fit(*points())
    pd.testing.assert_frame_equal(scores(alone), scores(shared))


def test_the_study_of_another_search_is_refused(tmp_path):
    storage = tmp_path / "study.journal"
    X, y = points()
    small_search(storage=storage, n_trials=1).fit(X, y)
    for search, rows in (
        (small_search(storage=storage, objective="kappa"), X),
        (small_search(storage=storage), X + 1),
    ):
        with pytest.raises(ValueError, match="that of another search"):
            search.fit(rows, y)


def fails_when_deep(trial):
    drawn = depth(trial)
    return drawn | {"min_samples_leaf": -1 if trial.number == 0 else 2}


def test_settings_that_fail_are_told_and_passed_over():
    search = small_search(n_trials=3).set_params(space=fails_when_deep)
    with pytest.warns(RuntimeWarning, match="1 of 3 trials failed"):
        search.fit(*points())
    assert search.cv_results_["state"].tolist() == ["FAIL", "COMPLETE", "COMPLETE"]
    hopeless = small_search(n_trials=2).set_params(space=lambda trial: {"min_samples_leaf": -1})
    with pytest.raises(ValueError, match=r"None of 2 trials came to an end.*min_samples_leaf"):
        hopeless.fit(*points())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"objective": "f2"}, "guarded"),
        ({"objective": "f1"}, "needs the share of positives"),
        ({"sampler": "best"}, "'tpe', 'random'"),
        ({"pruner": "hard"}, "'median'"),
        ({"timeout": 0}, "Raise timeout"),
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


def test_pictures_of_a_search():
    search = small_search(pruner=PruneOdd(), n_trials=4).fit(*points())
    history = SearchHistoryDisplay.from_search(search)
    trials, pruned = history.ax_.collections
    assert (len(trials.get_offsets()), len(pruned.get_offsets())) == (2, 2)
    assert history.ax_.lines[0].get_ydata()[-1] == search.best_score_
    display = SearchParameterDisplay.from_search(search, "max_depth")
    shown = display.ax_.collections[0].get_offsets()[:, 0]
    assert shown.tolist() == search.cv_results_["param_max_depth"][[0, 2]].tolist()
    with pytest.raises(ValueError, match="max_depth, min_samples_leaf"):
        SearchParameterDisplay.from_search(search, "bond_dim")


def test_tuning_from_the_command_line(tmp_path, monkeypatch, capsys):
    small = partial(LPSClassifier, n_members=2, label_parts=None)
    monkeypatch.setattr("pulps.tuning.search.LPSClassifier", small)
    X, y = points(80)
    frame = pd.DataFrame(X, columns=list("abc")).assign(bought=y)
    frame.to_csv(tmp_path / "table.csv", index=False)
    arguments = [
        *("tune", str(tmp_path / "table.csv"), "--label", "bought", "--trials", "1"),
        *("--out", str(tmp_path / "model"), "--study", str(tmp_path / "study"), "--folds", "2"),
        *("--seed", "3"),
    ]
    assert main(arguments) == 0
    assert "1 settings tried" in capsys.readouterr().err
    assert LPSClassifier.load(tmp_path / "model").predict(frame[list("abc")]).shape == (80,)
    arguments[3] = "sold"
    assert main(arguments) == 2
    assert "has no column 'sold'" in capsys.readouterr().err


def known_gaps(estimator):
    return {
        "check_classifiers_classes": "string labels need pos_label: which of two words marks a "
        "labeled positive cannot be guessed"
    }


@parametrize_with_checks(
    [AgreementSearch(GaussianNB(), {}, n_trials=1, cv=2, n_members=2, random_state=0)],
    expected_failed_checks=known_gaps,
    xfail_strict=True,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
