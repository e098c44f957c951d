"""Any number of classes: laws of `LPSSemiSupervisedClassifier`."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs

from pulps import LPSClassifier, LPSSemiSupervisedClassifier, load_model
from pulps.estimators.tables.readings import NotGenerativeError
from pulps.network.likelihood import LikelihoodRecipe
from pulps.tables.notices import TableWarning
from pulps.views.classes.opinions import OpenConsensus

QUICK = dict(n_members=2, max_epochs=5, bond_dim=4, random_state=0)


def some_labels(y, every=6):
    return np.where(np.arange(len(y)) % every == 0, y, -1)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True, as_frame=True)
    order = np.random.RandomState(0).permutation(len(y))
    return X.iloc[order].reset_index(drop=True), y.to_numpy()[order]


@pytest.fixture(scope="module")
def fitted(iris):
    X, y = iris
    recipe = LikelihoodRecipe(bond_dim=3, feature_dim=6, n_members=1, max_epochs=30)
    model = LPSSemiSupervisedClassifier(**QUICK, density=recipe)
    return model.fit(X, some_labels(y))


def test_a_few_labels_of_three_classes_are_enough(fitted, iris):
    X, y = iris
    assert (fitted.predict(X) == y).mean() > 0.9
    assert (fitted.transduction_ == y).mean() > 0.9
    network = clone(fitted).set_params(blend=1.0, density=None).fit(X, some_labels(y))
    assert (network.predict(X) == y).mean() > 0.85
    assert 0 <= fitted.agreement_ <= 1


def test_labels_stay_what_they_are_in_the_transduction(iris):
    X, y = iris
    wrong = some_labels(y)
    wrong[0] = (y[0] + 1) % 3
    model = LPSSemiSupervisedClassifier(**QUICK).fit(X, wrong)
    assert model.transduction_[0] == wrong[0]


def test_answers_agree_with_each_other(fitted, iris):
    X, _ = iris
    chances, decision = fitted.predict_proba(X), fitted.decision_function(X)
    assert chances.shape == decision.shape == (150, 3)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(fitted.classes_[decision.argmax(axis=1)], fitted.predict(X))
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(X)), chances)


def test_the_names_of_the_classes_do_not_matter(iris):
    X, y = iris
    labels = some_labels(y)
    numbers = LPSSemiSupervisedClassifier(**QUICK).fit(X, labels)
    names = np.array(["a", "b", "c"], dtype=object)[labels]
    words = LPSSemiSupervisedClassifier(**QUICK).fit(X, np.where(labels < 0, None, names))
    np.testing.assert_array_equal(words.predict_proba(X), numbers.predict_proba(X))
    assert words.classes_.tolist() == ["a", "b", "c"]
    assert words.predict(X)[0] in ("a", "b", "c")


def test_permuting_the_classes_permutes_the_columns():
    X, y = make_blobs([30, 20, 10], 2, centers=[(0, 0), (6, 0), (0, 6)], random_state=0)
    labels, order = some_labels(y, 4), np.array([2, 0, 1])
    one = LPSSemiSupervisedClassifier(**QUICK).fit(X, labels)
    other = LPSSemiSupervisedClassifier(**QUICK).fit(X, np.where(labels < 0, -1, order[labels]))
    assert (order[one.predict(X)] == other.predict(X)).mean() > 0.9  # trees are drawn anew
    assert np.abs(one.predict_proba(X) - other.predict_proba(X)[:, order]).mean() < 0.1
    by_guess = [model.teacher_.opinions[2].model.probabilities for model in (one, other)]
    matrix = one.teacher_.form.write(one.encode(X))  # logistic regression knows no order
    np.testing.assert_allclose(by_guess[0](matrix), by_guess[1](matrix)[:, order], atol=1e-3)


def test_one_labeled_class_and_one_without_labels_is_positive_unlabeled_to_the_bit(iris):
    X, y = iris
    labeled = (y == 1) & (np.arange(150) % 3 == 0)
    plain = LPSClassifier(**QUICK).fit(X, labeled.astype(int))
    model = LPSSemiSupervisedClassifier(**QUICK, unlabeled_class=True)
    model.fit(X, np.where(labeled, 1, -1))
    assert model.classes_.tolist() == [1, -1]
    for states, cores in zip(
        model.cores_, (plain.positive_cores_, plain.negative_cores_), strict=True
    ):
        for one, other in zip(states, cores, strict=True):
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(model.predict(X) == 1, plain.predict(X) == 1)
    np.testing.assert_allclose(model.predict_proba(X)[:, 0], plain.predict_proba(X)[:, 1])
    assert model.decision_function(X).shape == (150,)
    np.testing.assert_allclose(model.class_shares_.loc[1, "share"], plain.prior_)


def test_an_open_set_finds_rows_like_none_that_are_labeled():
    X, y = make_blobs([60, 60, 60], 2, centers=[(0, 0), (9, 0), (0, 9)], random_state=0)
    labels = np.where((y < 2) & (np.arange(180) % 3 == 0), y, -1)
    model = LPSSemiSupervisedClassifier(**QUICK, unlabeled_class=True).fit(X, labels)
    assert model.classes_.tolist() == [0, 1, -1]
    found = model.predict(X)
    assert (np.where(y == 2, -1, y) == found).mean() > 0.9
    named = clone(model).set_params(unlabeled_class=7).fit(X, labels)
    np.testing.assert_array_equal(np.where(found == -1, 7, found), named.predict(X))


def test_a_class_without_labels_and_without_members_is_told(iris, monkeypatch):
    X, y = iris
    names = np.array(["a", "b", "c"], dtype=object)[some_labels(y)]
    labels = np.where(some_labels(y) < 0, None, names)
    model = LPSSemiSupervisedClassifier(**QUICK, blend=0.0, unlabeled_class="other")
    surely_labeled = staticmethod(lambda scores, known: np.pad(known, ((0, 0), (0, 1))))
    monkeypatch.setattr(OpenConsensus, "together", surely_labeled)
    with pytest.warns(TableWarning, match="No training row is given to the class: other"):
        model.fit(X, labels)
    assert "other" not in model.transduction_
    assert model.class_shares_.loc["other", "share"] < 0.01


def test_many_classes_with_one_label_each_work_and_say_what_was_never_checked():
    rng = np.random.RandomState(0)
    y = np.repeat(np.arange(24), 4)
    X = rng.rand(24, 5)[y] + 0.01 * rng.rand(96, 5)
    labels = np.where(np.arange(96) % 4 == 0, y, -1)
    model = LPSSemiSupervisedClassifier(n_members=1, max_epochs=2, bond_dim=3, random_state=0)
    with pytest.warns(TableWarning, match="24 of 24 classes have one labeled row only"):
        model.fit(X, labels)
    assert (model.predict(X) == y).mean() > 0.9


def test_shares_come_with_intervals_that_hold_the_truth(fitted, iris):
    _, y = iris
    table = fitted.class_shares_
    assert table.index.tolist() == [0, 1, 2]
    np.testing.assert_allclose(table["share"].sum(), 1)
    truth = np.bincount(y) / len(y)
    assert ((table["low"] <= truth) & (truth <= table["high"])).all()


def test_weight_two_is_the_row_twice(iris):
    X, y = iris[0].iloc[:60], iris[1][:60]
    labels = some_labels(y, 3)
    weights = np.where(np.arange(60) % 5 == 0, 2, 1)
    weighted = LPSSemiSupervisedClassifier(**QUICK).fit(X, labels, weights)
    twice = np.repeat(np.arange(60), weights)
    repeated = LPSSemiSupervisedClassifier(**QUICK).fit(X.iloc[twice], labels[twice])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_a_class_whose_rows_weigh_nothing_is_named(iris):
    X, y = iris
    with pytest.raises(ValueError, match=r"class \[2\] have sample_weight zero"):
        LPSSemiSupervisedClassifier(**QUICK).fit(X, some_labels(y), (y != 2).astype(float))


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        ([0, 0, -1], {}, "y names one class, 0, and two are needed"),
        ([-1, -1, -1], {}, "No row of y has a class"),
        ([-1, -1, -1], {"unlabeled_class": True}, "No row of y has a class"),
        ([0, 1, 0], {"unlabeled_class": True}, "every row has one"),
        ([0, 1, -1], {"unlabeled_class": 1}, "is a class of labeled rows as well"),
        ([0, 1, -1], {"unlabeled_class": "rest"}, "beside the classes .0, 1.: .* Pass a number"),
        ([0, 1, -1], {"unlabeled_class": None}, "unlabeled_class=None cannot stand"),
        ([0, 1, -1], {"unlabeled_class": np.nan}, "unlabeled_class=nan cannot stand"),
        (["a", "b", None], {"unlabeled_class": 7}, "unlabeled_class=7 .* Pass a text"),
        (["a", "b", None], {"unlabeled_class": np.False_}, "cannot stand"),
    ],
)
def test_what_is_missing_is_said(labels, options, message):
    X = np.arange(6.0).reshape(3, 2)
    with pytest.raises(ValueError, match=message):
        LPSSemiSupervisedClassifier(**options).fit(X, labels)


@pytest.mark.parametrize("nothing", ["", "nan", "-1"])
def test_text_that_says_nothing_is_a_class_and_that_is_told(iris, nothing):
    X, y = iris
    words = np.where(some_labels(y) < 0, nothing, y.astype(str))
    with pytest.warns(TableWarning, match=f"y has the class '{nothing}'.*put None there"):
        model = LPSSemiSupervisedClassifier(**QUICK, first_guess=None).fit(X, words)
    assert nothing in model.classes_


def test_a_saved_model_answers_the_same(fitted, iris, tmp_path):
    X, _ = iris
    fitted.save(tmp_path / "model.pulps")
    for loaded in (
        LPSSemiSupervisedClassifier.load(tmp_path / "model.pulps"),
        load_model(tmp_path / "model.pulps"),
    ):
        np.testing.assert_array_equal(loaded.predict_proba(X), fitted.predict_proba(X))
        pd.testing.assert_frame_equal(loaded.class_shares_, fitted.class_shares_)


def test_a_forged_model_is_refused(fitted, tmp_path):
    forged = clone(fitted)
    vars(forged).update(vars(fitted))
    forged.class_share_table_ = fitted.class_share_table_[:2]
    with pytest.raises(ValueError, match="class shares should be 3 times three numbers"):
        forged.save(tmp_path / "model.pulps")


def test_rows_are_drawn_filled_and_scored_class_by_class(fitted, iris):
    X, y = iris
    for one in fitted.classes_:
        drawn = fitted.sample(40, y=one, random_state=0)
        assert list(drawn.columns) == list(X.columns)
        own = fitted.score_samples(X[y == one], one).mean()
        assert own > fitted.score_samples(X[y != one], one).mean()
    assert fitted.marginal("petal length (cm)", 0).sum() == pytest.approx(1)
    holes = X.copy()
    holes.loc[:20, "petal width (cm)"] = np.nan
    assert not fitted.impute(holes, how="mean").isna().any().any()
    assert (fitted.predict(holes)[:20] == y[:20]).mean() > 0.8
    assert fitted.score_samples(X).shape == (150,)
    with pytest.raises(ValueError, match="names no class"):
        fitted.sample(y=9)


def test_states_alone_do_not_pretend_to_be_densities(iris):
    X, y = iris
    model = LPSSemiSupervisedClassifier(**QUICK).fit(X, some_labels(y))
    with pytest.raises(NotGenerativeError, match="density=LikelihoodRecipe"):
        model.sample(3, y=0)
    assert len(model.sample(3, y=0, states=True, random_state=0)) == 3


def test_states_on_their_own_learn_as_the_paper_s_do(iris):
    X, y = iris
    model = LPSSemiSupervisedClassifier(
        n_members=2, max_epochs=60, first_guess=None, random_state=0
    ).fit(X, some_labels(y, 3))
    assert model.teacher_ is None
    assert model.history_["labeled"].any()
    assert model.history_["balance"].any()
    assert not model.history_["logistic"].any()
    assert (model.predict(X) == y).mean() > 0.7


def test_a_fit_goes_on_from_its_checkpoint_to_the_same_cores(iris, tmp_path):
    X, y = iris
    whole = LPSSemiSupervisedClassifier(**QUICK).fit(X, some_labels(y))
    stopped = LPSSemiSupervisedClassifier.from_parameters(
        **QUICK, checkpoint=tmp_path / "fit.npz", checkpoint_every=1
    )

    class StopError(Exception):
        pass

    def stop(n_done, n_expected):
        if n_done == 3:
            raise StopError

    from pulps.estimators.progress import EpochTeller

    with pytest.raises(StopError):
        clone(stopped).set_callbacks(EpochTeller(stop)).fit(X, some_labels(y))
    assert (tmp_path / "fit.npz").exists()
    gone_on = clone(stopped).fit(X, some_labels(y))
    for one, other in zip(gone_on.cores_, whole.cores_, strict=True):
        for core, same in zip(one, other, strict=True):
            np.testing.assert_array_equal(core, same)
