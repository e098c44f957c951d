"""How a setting is judged."""

import numpy as np
import pytest
from fitters import points
from searchers import small_search
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from pulps import LPSClassifier
from pulps.decision.copies import collect_votes, fit_members, set_seeds
from pulps.decision.selection import agreement_matrix, most_agreeing_pair, sound_members
from pulps.metrics import make_pu_scorer
from pulps.tuning import (
    OBJECTIVES,
)
from pulps.tuning.objective import evaluate, value_of


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
    small = LPSClassifier.from_parameters(n_members=3, max_epochs=5, bond_dim=2, label_parts=None)
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
