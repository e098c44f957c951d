"""`PUClassifier`: any table, honest numbers, the same model from a file, a network when asked."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from populations import mixed_table
from reported import DENSITY
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from pulps import LPSClassifier, PUClassifier
from pulps.datasets import make_toy
from pulps.network.likelihood import LikelihoodRecipe

QUICK = ("kernel", "boosting")
SMALL = LPSClassifier(n_members=2, max_epochs=5, density=DENSITY, random_state=0)


@pytest.fixture(scope="module")
def fitted():
    X, positive, y = mixed_table(n_rows=240)
    return PUClassifier(pos_label="yes", random_state=0).fit(X, y), X, positive, y


def test_a_table_of_words_numbers_and_holes(fitted):
    model, X, positive, y = fitted
    hidden = y == "no"
    assert roc_auc_score(positive[hidden], model.decision_function(X[hidden])) > 0.9
    assert set(model.predict(X)) == {"yes", "no"}
    chances = model.predict_proba(X)
    np.testing.assert_array_equal(model.predict(X) == "yes", chances[:, 1] > 0.5)
    assert model.views_.weight.sum() == pytest.approx(1)
    assert [*model.opinions(X).columns] == [*model.views_.index]


def test_other_libraries_give_the_same_answer(fitted):
    model, X, *_ = fitted
    np.testing.assert_array_equal(
        model.decision_function(X), model.decision_function(pl.from_pandas(X))
    )


def test_a_file_holds_the_same_model(fitted, tmp_path):
    model, X, *_ = fitted
    model.save(tmp_path / "model.pulps")
    read = PUClassifier.load(tmp_path / "model.pulps")
    np.testing.assert_array_equal(model.decision_function(X), read.decision_function(X))
    assert str(read.threshold_report_) == str(model.threshold_report_)
    pd.testing.assert_frame_equal(read.views_, model.views_)
    with pytest.raises(AttributeError, match="generative=True"):
        read.sample(1)


def test_a_file_holds_classifiers_of_scikit_learn_that_are_safe_to_read(tmp_path):
    X, y, _ = make_toy("moons", n_rows=80, n_labeled=20, random_state=0)
    model = PUClassifier(views=["kernel", ("line", LogisticRegression())], random_state=0)
    model.fit(X, y).save(tmp_path / "model.pulps")
    read = PUClassifier.load(tmp_path / "model.pulps")
    np.testing.assert_array_equal(model.decision_function(X), read.decision_function(X))
    forest = RandomForestClassifier(5, random_state=0)
    model = PUClassifier(views=[("forest", forest)], random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="cannot hold safely"):
        model.save(tmp_path / "forest.pulps")
    assert not (tmp_path / "forest.pulps").exists()


def test_the_network_of_a_model_learns_when_it_is_asked():
    X, y, _ = make_toy("blobs", n_rows=80, n_labeled=20, random_state=0)
    model = PUClassifier(views=QUICK, network=SMALL, random_state=0).fit(X, y)
    assert not hasattr(model, "network_")
    assert len(model.sample(3, random_state=0)) == 3
    assert model.network_.n_features_in_ == 2
    assert model.score_samples(X).shape == (80,)
    holes = X.copy()
    holes.iloc[0, 0] = np.nan
    assert not model.impute(holes, random_state=0).isna().any().any()
    model.fit(X.iloc[:60], y[:60])
    assert not hasattr(model, "network_")


def test_a_generative_model_keeps_its_network_in_the_file(tmp_path):
    X, y, _ = make_toy("blobs", n_rows=80, n_labeled=20, random_state=0)
    model = PUClassifier(views=QUICK, generative=True, network=SMALL, random_state=0).fit(X, y)
    model.save(tmp_path / "model.pulps")
    read = PUClassifier.load(tmp_path / "model.pulps")
    pd.testing.assert_frame_equal(model.sample(2, random_state=0), read.sample(2, random_state=0))


def test_the_network_can_be_the_only_view():
    X, y, y_true = make_toy("blobs", n_rows=100, n_labeled=30, random_state=0)
    model = PUClassifier(views=("lps",), network=SMALL, random_state=0)
    model.set_params(network__max_epochs=40).fit(X, y)
    assert [*model.views_.index] == ["lps"]
    assert roc_auc_score(y_true, model.decision_function(X)) > 0.8


def test_the_cut_can_be_moved_after_the_fit(fitted):
    model, X, *_ = fitted
    before = model.predict(X)
    moved = model.with_threshold(share=0.05)
    assert (moved.predict(X) == "yes").sum() < (before == "yes").sum()
    assert moved.threshold_report_.rule == "share"
    np.testing.assert_array_equal(model.predict(X), before)


@pytest.mark.parametrize(
    ("views", "message"),
    [
        (["forest"], "expected one of kernel"),
        ([], "nothing at all"),
        (["kernel", "kernel"], "kernel more than once"),
        ([("one", "two")], "a pair of a name and a classifier"),
    ],
)
def test_views_that_are_none_are_refused(views, message):
    X, y, _ = make_toy("blobs", n_rows=40, n_labeled=10, random_state=0)
    with pytest.raises(ValueError, match=message):
        PUClassifier(views=views).fit(X, y)


def test_a_prior_that_is_given_decides_the_cut():
    X, y, _ = make_toy("moons", n_rows=300, n_labeled=30, random_state=0)
    model = PUClassifier(views=QUICK, prior=0.2, random_state=0).fit(X, y)
    assert model.prior_ == pytest.approx(0.2)
    assert (model.honest_.unlabeled > model.threshold_report_.threshold).mean() < 0.2


def test_callbacks_hear_of_every_view():
    from pulps.estimators.progress import EpochTeller

    told = []
    X, y, _ = make_toy("blobs", n_rows=60, n_labeled=20, random_state=0)
    model = PUClassifier(views=[*QUICK, ("line", LogisticRegression())], random_state=0)
    model.set_callbacks(EpochTeller(lambda done, total: told.append((done, total))))
    model.fit(X, y)
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_progress_covers_views_and_network(capsys):
    X, y, _ = make_toy("blobs", n_rows=60, n_labeled=20, random_state=0)
    network = clone(SMALL).set_params(density=LikelihoodRecipe(max_epochs=4, n_members=1))
    PUClassifier(views=QUICK, generative=True, network=network, random_state=0, verbose=1).fit(
        X, y
    )
    said = [line.split(",")[0] for line in capsys.readouterr().err.splitlines()]
    assert said[:2] == ["view 1 of 2", "view 2 of 2"]
    assert sum(line.startswith("epoch ") for line in said) == 8
    assert said[-1] == "epoch of the densities 4 of 4"
