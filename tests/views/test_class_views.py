"""Views of several classes: honest about labels, arrays after the fit, weighed by knowledge."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

from pulps.tables.encoding import TableEncoder
from pulps.views.classes import fitting
from pulps.views.classes.consensus import deal_folds, fit_class_consensus
from pulps.views.classes.fitting import CLASS_VIEWS, Known
from pulps.views.classes.weighing import (
    FIRST_SHARE,
    find_offsets,
    find_temperature,
    moved,
    sharpened,
    weigh_classes,
)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    encoder = TableEncoder()
    return encoder.fit_transform(X), encoder.columns_, y


@pytest.fixture(scope="module")
def known(iris):
    values, _, y = iris
    rows = np.arange(0, 150, 5)
    return Known(values, rows, y[rows], np.ones(30), 4)  # the fourth class has no label


@pytest.mark.parametrize("view", CLASS_VIEWS, ids=lambda view: view.name)
def test_every_view_tells_classes_apart_and_never_names_one_without_labels(view, known, iris):
    values, _, y = iris
    chances = view.fit(known, np.random.RandomState(0)).probabilities(values)
    assert chances.shape == (150, 4)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert chances[:, 3].max() < 1e-6
    assert (chances.argmax(axis=1) == y).mean() > 0.85


def test_a_forest_of_arrays_answers_as_scikit_learn_s(known):
    ours = fitting.fit_trees(known, np.random.RandomState(3), kind=RandomForestClassifier)
    seed = np.random.RandomState(3).randint(np.iinfo(np.int32).max)
    theirs = RandomForestClassifier(fitting.N_TREES, random_state=seed)
    theirs.fit(known.labeled, known.classes, known.weights)
    cells = known.matrix.astype(np.float32).astype(float)  # trees compare in single precision
    np.testing.assert_allclose(ours.probabilities(cells)[:, :3], theirs.predict_proba(cells))


def test_labels_of_noise_earn_no_certainty(iris):
    values, columns, _ = iris
    rng = np.random.RandomState(0)
    noise = np.where(np.arange(150) % 3 == 0, rng.randint(2, size=150), -1)
    views = [view for view in CLASS_VIEWS if view.name in ("linear", "normal")]
    honest, asked, consensus = fit_class_consensus(
        values, columns, noise, 2, np.ones(150), np.random.RandomState(0), views=views
    )
    assert asked.tolist() == (noise >= 0).tolist()
    assert consensus.temperature <= 1
    assert np.abs(honest[noise < 0] - 0.5).mean() < 0.25


def test_a_view_counts_by_what_it_knows(iris):
    values, columns, y = iris
    labels = np.where(np.arange(150) % 4 == 0, y, -1)
    views = [view for view in CLASS_VIEWS if view.name in ("linear", "neighbors")]
    honest, asked, consensus = fit_class_consensus(
        values, columns, labels, 3, np.ones(150), np.random.RandomState(0), views=views
    )
    assert asked.tolist() == (labels >= 0).tolist()
    assert sum(one.weight for one in consensus.opinions) == pytest.approx(1)
    assert (honest.argmax(axis=1) == y).mean() > 0.9
    np.testing.assert_allclose(consensus.probabilities(values).sum(axis=1), 1)
    assert consensus.probabilities(values[:0]).shape == (0, 3)


def test_the_only_row_of_a_class_is_in_no_fold():
    folds = deal_folds(np.array([0, 0, 0, 1, 2, 2]), np.random.RandomState(0))
    assert folds[3] == -1
    assert (np.delete(folds, 3) >= 0).all()


def test_labels_that_are_always_found_make_answers_surer():
    chances = np.tile([0.6, 0.4], (60, 1))
    truth = np.tile([1.0, 0.0], (60, 1))
    assert find_temperature(chances, truth, np.ones(60)) > 5
    assert find_temperature(chances[:0], truth[:0], np.ones(0)) == 1
    assert sharpened(chances[0], 3.0)[0] > 0.7


def test_weights_stay_with_the_first_view_until_labels_tell():
    truth = np.tile(np.eye(2), (200, 1))
    blind, seeing = np.full_like(truth, 0.5), 0.9 * truth + 0.05
    told = weigh_classes(np.stack([blind, seeing]), truth, np.ones(400))
    assert told[1] > 0.9
    few = weigh_classes(np.stack([blind, seeing])[:, :1], truth[:1], np.ones(1))
    assert abs(few[0] - FIRST_SHARE) < 0.1
    none = weigh_classes(np.stack([blind, seeing])[:, :0], truth[:0], np.ones(0))
    np.testing.assert_allclose(none, [FIRST_SHARE, 1 - FIRST_SHARE])


def test_weights_do_not_depend_on_how_rows_are_counted():
    rng = np.random.RandomState(0)
    truth = np.eye(3)[rng.randint(3, size=30)]
    chances = rng.dirichlet(np.ones(3), (4, 30))
    weights = rng.randint(1, 4, size=30)
    twice = np.repeat(np.arange(30), weights)
    np.testing.assert_allclose(
        weigh_classes(chances, truth, weights.astype(float)),
        weigh_classes(chances[:, twice], truth[twice], np.ones(len(twice))),
        atol=1e-4,
    )


def test_shares_of_classes_are_moved_towards_those_of_the_labels_and_not_beyond():
    rows = np.random.RandomState(0).dirichlet([3.0, 1.0, 1.0], 500)
    mass = np.array([40.0, 40.0, 20.0])
    before, after = rows.mean(axis=0), moved(rows, find_offsets(rows, mass, np.ones(500)))
    wanted = (mass + 0.5) / (mass + 0.5).sum()
    between = (after.mean(axis=0) - before) / (wanted - before)
    assert ((between[:2] > 0.2) & (between[:2] < 0.8)).all()
    np.testing.assert_allclose(after.sum(axis=1), 1)


def test_files_of_rows_are_learned_from_like_arrays(iris, tmp_path):
    from pulps.scale import EncodedRows

    values, columns, y = iris
    (tmp_path / "rows").write_bytes(np.ascontiguousarray(values).tobytes())
    rows = EncodedRows(tmp_path / "rows", values.shape[1])
    labels = np.where(np.arange(150) % 4 == 0, y, -1)
    views = [view for view in CLASS_VIEWS if view.name in ("linear", "relevant-neighbors")]
    both = [
        fit_class_consensus(
            read, columns, labels, 3, np.ones(150), np.random.RandomState(0), views=views
        )
        for read in (values, rows)
    ]
    np.testing.assert_array_equal(both[0][0], both[1][0])
    rows.close()
