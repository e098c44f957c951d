"""Other people's libraries take our models, and ours take theirs; each where it is installed.

`scripts/clients.py` runs these tests with all of the libraries and keeps what came out.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import f1_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from pulps import PUClassifier, hide_labels
from pulps.baselines import ElkanNotoClassifier
from pulps.metrics import PUStratifiedKFold, lee_liu_score, make_pu_scorer, pu_recall_score

pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries
SEED = 0


def quick():
    return PUClassifier(views=["kernel"], random_state=SEED)


@pytest.fixture(scope="module")
def rows():
    """A table with numbers, a word and a date; PU labels; the truth."""
    rng = np.random.default_rng(SEED)
    truth = rng.random(240) < 0.4
    table = pd.DataFrame({"size": rng.normal(size=240) + 3 * truth, "noise": rng.normal(size=240)})
    table["color"] = np.where(rng.random(240) < 0.2 + 0.6 * truth, "red", "blue")
    table["day"] = pd.Timestamp("2026-01-01") + pd.to_timedelta(rng.integers(0, 90, 240), "D")
    return table, hide_labels(truth.astype(int), label_frequency=0.5, random_state=SEED), truth


def numbers(rows):
    table, y, truth = rows
    return table[["size", "noise"]].to_numpy(), y, truth


def right(model, rows):
    X, _, truth = rows
    return (np.asarray(model.predict(X)) == truth).mean()


def test_skrub_cleans_a_table_and_hands_it_on(rows):
    skrub = pytest.importorskip("skrub")
    table, y, _ = rows
    model = skrub.tabular_pipeline(quick()).fit(table, y)
    assert right(model, rows) > 0.85
    again = make_pipeline(skrub.TableVectorizer(), quick()).fit(table, y)
    assert right(again, rows) > 0.85


@pytest.mark.parametrize(
    ("library", "kind"), [("lightgbm", "LGBMClassifier"), ("xgboost", "XGBClassifier")]
)
def test_boosted_trees_of_others_learn_from_pu_labels(library, kind, rows):
    kind = getattr(pytest.importorskip(library), kind)
    X, y, truth = numbers(rows)
    inside = kind(n_estimators=40, max_depth=3, n_jobs=1)
    inside.set_params(**({"verbose": -1} if library == "lightgbm" else {}))
    for weighted in (False, True):
        model = ElkanNotoClassifier(inside, weighted=weighted, random_state=SEED)
        assert right(model.fit(X, y), (X, y, truth)) > 0.8
    minus = np.where(y == 1, 1, -1)  # XGBoost itself refuses such labels
    assert set(model.fit(X, minus).predict(X)) == {-1, 1}
    view = PUClassifier(views=["kernel", ("mine", inside)], random_state=SEED).fit(X, y)
    assert "mine" in view.views_.index
    assert right(view, (X, y, truth)) > 0.85


def test_imbalanced_learn_samples_rows_before_a_fit(rows):
    imblearn = pytest.importorskip("imblearn")
    X, y, truth = numbers(rows)
    sampler = imblearn.under_sampling.RandomUnderSampler(sampling_strategy=0.5, random_state=SEED)
    model = imblearn.pipeline.make_pipeline(sampler, quick()).fit(X, y)
    assert right(model, (X, y, truth)) > 0.8


def test_encoders_of_categories_hand_tables_on(rows):
    encoders = pytest.importorskip("category_encoders")
    table, y, truth = rows
    table = table.drop(columns="day")
    model = make_pipeline(encoders.TargetEncoder(cols=["color"]), quick()).fit(table, y)
    assert list(model[-1].feature_names_in_) == ["size", "noise", "color"]
    assert right(model, (table, y, truth)) > 0.85


def test_feature_engine_drops_what_our_importances_call_noise(rows):
    selection = pytest.importorskip("feature_engine.selection")
    table, y, _ = rows
    selector = selection.RecursiveFeatureElimination(
        quick(), scoring=make_pu_scorer("aul", warn=False), cv=PUStratifiedKFold(2), threshold=0.01
    )
    chosen = selector.fit_transform(table[["size", "noise"]], y)
    assert list(chosen.columns) == ["size"]


def test_mlxtend_chooses_columns_by_a_score_of_pu_labels(rows):
    selection = pytest.importorskip("mlxtend.feature_selection")
    X, y, _ = numbers(rows)
    scoring = make_pu_scorer("aul", warn=False)
    chosen = selection.SequentialFeatureSelector(quick(), 1, scoring=scoring, cv=2).fit(X, y)
    assert chosen.k_feature_idx_ == (0,)


def test_optuna_searches_parameters_by_a_score_of_pu_labels(rows):
    search_of = pytest.importorskip("optuna_integration.sklearn")
    optuna = pytest.importorskip("optuna")
    X, y, truth = numbers(rows)
    search = search_of.OptunaSearchCV(
        quick(),
        {"prior": optuna.distributions.FloatDistribution(0.3, 0.5)},
        scoring=make_pu_scorer("lee_liu", warn=False),
        cv=PUStratifiedKFold(2),
        n_trials=2,
        random_state=SEED,
    ).fit(X, y)
    assert 0.3 <= search.best_params_["prior"] <= 0.5
    assert right(search, (X, y, truth)) > 0.85


def test_mapie_makes_sets_of_classes_from_our_probabilities(rows):
    classification = pytest.importorskip("mapie.classification")
    X, y, truth = numbers(rows)
    model = quick().fit(X[:120], y[:120])
    conformal = classification.SplitConformalClassifier(model, confidence_level=0.9, prefit=True)
    _, sets = conformal.conformalize(X[120:180], truth[120:180].astype(int)).predict_set(X[180:])
    held = sets[np.arange(60), truth[180:].astype(int), 0]
    assert held.mean() > 0.8


def test_cleanlab_finds_the_labels_that_were_hidden(rows):
    cleanlab_filter = pytest.importorskip("cleanlab.filter")
    X, y, truth = numbers(rows)
    chance = cross_val_predict(quick(), X, y, cv=PUStratifiedKFold(3), method="predict_proba")
    wrong = cleanlab_filter.find_label_issues(y, chance, n_jobs=1)
    hidden = truth & (y == 0)
    assert wrong[hidden].mean() > 0.7
    assert wrong[~hidden].mean() < 0.1


def test_pulearn_has_no_better_answer_with_the_same_machine(rows):
    pulearn = pytest.importorskip("pulearn")
    table, benign = load_breast_cancer(return_X_y=True)
    X, truth = StandardScaler().fit_transform(table), benign == 0
    scores = []
    for seed in range(3):
        y = hide_labels(truth.astype(int), label_frequency=0.5, random_state=seed)
        machine = SVC(C=10, probability=True, random_state=seed)
        theirs = pulearn.ElkanotoPuClassifier(machine, hold_out_ratio=0.2, random_state=seed)
        theirs.fit(X, np.where(y == 1, 1.0, -1.0))
        ours = ElkanNotoClassifier(
            machine, weighted=True, prior=float(truth.mean()), random_state=seed
        ).fit(X, y)
        scores.append([f1_score(truth, np.asarray(m.predict(X)) == 1) for m in (theirs, ours)])
    mean_of_theirs, mean_of_ours = np.mean(scores, axis=0)
    assert mean_of_ours >= mean_of_theirs


@pytest.mark.parametrize("scale", [1, -1])
def test_pulearn_scores_our_answers_as_we_do(rows, scale):
    metrics = pytest.importorskip("pulearn.metrics")
    X, y, _ = numbers(rows)
    answers = (scale * quick().fit(X, y).decision_function(X) > 0).astype(int)
    assert metrics.pu_recall_score(y, answers) == pytest.approx(pu_recall_score(y, answers))
    assert metrics.lee_liu_score(y, answers) == pytest.approx(lee_liu_score(y, answers))


def test_pu_toolbox_takes_the_same_labels(rows):
    toolbox = pytest.importorskip("pu_toolbox")
    X, y, truth = numbers(rows)
    theirs = toolbox.UPUClassifier(class_prior=0.4).fit(X, y)
    share = (np.asarray(theirs.predict(X)).ravel() == 1).mean()
    assert 0 < share < 1
    assert right(quick().fit(X, y), (X, y, truth)) > right(theirs, (X, y, truth)) - 0.02


def test_a_table_of_ibis_is_refused_with_the_call_to_make(rows):
    ibis = pytest.importorskip("ibis")
    pytest.importorskip("duckdb")
    table, y, _ = rows
    lazy = ibis.memtable(table)
    with pytest.raises(ValueError, match=r"Pass X\.to_pandas\(\)"):
        quick().fit(lazy, y)
    model = quick().fit(lazy.to_pandas(), y)
    np.testing.assert_array_equal(model.predict(table), quick().fit(table, y).predict(table))


def test_cloudpickle_sends_a_model_elsewhere(rows):
    cloudpickle = pytest.importorskip("cloudpickle")
    table, y, _ = rows
    model = quick().fit(table, y)
    again = cloudpickle.loads(cloudpickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(table), model.decision_function(table))
