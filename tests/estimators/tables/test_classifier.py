"""LPSClassifier: what a user relies on."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io as sio
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulps import LossWeights, LPSClassifier, LPSImageClassifier, Recipe, hide_labels
from pulps.decision import AgreementWarning
from pulps.decision.selection import select_members
from pulps.estimators.recipes.paper import SYNTHETIC, TABLES


def quick(**options):
    return LPSClassifier.from_parameters(
        **{"n_members": 2, "max_epochs": 3, "random_state": 0} | options
    )


@pytest.fixture(scope="module")
def mixed():
    """A table of numbers, categories and holes, with labels."""
    rng = np.random.RandomState(0)
    y_true = np.repeat([1, 0], 40)
    frame = pd.DataFrame(
        {
            "size": np.where(rng.rand(80) < 0.1, np.nan, y_true + rng.normal(0, 0.4, 80)),
            "color": pd.Categorical(
                np.where(rng.rand(80) < 0.8, y_true, 1 - y_true)
            ).rename_categories(["blue", "red"]),
            "word": np.where(rng.rand(80) < 0.1, None, np.array(["no", "yes"])[y_true]),
        }
    )
    return frame, hide_labels(y_true, n_labeled=15, random_state=0), y_true


@pytest.fixture(scope="module")
def fitted(mixed):
    X, y, _ = mixed
    return quick(max_epochs=150, n_members=4, random_state=4).fit(X, y)


@pytest.mark.parametrize("toy", ["moons", "circles", "blobs"])
def test_toy_sets_are_learned_with_defaults(toy):
    if toy == "moons":
        X, y_true = make_moons(1000, noise=0.1, random_state=0)
    elif toy == "circles":
        X, y_true = make_circles(1000, noise=0.05, factor=0.5, random_state=0)
    else:
        X, y_true = make_blobs(1000, centers=2, random_state=0, cluster_std=0.6)
    y = hide_labels(y_true, n_labeled=100, random_state=0)
    model = LPSClassifier(random_state=0).fit(X, y)
    assert (model.predict(X) == y_true).mean() > 0.92  # the cut errs to the positive side


def test_a_mixed_table_with_holes_is_learned(fitted, mixed):
    X, _, y_true = mixed
    assert (fitted.predict(X) == y_true).mean() > 0.9


def test_iris_is_learned():
    X, y_true = load_iris(return_X_y=True)
    X, y_true = X[:100], 1 - y_true[:100]
    y = hide_labels(y_true, label_frequency=0.3, random_state=0)
    assert (LPSClassifier(random_state=0).fit(X, y).predict(X) == y_true).mean() >= 0.95


def test_fitted_state_is_arrays(fitted):
    assert fitted.classes_.tolist() == [0, 1]
    assert fitted.feature_names_in_.tolist() == ["size", "color", "word"]
    assert fitted.n_features_in_ == 3
    assert fitted.n_iter_ == 150 == len(fitted.loss_curve_)
    assert all(isinstance(core, np.ndarray) for core in fitted.positive_cores_)
    assert len(fitted.positive_cores_) == len(fitted.negative_cores_) == 6  # twice 3 columns
    assert fitted.history_["labeled"].shape == (150, 4)
    assert 0 <= fitted.agreement_ <= 1


def test_the_same_seed_gives_the_same_model_and_another_seed_another(mixed):
    X, y, _ = mixed
    a, b, c = (quick(random_state=seed).fit(X, y).decision_function(X) for seed in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert (a != c).any()


def test_permuting_rows_permutes_scores(fitted, mixed):
    X, _, _ = mixed
    order = np.random.RandomState(0).permutation(len(X))
    np.testing.assert_allclose(
        fitted.decision_function(X.iloc[order]), fitted.decision_function(X)[order], rtol=1e-9
    )


def test_a_row_without_any_value_scores_by_the_states_alone(fitted, mixed):
    X, _, _ = mixed
    empty = X.iloc[:1].copy()
    empty.loc[:, "size"] = np.nan
    empty["color"] = pd.Categorical([None], categories=["blue", "red"])
    empty["word"] = None
    assert fitted.score_samples(empty)[0] == pytest.approx(0, abs=1e-9)


def test_the_largest_cluster_of_members_may_be_kept(mixed):
    X, y, _ = mixed
    everyone = quick(n_members=6, max_epochs=40, first_guess=None).fit(X, y)
    votes = everyone.log_ratios(X) > 0
    chosen = everyone.members_[select_members(votes, y == 1, size="cluster").chosen]
    assert 2 < len(chosen) < len(everyone.members_) == 6
    model = quick(n_members=6, max_epochs=40, first_guess=None, n_selected="cluster").fit(X, y)
    assert model.members_.tolist() == sorted(chosen)
    assert len(model.member_decisions(X)) == len(chosen)
    with pytest.raises(ValueError, match="'n_selected' parameter"):
        quick(n_selected="pair").fit(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_densities_of_a_categorical_table_sum_to_one():
    rng = np.random.RandomState(0)
    X = pd.DataFrame({"a": rng.choice(["x", "y"], 30), "b": rng.choice(["p", "q", "r"], 30)})
    y = np.repeat([1, 0], [8, 22])
    model = quick(max_epochs=5, n_repeats=1).fit(X, y)
    grid = pd.DataFrame([(a, b) for a in "xy" for b in "pqr"], columns=["a", "b"])
    for label in (0, 1):
        assert np.exp(model.score_samples(grid, y=label)).sum() == pytest.approx(1)


def test_the_density_of_a_number_integrates_to_one():
    X = np.linspace(0, 1, 30)[:, None]
    model = quick(max_epochs=5, n_repeats=1, numeric_scale="min-max").fit(
        X, np.repeat([1, 0], [10, 20])
    )
    nodes, weights = np.polynomial.legendre.leggauss(40)
    density = np.exp(model.score_samples(((nodes + 1) / 2)[:, None]))
    assert weights @ density / 2 == pytest.approx(1)


def test_rows_of_a_class_are_denser_under_it(fitted, mixed):
    X, _, y_true = mixed
    positive, negative = (fitted.score_samples(X, y=y) for y in (1, 0))
    np.testing.assert_array_equal(fitted.score_samples(X), positive)
    gain = positive - negative
    assert (gain[y_true == 1] > 0).mean() > 0.9
    assert (gain[y_true == 0] < 0).mean() > 0.9
    with pytest.raises(ValueError, match="names no class"):
        fitted.score_samples(X, y="red")


NAMES = {
    "one and two": (np.array([1, 2]), None),
    "zero is positive": (np.array([1, 0]), 0),
    "minus one": (np.array([-1, 1]), None),
    "words": (np.array(["open", "known"]), "known"),
}


@pytest.mark.parametrize("case", NAMES)
def test_the_names_of_the_classes_do_not_matter(fitted, mixed, case):
    """Whatever 0 and 1 are called, the model is the same, and so is all it makes."""
    X, y, _ = mixed
    names, pos_label = NAMES[case]
    renamed = quick(max_epochs=150, n_members=4, random_state=4, pos_label=pos_label)
    renamed.fit(X, names[y])
    np.testing.assert_array_equal(renamed.classes_, names)
    np.testing.assert_array_equal(renamed.predict(X), names[fitted.predict(X)])
    np.testing.assert_array_equal(renamed.log_evidence(X), fitted.log_evidence(X))
    assert renamed.sample(5, states=True, random_state=0).equals(
        fitted.sample(5, states=True, random_state=0)
    )
    for index in (0, 1):
        np.testing.assert_array_equal(
            renamed.score_samples(X, y=names[index]), fitted.score_samples(X, y=index)
        )
        assert renamed.sample(5, y=names[index], states=True, random_state=0).equals(
            fitted.sample(5, y=index, states=True, random_state=0)
        )
        pd.testing.assert_series_equal(
            renamed.marginal("size", y=names[index]), fitted.marginal("size", y=index)
        )
        assert renamed.impute(X, y=names[index], how="mode").equals(
            fitted.impute(X, y=index, how="mode")
        )


def test_a_class_that_is_not_there_is_refused(fitted):
    for y in (7, "red", -1):
        with pytest.raises(
            ValueError, match=r"names no class of this model\. Pass 1 for positive"
        ):
            fitted.sample(1, y=y, states=True)


def test_a_density_is_a_value_to_hold(fitted, mixed):
    density = fitted.class_density(0)
    rows, report = density.sample(4, random_state=0)
    assert rows.equals(fitted.sample(4, y=0, states=True, random_state=0))
    assert report.n_accepted == 4
    np.testing.assert_array_equal(
        density.log_density(fitted.encode(mixed[0])), fitted.score_samples(mixed[0], y=0)
    )


def test_warnings_point_at_the_call_of_the_user():
    X, y = np.random.RandomState(0).normal(size=(300, 2)), np.arange(300) < 60
    with pytest.warns(AgreementWarning) as caught:
        quick(n_members=4, max_epochs=60, first_guess=None).fit(X, y)
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.filterwarnings("ignore:Only 7 rows:pulps.tables.notices.TableWarning")
def test_fields_of_the_recipe_can_be_searched(mixed):
    X, y, _ = mixed
    names = LPSClassifier().get_params()
    assert names["recipe__learning_rate"] == Recipe().learning_rate
    model = clone(LPSClassifier(n_members=2, max_epochs=2).set_params(recipe__decay="constant"))
    assert model.recipe.decay == "constant"
    assert LPSClassifier().recipe is None
    search = GridSearchCV(
        quick(max_epochs=40), {"recipe__learning_rate": [0.01, 0.1]}, scoring="roc_auc", cv=2
    ).fit(X, y)
    assert search.best_params_["recipe__learning_rate"] in (0.01, 0.1)
    with pytest.raises(ValueError, match="'decay' parameter of Recipe"):
        quick(decay="sometimes").fit(X, y)


def test_a_user_sets_about_twenty_parameters():
    for classifier in (LPSClassifier, LPSImageClassifier):
        assert len(classifier().get_params(deep=False)) <= 21


def test_probabilities_lie_between_zero_and_one_and_follow_the_decision(fitted, mixed):
    X, _, _ = mixed
    proba, decision = fitted.predict_proba(X), fitted.decision_function(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert ((proba >= 0) & (proba <= 1)).all()
    assert ((proba[:, 1] > 0.5) == (decision > 0)).all()
    assert (np.diff(proba[np.argsort(decision), 1]) >= 0).all()


def test_string_labels_with_pos_label_come_back_as_strings(mixed):
    X, y, _ = mixed
    words = np.where(y == 1, "sick", "unknown")
    model = quick(pos_label="sick").fit(X, words)
    assert set(model.predict(X)) <= {"sick", "unknown"}
    same = quick().fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), same.decision_function(X))


def test_polars_null_is_missing_like_nan(mixed):
    X, y, _ = mixed
    a, b = quick().fit(X, y), quick().fit(pl.from_pandas(X), y)
    np.testing.assert_array_equal(a.decision_function(X), b.decision_function(pl.from_pandas(X)))


def test_saving_and_loading_is_bit_equal(fitted, mixed, tmp_path):
    X, _, _ = mixed
    fitted.save(tmp_path / "model")
    loaded = LPSClassifier.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.decision_function(X), fitted.decision_function(X))
    np.testing.assert_array_equal(loaded.score_samples(X), fitted.score_samples(X))
    assert [p.name for p in tmp_path.iterdir()] == ["model"]


def test_custom_loss_weights_survive_saving(mixed, tmp_path):
    X, y, _ = mixed
    quick(loss_weights=LossWeights(kernel=-10)).fit(X, y).save(tmp_path / "model")
    loaded = LPSClassifier.load(tmp_path / "model")
    assert loaded.recipe.loss_weights == LossWeights(kernel=-10)


def test_a_pipeline_survives_skops(tmp_path):
    X, y = make_moons(40, random_state=0)
    model = make_pipeline(StandardScaler(), quick()).fit(X, y)
    sio.dump(model, tmp_path / "model.skops")
    untrusted = sio.get_untrusted_types(file=tmp_path / "model.skops")
    assert all(name.startswith("pulps.") for name in untrusted)
    loaded = sio.load(tmp_path / "model.skops", trusted=untrusted)
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))


def test_files_that_are_not_models_are_refused(tmp_path):
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ValueError, match="text is not a saved pulps model"):
        LPSClassifier.load(tmp_path / "text")
    sio.dump(StandardScaler(), tmp_path / "other")
    with pytest.raises(ValueError, match="holds a StandardScaler"):
        LPSClassifier.load(tmp_path / "other")
    sio.dump({"f": GridSearchCV}, tmp_path / "foreign")
    with pytest.raises(ValueError, match="names types that a pulps model does not have"):
        LPSClassifier.load(tmp_path / "foreign")


@pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")
@pytest.mark.parametrize("prior", [0.3, 0.5, 0.7])
def test_a_given_prior_is_the_share_that_is_called_positive(prior):
    X, y_true = make_blobs([100, 100], centers=[[0, 0], [1, 1]], random_state=0)
    y = hide_labels(y_true, n_labeled=40, random_state=0)
    model = quick(max_epochs=40, prior=prior, threshold="prior", first_guess=None).fit(X, y)
    among_unlabeled = (prior * 200 - 40) / 160
    assert model.prior_ == pytest.approx(prior)
    assert model.predict(X[y == 0]).mean() == pytest.approx(among_unlabeled, abs=1 / 160)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_prior_below_the_labeled_share_is_refused(mixed):
    X, y, _ = mixed
    with pytest.raises(ValueError, match="says that 8 of 80 rows are positive, but 15"):
        quick(prior=0.1).fit(X, y)
    quick(prior=0.1, scenario="case-control", max_epochs=20).fit(X, y)


def test_unfitted_models_say_so():
    with pytest.raises(NotFittedError):
        LPSClassifier().predict(np.zeros((1, 2)))


def test_if_every_member_diverges_the_error_says_what_to_do():
    X, y = make_moons(30, random_state=0)
    with pytest.raises(ValueError, match="Lower recipe__learning_rate"):
        quick(learning_rate=1e30, max_restarts=0).fit(X, y)


def test_if_every_member_collapses_the_user_is_warned():
    X = np.random.RandomState(0).rand(30, 2)
    y = np.repeat([1, 0], [29, 1])
    with pytest.warns(ConvergenceWarning, match="All 2 members put every unlabeled row"):
        quick(first_guess=None, max_epochs=1, max_restarts=0).fit(X, y)


class Recorder:
    """A callback that counts epochs and asks to stop after some."""

    def __init__(self, stop_after):
        self.stop_after, self.epochs = stop_after, 0

    def setup(self, estimator, context):
        self.began = True

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        if context.task_name == "epoch":
            self.epochs += 1
            return self.epochs >= self.stop_after
        return False

    def teardown(self, estimator, context):
        self.ended = True


def test_callbacks_see_every_epoch_and_can_stop(mixed):
    X, y, _ = mixed
    recorder = Recorder(stop_after=2)
    model = quick(max_epochs=10).set_callbacks(recorder).fit(X, y)
    assert recorder.began
    assert recorder.ended
    assert recorder.epochs == model.n_iter_ == 2


@pytest.mark.parametrize(("verbose", "n_lines"), [(True, 5), (1, 5), ("auto", 0), (0, 0)])
def test_verbose_shows_progress_in_a_log_if_it_is_asked_to(mixed, capsys, verbose, n_lines):
    X, y, _ = mixed
    quick(verbose=verbose).fit(X, y)
    assert len(capsys.readouterr().err.splitlines()) == n_lines


@pytest.mark.parametrize("name", [*TABLES, *SYNTHETIC, "mnist"])
def test_the_paper_has_a_configuration_of_every_experiment(name):
    model = LPSClassifier.from_paper(name, random_state=3)
    recipe = model.recipe
    assert model.random_state == 3
    assert recipe.output_dim is None
    assert recipe.loss_weights == LossWeights()
    assert (recipe.log_of, recipe.start, recipe.category_basis) == ("norm", "random", "fourier")
    assert (model.prior, model.threshold, model.missing) == (None, "balance", "trace")
    assert (recipe.label_parts, recipe.max_restarts) == (None, 0)
    if name in TABLES:
        repeats, spacing, feature_dim, bond_dim, rate, epochs, patience = TABLES[name]
        assert (model.n_repeats, model.spacing) == (repeats, spacing)
        assert (model.feature_dim, model.bond_dim) == (feature_dim, bond_dim)
        assert (recipe.learning_rate, model.max_epochs) == (rate, epochs)
        assert recipe.decay == ("constant" if patience is None else "plateau")


def test_the_paper_configuration_takes_both_kinds_of_overrides():
    model = LPSClassifier.from_paper("vote", bond_dim=3, learning_rate=0.5)
    assert (model.bond_dim, model.recipe.learning_rate, model.recipe.log_of) == (3, 0.5, "norm")


def test_the_paper_configuration_fits():
    X, y_true = load_iris(return_X_y=True)
    y = hide_labels(1 - y_true[:100], label_frequency=0.3, random_state=0)
    model = LPSClassifier.from_paper("iris", random_state=0, n_members=4).fit(X[:100], y)
    assert len(model.members_) == 1
    assert (model.predict(X[:100]) == 1 - y_true[:100]).mean() > 0.9


def test_mini_batches_learn_what_all_rows_at_once_do(mixed):
    X, y, y_true = mixed
    models = [quick(n_members=4, max_epochs=120, batch_size=size).fit(X, y) for size in (16, None)]
    assert not np.array_equal(models[0].positive_cores_[0], models[1].positive_cores_[0])
    for model in models:
        assert model.score(X, y_true) > 0.8


def test_mixed_bases_are_drawn_site_by_site_and_told(mixed):
    X, y, _ = mixed
    options = {"basis": "mixed", "n_repeats": 3, "category_basis": "fourier"}
    model = quick(**options).fit(X, y)
    assert len(model.positive_cores_) == len(model.site_bases_) == 9
    assert set(model.site_bases_) == {"sine", "cosine"}
    other = quick(random_state=1, **options).fit(X, y)
    assert (model.site_bases_ != other.site_bases_).any()
    expected = model.decision_function(X)
    model.site_bases_ = model.site_bases_[::-1].copy()
    assert not np.allclose(model.decision_function(X), expected)


def test_an_unknown_experiment_is_named():
    with pytest.raises(ValueError, match="no experiment named 'titanic'"):
        LPSClassifier.from_paper("titanic")


def test_rows_are_scored_the_same_in_chunks_of_any_size(fitted, mixed, monkeypatch):
    X, _, _ = mixed
    whole, density = fitted.decision_function(X), fitted.score_samples(X)
    monkeypatch.setattr("pulps.estimators.tables.states.CHUNK", 7)
    monkeypatch.setattr("pulps.estimators.tables.prediction.CHUNK", 7)
    np.testing.assert_allclose(fitted.decision_function(X), whole, rtol=1e-7)
    np.testing.assert_allclose(fitted.score_samples(X), density, rtol=1e-7)


def test_missing_cells_are_drawn_or_traced_in_training(mixed):
    X, y, _ = mixed
    drawn, again, traced = (
        quick(missing=how).fit(X, y).positive_cores_ for how in ("draw", "draw", "trace")
    )
    np.testing.assert_array_equal(drawn[0], again[0])
    assert not np.array_equal(drawn[0], traced[0])
    whole = X.dropna()
    rows = whole.index
    drawn, traced = (
        quick(missing=how).fit(whole, y[rows]).positive_cores_ for how in ("draw", "trace")
    )
    np.testing.assert_array_equal(drawn[0], traced[0])
