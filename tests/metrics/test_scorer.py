"""Scorers work in scikit-learn's searches and order models as the truth does."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)

from pulps import LPSClassifier
from pulps.metrics import (
    DegeneratePredictorWarning,
    PUStratifiedKFold,
    aul_score,
    lee_liu_score,
    make_pu_scorer,
    pu_f1_score,
    pu_risk,
    pu_scorer_names,
)


def points(n=240, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.5
    X = rng.normal(size=(n, 2)) + 2.5 * truth[:, None]
    return X, (truth & (rng.random(n) < 0.4)).astype(int), truth


METRICS = "lee_liu recall precision f1 accuracy roc_auc aul neg_risk neg_nn_risk".split()


@pytest.mark.parametrize("metric", METRICS)
def test_a_scorer_works_in_a_grid_search(metric):
    X, y, _ = points()
    scorer = make_pu_scorer(metric, prior=0.5)
    search = GridSearchCV(
        LogisticRegression(class_weight="balanced"),
        {"C": [0.1, 1.0]},
        scoring=scorer,
        cv=PUStratifiedKFold(3, random_state=0),
        error_score="raise",
    ).fit(X, y)
    _, test = next(PUStratifiedKFold(3, random_state=0).split(X, y))
    train = np.setdiff1d(np.arange(len(y)), test)
    model = LogisticRegression(class_weight="balanced", C=0.1).fit(X[train], y[train])
    assert search.cv_results_["split0_test_score"][0] == scorer(model, X[test], y[test])


@pytest.mark.parametrize("values", [(0, 1), (-1, 1), (False, True), (3, 5), ("a", "b")])
def test_a_scorer_reads_the_positive_value_from_the_estimator(values):
    X, y, _ = points()
    reference = make_pu_scorer("f1", prior=0.5)(
        LogisticRegression(class_weight="balanced").fit(X, y), X, y
    )
    other = np.array(values)[y]
    model = LogisticRegression(class_weight="balanced").fit(X, other)
    assert make_pu_scorer("f1", prior=0.5)(model, X, other) == pytest.approx(reference)


def test_a_scorer_orders_models_as_the_truth_does():
    X, y, truth = points(4000)
    rng = np.random.default_rng(2)
    scores = {metric: [] for metric in [*METRICS, "truth"]}
    for noise in (0.0, 1.0, 4.0):
        seen = X + noise * rng.normal(size=X.shape)
        model = LogisticRegression(class_weight="balanced").fit(seen, truth)
        scores["truth"].append(accuracy_score(truth, model.predict(seen)))
        for metric in METRICS:
            scores[metric].append(make_pu_scorer(metric, prior=0.5)(model, seen, y))
    for metric, values in scores.items():
        assert values == sorted(values, reverse=True), metric


def test_probabilities_become_margins():
    X, y, _ = points()
    forest = RandomForestClassifier(5, class_weight="balanced", random_state=0).fit(X, y)
    scorer = make_pu_scorer("neg_nn_risk", prior=0.5, warn=False)
    chance = forest.predict_proba(X)[:, 1].clip(1e-9, 1 - 1e-9)
    expected = pu_risk(y, np.log(chance / (1 - chance)), prior=0.5)
    assert scorer(forest, X, y) == pytest.approx(-expected, abs=1e-6)


def test_a_scorer_warns_of_a_constant_predictor():
    X, y, _ = points(40)
    model = DummyClassifier(strategy="constant", constant=0).fit(X, y)
    with pytest.warns(DegeneratePredictorWarning, match="called negative"):
        make_pu_scorer("lee_liu")(model, X, y)
    assert make_pu_scorer("lee_liu", warn=False)(model, X, y) == 0


def test_our_classifier_is_scored_in_a_cross_validation():
    X, y, _ = points(120)
    model = LPSClassifier.from_parameters(
        n_members=2, max_epochs=15, label_parts=None, random_state=0
    )
    scores = cross_val_score(
        model, X, y, scoring=make_pu_scorer("aul"), cv=PUStratifiedKFold(2, random_state=0)
    )
    assert (scores > 0.6).all()


def test_a_scorer_can_be_made():
    model = DummyClassifier(strategy="constant", constant=1).fit(np.zeros((2, 1)), [0, 1])
    scorer = make_scorer(lee_liu_score)
    assert scorer(model, np.zeros((4, 1)), [1, 0, 0, 0]) == 1


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        ("f2", {}, "lee_liu"),
        ("f1", {}, "needs the share of positives"),
        ("f1", {"prior": 1.5}, "between 0 and 1"),
        ("aul", {"scenario": "pu"}, "case-control"),
    ],
)
def test_a_scorer_that_cannot_work_is_not_made(metric, options, message):
    with pytest.raises(ValueError, match=message):
        make_pu_scorer(metric, **options)


@pytest.mark.parametrize("values", [(0, 1), (-1, 1), ("open", "yes")])
def test_a_threshold_is_tuned_to_the_best_score_of_pu_labels(values):
    X, y, _ = points()
    words = np.array(values)[y]
    scorer = make_pu_scorer("f1", prior=0.5, warn=False, pos_label=values[1])
    model = TunedThresholdClassifierCV(
        LogisticRegression(), scoring=scorer, cv="prefit", refit=False, thresholds=25
    )
    model.set_params(estimator=LogisticRegression().fit(X, words)).fit(X, words)
    chance = model.estimator_.predict_proba(X)[:, list(model.classes_).index(values[1])]
    cuts = np.linspace(chance.min(), chance.max(), 25)
    best = max(pu_f1_score(y, (chance >= cut).astype(int), prior=0.5) for cut in cuts)
    assert model.best_score_ == pytest.approx(best)
    assert scorer(model, X, words) == pytest.approx(best)


def test_a_ranking_knows_no_best_threshold():
    X, y, _ = points(60)
    model = TunedThresholdClassifierCV(LogisticRegression(), scoring=make_pu_scorer("aul"), cv=2)
    with pytest.raises(ValueError, match="the same for every threshold"):
        model.fit(X, y)


def test_a_search_that_halves_its_candidates_takes_a_scorer():
    X, y, _ = points(200)
    search = HalvingGridSearchCV(
        LogisticRegression(class_weight="balanced"),
        {"C": [0.01, 0.1, 1.0, 10.0]},
        scoring=make_pu_scorer("lee_liu", warn=False),
        cv=PUStratifiedKFold(2),
        min_resources=80,
        factor=2,
        error_score="raise",
        random_state=0,
    ).fit(X, y)
    assert search.n_iterations_ == 2
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_weights_are_routed_past_a_scorer_or_into_it():
    X, y, _ = points(100)
    weights = np.linspace(0.5, 2, 100)
    model = LogisticRegression(class_weight="balanced")
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(sample_weight=True)
        asked = {"params": {"sample_weight": weights}, "cv": 2, "error_score": "raise"}
        past = make_pu_scorer("aul").set_score_request(sample_weight=False)
        found = cross_validate(model, X, y, scoring=past, **asked)["test_score"]
        assert np.isfinite(found).all()
        into = make_pu_scorer("aul").set_score_request(sample_weight=True)
        weighted = cross_validate(model, X, y, scoring=into, return_indices=True, **asked)
        train, test = (weighted["indices"][part][0] for part in ("train", "test"))
        model.fit(X[train], y[train], sample_weight=weights[train])
        score = model.decision_function(X[test])
        expected = aul_score(y[test], score, sample_weight=weights[test])
        assert weighted["test_score"][0] == pytest.approx(expected)
        assert weighted["test_score"][0] != pytest.approx(aul_score(y[test], score))


@pytest.mark.parametrize("metric", pu_scorer_names())
def test_a_row_of_weight_two_is_two_rows_to_a_scorer(metric):
    X, y, _ = points(120)
    model = LogisticRegression(class_weight="balanced").fit(X, y)
    times = np.random.default_rng(1).integers(0, 4, 120)
    scorer = make_pu_scorer(metric, prior=0.3)
    twice = scorer(model, np.repeat(X, times, axis=0), np.repeat(y, times))
    assert scorer(model, X, y, sample_weight=times) == pytest.approx(twice, abs=1e-12)
    assert scorer(model, X, y) != pytest.approx(twice)


def test_a_scorer_warns_of_a_predictor_that_is_constant_where_rows_count():
    X, y = np.arange(8.0)[:, None], np.array([1, 1, 0, 0, 0, 0, 0, 0])
    model = LogisticRegression(C=1e6).fit(X, X[:, 0] < 4)
    scorer = make_pu_scorer("lee_liu")
    assert scorer(model, X, y) == pytest.approx(2)
    with pytest.warns(DegeneratePredictorWarning, match="all of 4 unlabeled rows"):
        scorer(model, X, y, sample_weight=[1, 1, 0, 0, 1, 1, 1, 1])


def test_a_threshold_is_tuned_to_weighted_rows():
    X, y, _ = points()
    weights = np.where(X[:, 0] > 1, 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_pu_scorer("f1", prior=0.5, warn=False).set_score_request(sample_weight=True)
        fitted = LogisticRegression().set_fit_request(sample_weight=False).fit(X, y)
        model = TunedThresholdClassifierCV(
            fitted, scoring=scorer, cv="prefit", refit=False, thresholds=25
        ).fit(X, y, sample_weight=weights)
    chance = fitted.predict_proba(X)[:, 1]
    cuts = np.linspace(chance.min(), chance.max(), 25)
    known = {"prior": 0.5, "sample_weight": weights}
    best = max(pu_f1_score(y, (chance >= cut).astype(int), **known) for cut in cuts)
    assert model.best_score_ == pytest.approx(best)


def test_a_scorer_knows_no_other_metadata():
    X, y, _ = points(60)
    model = LogisticRegression(class_weight="balanced").fit(X, y)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_pu_scorer("aul").set_score_request(groups=True)
        with pytest.raises(ValueError, match=r"set_score_request\(groups=False\)"):
            scorer(model, X, y, groups=y)


def test_several_scorers_work_at_once_and_travel():
    X, y, _ = points(100)
    scoring = {name: make_pu_scorer(name, prior=0.5) for name in pu_scorer_names()}
    scoring = pickle.loads(pickle.dumps(scoring))
    found = cross_validate(LogisticRegression(class_weight="balanced"), X, y, scoring=scoring)
    assert {f"test_{name}" for name in scoring} <= set(found)
    assert repr(scoring["f1"]).startswith("make_pu_scorer('f1', prior=0.5")
