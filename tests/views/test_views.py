"""Views: honest by construction, on one scale, and their arrays answer as their models did."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from populations import mixed_table
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from pulps.io._sklearn import boosted_trees
from pulps.priors.three_way import three_shares
from pulps.tables.encoding import TableEncoder
from pulps.tables.matrix import MatrixForm
from pulps.views import bagging, boosting, consensus
from pulps.views.catalog import VIEWS, View
from pulps.views.consensus import MOST_ROWS, fit_consensus
from pulps.views.forest import Forest
from pulps.views.given import given_view
from pulps.views.risk_trees import MOST_SEEN, _seen
from pulps.views.rows import Labels, Rows
from pulps.views.scale import NormalScale
from pulps.views.weighing import weigh_views

NEED = {name: {"prior_of_unlabeled": 0.4} for name, view in VIEWS.items() if view.needs_prior}


def draw(n_rows=200, n_columns=3, seed=0, shift=1.5):
    rng = np.random.RandomState(seed)
    positive = rng.uniform(size=n_rows) < 0.4
    X = rng.normal(size=(n_rows, n_columns)) + shift * positive[:, None]
    labeled = positive & (rng.uniform(size=n_rows) < 0.4)
    encoder = TableEncoder()
    return encoder.fit_transform(X), encoder.columns_, labeled, positive


def see(values, columns, labeled, n_folds=4):
    folds = np.arange(len(labeled)) % n_folds
    rows = Rows.of(values, MatrixForm.of(values, columns))
    return rows, Labels(labeled, np.ones(len(labeled)), folds)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_learns_and_scores_new_rows(name):
    values, columns, labeled, positive = draw(seed=1)
    rows, labels = see(values[:150], columns, labeled[:150])
    rng = np.random.RandomState(0)
    honest, model = VIEWS[name].fit(rows, labels, rng, **NEED.get(name, {}))
    unlabeled = ~labeled[:150]
    assert roc_auc_score(positive[:150][unlabeled], honest[unlabeled]) > 0.8
    new = Rows.of(values[150:], MatrixForm.of(values[:150], columns))
    assert roc_auc_score(positive[150:], model.score(new)) > 0.8


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", VIEWS)
def test_a_column_with_values_in_one_fold_only_is_empty_for_the_model_that_leaves_it_out(
    name, weighted
):
    values, columns, labeled, positive = draw(seed=1)
    _, labels = see(values, columns, labeled)
    here = labels.folds == 2
    values[~here, 2] = np.nan
    weights = np.ones(len(labeled))
    if weighted:
        weights[1::2] = 2.0
        values[3, 2] = 0.5
        weights[3] = 0.0  # the only value elsewhere counts for nothing
    rows = Rows.of(values, MatrixForm.of(values, columns))
    labels = Labels(labeled, weights, labels.folds)
    honest, model = VIEWS[name].fit(rows, labels, np.random.RandomState(0), **NEED.get(name, {}))
    assert roc_auc_score(positive[~labeled], honest[~labeled]) > 0.7
    assert np.isfinite(model.score(rows)).all()


@pytest.mark.parametrize("name", VIEWS)
def test_honest_scores_know_nothing_where_there_is_nothing_to_know(name):
    """Labels at random: a model that saw the row would rank labeled rows first."""
    values, columns, *_ = draw(n_rows=400, seed=2, shift=0.0)
    areas = []
    for seed in range(3):
        labeled = np.random.RandomState(seed).uniform(size=400) < 0.15
        rows, labels = see(values, columns, labeled)
        honest, _ = VIEWS[name].fit(
            rows, labels, np.random.RandomState(seed), **NEED.get(name, {})
        )
        areas.append(roc_auc_score(labeled, honest))
    assert abs(np.mean(areas) - 0.5) < 0.1


@pytest.mark.parametrize("name", ["kernel", "relevant-kernel", "boosting", "risk-network"])
def test_the_score_of_a_fold_does_not_change_with_its_labels(name):
    values, columns, labeled, _ = draw(seed=3)
    rows, labels = see(values, columns, labeled)
    other = labeled.copy()
    fold = labels.folds == 2
    other[fold] = np.random.RandomState(0).permutation(other[fold])
    scores = []
    for known in (labeled, other):
        labels = Labels(known, labels.weights, labels.folds)
        honest, _ = VIEWS[name].fit(rows, labels, np.random.RandomState(0), **NEED.get(name, {}))
        scores.append(honest[fold])
    np.testing.assert_allclose(*scores, rtol=1e-3)


def test_trees_of_scikit_learn_survive_as_arrays():
    values, _, labeled, _ = draw(seed=4)
    tree = DecisionTreeClassifier(min_samples_leaf=3, random_state=0).fit(values, labeled)
    single = values.astype(np.float32)
    forest = Forest.join([bagging._as_arrays(tree)] * 2)
    np.testing.assert_allclose(forest.answers(single)[1], tree.predict_proba(single)[:, 1])

    holes = np.where(np.random.RandomState(0).uniform(size=values.shape) < 0.2, np.nan, values)
    boosted = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(holes, labeled)
    start, nodes = boosted_trees(boosted)
    forest = Forest.join([boosting._as_arrays(one) for one in nodes])
    np.testing.assert_allclose(start + forest.sums(holes), boosted.decision_function(holes))


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=30), st.integers(0, 9))
def test_the_scale_depends_on_the_order_of_scores_only(scores, seed):
    scores = np.array(scores, dtype=float)
    weights = np.random.RandomState(seed).randint(1, 4, len(scores)).astype(float)
    scale = NormalScale.of(scores, weights)
    other = NormalScale.of(np.exp(scores), weights)
    np.testing.assert_allclose(scale(scores), other(np.exp(scores)))
    twice = NormalScale.of(np.repeat(scores, weights.astype(int)), np.ones(int(weights.sum())))
    np.testing.assert_allclose(scale(scores), twice(scores))
    assert np.average(scale.rank(scores), weights=weights) == pytest.approx(0.5)
    assert np.isfinite(scale(np.array([-np.inf, -9.0, 9.0, np.inf]))).all()


def test_few_labels_share_the_weight_and_many_give_it_to_the_best():
    rng = np.random.RandomState(0)
    better = np.clip(rng.normal(0.75, 0.2, (1, 1000)), 0, 1)
    ranks = np.vstack([better, better - 0.1 + rng.normal(0, 0.2, (1, 1000))])
    few, _ = weigh_views(ranks[:, :3], np.ones(3), np.ones(2))
    many, areas = weigh_views(ranks, np.ones(1000), np.ones(2))
    assert many[0] > few[0]
    assert many[0] > 0.8
    assert many.sum() == pytest.approx(1)
    np.testing.assert_allclose(areas, ranks.mean(axis=1))


@pytest.mark.parametrize("n_labeled", [1, 2, 3])
def test_a_handful_of_labels_is_enough_to_answer(n_labeled):
    values, columns, labeled, _ = draw(n_rows=60, seed=5)
    few = np.zeros(60, dtype=bool)
    few[np.flatnonzero(labeled)[:n_labeled]] = True
    honest, consensus = fit_consensus(values, columns, few, np.ones(60), np.random.RandomState(0))
    assert np.isfinite(honest).all()
    assert np.isfinite(consensus.score(values)).all()
    assert np.average(honest[~few]) == pytest.approx(0, abs=1e-9)
    assert honest[~few].std() == pytest.approx(1)


def test_threads_change_nothing():
    values, columns, labeled, _ = draw(seed=6)
    one, two = (
        fit_consensus(
            values, columns, labeled, np.ones(200), np.random.RandomState(0), n_jobs=n_jobs
        )[0]
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one, two)


def test_more_rows_than_views_learn_from_are_all_scored(monkeypatch):
    monkeypatch.setattr("pulps.views.consensus.MOST_ROWS", 100)
    assert MOST_ROWS > 100
    values, columns, labeled, positive = draw(seed=7)
    honest, _ = fit_consensus(values, columns, labeled, np.ones(200), np.random.RandomState(0))
    assert np.isfinite(honest).all()
    assert roc_auc_score(positive[~labeled], honest[~labeled]) > 0.8


def test_columns_that_do_not_matter_do_not_drown_those_that_do():
    values, _, labeled, positive = draw(n_rows=400, n_columns=6, seed=8, shift=1.0)
    noise = np.random.RandomState(0).uniform(size=(400, 120))
    encoder = TableEncoder()
    values = encoder.fit_transform(np.hstack([values, noise]))
    rows, labels = see(values, encoder.columns_, labeled)
    areas = []
    for name in ("kernel", "relevant-kernel"):
        honest, _ = VIEWS[name].fit(rows, labels, np.random.RandomState(0))
        areas.append(roc_auc_score(positive[~labeled], honest[~labeled]))
    assert areas[1] > areas[0] + 0.02


def test_any_classifier_can_be_a_view():
    X, positive, words = mixed_table(n_rows=150)
    encoder = TableEncoder()
    values = encoder.fit_transform(X)
    labeled = words == "yes"
    honest, consensus = fit_consensus(
        values,
        encoder.columns_,
        labeled,
        np.ones(150),
        np.random.RandomState(0),
        views=[given_view(LogisticRegression(), "line"), VIEWS["kernel"]],
    )
    assert [opinion.name for opinion in consensus.opinions] == ["line", "kernel"]
    assert roc_auc_score(positive[~labeled], honest[~labeled]) > 0.8


def test_a_view_with_more_voices_counts_more_where_labels_do_not_tell():
    ranks = np.full((3, 4), 0.8)
    weights, _ = weigh_views(ranks, np.ones(4), np.array([1.0, 1.0, 3.0]))
    np.testing.assert_allclose(weights, [0.2, 0.2, 0.6])
    ranks[2] = 0.5
    weights, _ = weigh_views(ranks, np.ones(4), np.array([1.0, 1.0, 3.0]))
    np.testing.assert_allclose(weights, [0.5, 0.5, 0.0])


def test_many_equal_rows_have_one_honest_score():
    rng = np.random.RandomState(0)
    values = rng.randint(0, 2, (200, 3)).astype(float)
    labeled = (values.sum(axis=1) == 3) & (rng.uniform(size=200) < 0.5)
    encoder = TableEncoder()
    codes = encoder.fit_transform(values)
    honest, _ = fit_consensus(codes, encoder.columns_, labeled, np.ones(200), rng)
    for row in np.unique(codes, axis=0):
        assert np.ptp(honest[(codes == row).all(axis=1)]) == 0


def test_the_last_bits_of_a_share_of_positives_are_not_told(monkeypatch):
    """They differ with the number of threads, and a tree that hears them splits elsewhere."""
    values, columns, labeled, _ = draw()
    heard = []

    def listen(rows, labels, rng, prior_of_unlabeled):
        heard.append(prior_of_unlabeled)
        return VIEWS["kernel"].fit(rows, labels, rng)

    views = [VIEWS["kernel"], View("listens", listen, "", needs_prior=True)]
    for factor in (1, 1 + 2**-51, 1 - 2**-51):
        monkeypatch.setattr(
            consensus, "three_shares", lambda *scores, f=factor: f * three_shares(*scores)
        )
        rng = np.random.RandomState(0)
        fit_consensus(values, columns, labeled, np.ones(len(labeled)), rng, views=views)
    assert len(set(heard)) == 1
    assert 0 < heard[0] < 1


@pytest.mark.parametrize(
    ("n_rows", "n_labeled", "seen"), [(900, 90, 450), (9000, 3000, MOST_SEEN), (20_000, 1, 1000)]
)
def test_a_risk_tree_sees_half_of_the_rows_of_either_kind_or_fewer(n_rows, n_labeled, seen):
    labeled = np.arange(n_rows) < n_labeled
    chosen = _seen(labeled, np.random.RandomState(0))
    assert seen <= chosen.sum() <= seen + 2
    assert chosen[labeled].sum() >= max(1, int(seen * labeled.mean()))
