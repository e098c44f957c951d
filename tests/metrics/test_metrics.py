"""Scores from PU labels estimate the scores from the truth, in both scenarios."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    make_scorer,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import GridSearchCV, cross_val_score

from pulps import LPSClassifier
from pulps.metrics import (
    DegeneratePredictorWarning,
    PUStratifiedKFold,
    aul_score,
    constant_scores,
    lee_liu_score,
    make_pu_scorer,
    prior_of_unlabeled,
    pu_accuracy_score,
    pu_f1_score,
    pu_precision_score,
    pu_recall_score,
    pu_risk,
    pu_roc_auc_score,
    why_degenerate,
)

SCENARIOS = ["single-training-set", "case-control"]


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


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("cut", [-0.5, 0.75, 2.0])
def test_estimates_equal_the_truth_on_a_large_simulation(scenario, cut):
    y, score, truth, population = simulate(scenario)
    y_pred, predicted = (score > cut).astype(int), (population > cut).astype(int)
    known = {"prior": 0.4, "scenario": scenario}
    close = {"abs": 0.01}
    assert pu_recall_score(y, y_pred) == pytest.approx(recall_score(truth, predicted), **close)
    for estimate, score_of_truth in [
        (pu_precision_score, precision_score),
        (pu_f1_score, f1_score),
        (pu_accuracy_score, accuracy_score),
    ]:
        assert estimate(y, y_pred, **known) == pytest.approx(
            score_of_truth(truth, predicted), **close
        )
    product = precision_score(truth, predicted) * recall_score(truth, predicted)
    assert 0.4 * lee_liu_score(y, y_pred, scenario=scenario) == pytest.approx(product, **close)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_area_is_corrected_by_the_prior_of_the_unlabeled_rows(scenario):
    y, score, truth, population = simulate(scenario)
    true_area = roc_auc_score(truth, population)
    proxy = pu_roc_auc_score(y, score)
    assert proxy < true_area - 0.05
    corrected = pu_roc_auc_score(y, score, prior=0.4, scenario=scenario)
    assert corrected == pytest.approx(true_area, abs=0.01)


def test_the_prior_of_the_unlabeled_rows_depends_on_the_scenario():
    y, _, truth, _ = simulate("single-training-set")
    share = truth[y == 0].mean()
    assert prior_of_unlabeled(y, prior=0.4) == pytest.approx(share, abs=0.005)
    assert prior_of_unlabeled(y, prior=0.4, scenario="case-control") == 0.4


def test_the_accuracy_in_one_sample_is_exact_up_to_recall():
    """The formula with coefficient 2 − c, in counts."""
    y, score, _, _ = simulate("single-training-set", n=1000)
    y_pred = (score > 1).astype(int)
    labeled = y == 1
    prior, r, c = 0.4, y_pred[labeled].mean(), labeled.mean() / 0.4
    exact = prior * (2 - c) * r + (~labeled).mean() * (1 - y_pred[~labeled]).mean()
    assert pu_accuracy_score(y, y_pred, prior=0.4) == pytest.approx(exact - prior * (1 - c))


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=2, max_size=30).filter(
        lambda rows: 0 < sum(y for y, _ in rows) < len(rows)
    ),
    st.floats(0.05, 0.95),
    st.sampled_from(SCENARIOS),
)
def test_estimates_stay_in_their_interval(rows, prior, scenario):
    y, y_pred = np.array(rows).T
    for score in (pu_precision_score, pu_f1_score, pu_accuracy_score):
        assert 0 <= score(y, y_pred, prior=prior, scenario=scenario) <= 1
    assert lee_liu_score(y, y_pred, scenario=scenario) >= 0


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_constant_answers_have_their_known_values(scenario):
    y, _, _, _ = simulate(scenario, n=1000)
    ones, zeros = np.ones_like(y), np.zeros_like(y)
    known = {"prior": 0.4, "scenario": scenario}
    assert pu_precision_score(y, ones, **known) == pytest.approx(0.4)
    assert pu_f1_score(y, ones, **known) == pytest.approx(0.8 / 1.4)
    assert pu_accuracy_score(y, zeros, **known) == pytest.approx(0.6)
    assert lee_liu_score(y, ones, scenario=scenario) == 1
    assert lee_liu_score(y, zeros, scenario=scenario) == 0
    assert pu_precision_score(y, zeros, **known) == 0
    assert pu_roc_auc_score(y, ones, **known) == pytest.approx(0.5)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_area_under_the_lift_curve_needs_no_prior(scenario):
    y, score, truth, population = simulate(scenario)
    expected = 0.4 / 2 + 0.6 * roc_auc_score(truth, population)
    assert aul_score(y, score, scenario=scenario) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_area_under_the_lift_curve_is_the_count_of_all_pairs(scenario):
    rng = np.random.default_rng(1)
    y, score = rng.integers(0, 2, 40), rng.integers(0, 6, 40)
    others = score if scenario == "single-training-set" else score[y == 0]
    pairs = score[y == 1][:, None] - others
    expected = ((pairs > 0) + 0.5 * (pairs == 0)).mean()
    assert aul_score(y, score, scenario=scenario) == pytest.approx(expected)


LOSSES = {
    "zero-one": lambda margin: (margin < 0).astype(float),
    "sigmoid": lambda margin: expit(-margin),
    "logistic": lambda margin: np.log1p(np.exp(-margin)),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("non_negative", [False, True])
def test_the_risk_equals_the_mean_loss_of_the_truth(scenario, loss, non_negative):
    y, score, truth, population = simulate(scenario)
    margin = (population - 0.9) * np.where(truth, 1, -1)
    estimate = pu_risk(
        y, score - 0.9, prior=0.4, loss=loss, non_negative=non_negative, scenario=scenario
    )
    assert estimate == pytest.approx(LOSSES[loss](margin).mean(), abs=0.01)


def test_the_zero_one_risk_is_one_minus_the_accuracy():
    y, score, _, _ = simulate("single-training-set", n=500)
    accuracy = pu_accuracy_score(y, (score > 0.5).astype(int), prior=0.4)
    assert pu_risk(y, score - 0.5, prior=0.4, loss="zero-one") == pytest.approx(1 - accuracy)


def test_the_risk_of_negatives_is_cut_off_at_zero():
    y, score = np.array([1, 1, 0, 0]), np.array([3.0, 3.0, -3.0, -3.0])
    unbiased = pu_risk(y, score, prior=0.9, loss="zero-one", non_negative=False)
    assert unbiased == pytest.approx(0.5 - 0.9)
    assert pu_risk(y, score, prior=0.9, loss="zero-one") == 0


def test_degenerate_predictors_are_told():
    y = np.r_[np.ones(10, int), np.zeros(200, int)]
    none, everyone = np.zeros_like(y), np.ones_like(y)
    assert "all of 200 unlabeled rows are called negative" in why_degenerate(y, none)
    assert "called positive" in why_degenerate(y, everyone)
    one = none.copy()
    one[[0, 15]] = 1
    assert "99.5%" in why_degenerate(y, one)
    assert why_degenerate(y, one, min_share=0.004) is None
    turned = 1 - y
    turned[:50] = 0
    assert "fewer than" in why_degenerate(y, turned)
    assert why_degenerate(y, np.r_[np.ones(40, int), np.zeros(170, int)]) is None


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_scores_of_constant_answers_are_those_of_the_functions(scenario):
    y, _, _, _ = simulate(scenario, n=100)
    scores = constant_scores(y, prior=0.3, scenario=scenario)
    assert scores["all-positive"]["f1"] == pytest.approx(2 * 0.3 / 1.3)
    assert scores["all-positive"]["lee_liu"] == 1
    assert scores["all-negative"]["accuracy"] == pytest.approx(0.7)
    assert scores["all-negative"]["recall"] == 0


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
    X, y, _ = points(90)
    model = LPSClassifier(n_members=2, max_epochs=15, label_parts=None, random_state=0)
    scores = cross_val_score(
        model, X, y, scoring=make_pu_scorer("aul"), cv=PUStratifiedKFold(2, random_state=0)
    )
    assert (scores > 0.6).all()


@given(st.integers(2, 6), st.integers(6, 20), st.integers(6, 60), st.integers(0, 9))
def test_every_fold_has_its_share_of_labeled_rows(n_splits, n_labeled, n_unlabeled, seed):
    y = np.random.default_rng(seed).permutation(np.repeat([1, 0], [n_labeled, n_unlabeled]))
    tests = [test for _, test in PUStratifiedKFold(n_splits, random_state=0).split(y, y)]
    assert sorted(np.concatenate(tests)) == list(range(len(y)))
    counts = [y[test].sum() for test in tests]
    assert 1 <= min(counts) <= max(counts) <= min(counts) + 1


def test_rows_of_a_group_stay_together():
    rows = np.r_[np.arange(10), np.arange(60)]
    y = np.repeat([1, 0], [10, 60])
    for train, test in PUStratifiedKFold(3, random_state=0).split(y, y, groups=rows):
        assert not set(rows[train]) & set(rows[test])
        assert 0 < y[test].sum() < len(test)


def test_a_scorer_can_be_made():
    model = DummyClassifier(strategy="constant", constant=1).fit(np.zeros((2, 1)), [0, 1])
    scorer = make_scorer(lee_liu_score)
    assert scorer(model, np.zeros((4, 1)), [1, 0, 0, 0]) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pu_recall_score([0, 0], [1, 0]), "labeled and unlabeled"),
        (lambda: pu_recall_score([1, 1], [1, 0]), "labeled and unlabeled"),
        (lambda: pu_recall_score([1, -1], [1, 0]), "PU labels are 1"),
        (lambda: pu_recall_score([1, 0], [1, 0, 1]), "shape"),
        (lambda: pu_recall_score([1, 0], [1, 2]), "values 0 and 1"),
        (lambda: pu_f1_score([1, 0], [1, 0], prior=0.0), "between 0 and 1"),
        (lambda: lee_liu_score([1, 0], [1, 0], scenario="pu"), "case-control"),
        (lambda: pu_risk([1, 0], [1, 0], prior=0.5, loss="hinge"), "zero-one"),
        (lambda: make_pu_scorer("f2"), "lee_liu"),
        (lambda: make_pu_scorer("f1"), "needs the share of positives"),
        (lambda: make_pu_scorer("f1", prior=1.5), "between 0 and 1"),
        (lambda: make_pu_scorer("aul", scenario="pu"), "case-control"),
        (lambda: next(PUStratifiedKFold(3).split([0] * 9, [1, 1] + [0] * 7)), "2 labeled rows"),
        (lambda: next(PUStratifiedKFold(1).split([0] * 4, [1, 1, 0, 0])), "above 1"),
        (
            lambda: next(PUStratifiedKFold(2).split([0] * 4, [1, 1, 0, 0], [0, 0, 1, 1])),
            "The groups leave",
        ),
    ],
)
def test_what_cannot_be_scored_is_said(call, message):
    with pytest.raises(ValueError, match=message):
        call()
