"""LPSClassifier: what a user relies on."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import skops.io as sio
from sklearn.callback import FitCallback
from sklearn.datasets import load_iris, make_blobs, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from pulps import LossWeights, LPSClassifier, hide_labels
from pulps.decision.selection import select_members
from pulps.estimators.presets import SYNTHETIC, TABLES


def quick(**options):
    return LPSClassifier(**{"n_members": 2, "max_epochs": 3, "random_state": 0} | options)


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
    assert (model.predict(X) == y_true).mean() >= 0.95


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
    everyone = quick(n_members=6, max_epochs=40).fit(X, y)
    votes = everyone.log_ratios(X) > 0
    chosen = everyone.members_[select_members(votes, y == 1, size="cluster").chosen]
    assert 2 < len(chosen) < len(everyone.members_) == 6
    model = quick(n_members=6, max_epochs=40, n_selected="cluster").fit(X, y)
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


def test_score_samples_takes_either_name_of_a_class(fitted, mixed):
    X, _, _ = mixed
    assert (fitted.score_samples(X) == fitted.score_samples(X, y=fitted.classes_[1])).all()
    assert (fitted.score_samples(X, y=0) != fitted.score_samples(X, y=1)).any()
    with pytest.raises(ValueError, match="names no class"):
        fitted.score_samples(X, y="red")


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
    assert LPSClassifier.load(tmp_path / "model").loss_weights == LossWeights(kernel=-10)


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
    sio.dump({"f": FitCallback}, tmp_path / "foreign")
    with pytest.raises(ValueError, match="names types that a pulps model does not have"):
        LPSClassifier.load(tmp_path / "foreign")


def test_the_prior_moves_the_share_of_positives(mixed):
    X, y, _ = mixed
    few = quick(max_epochs=40, prior=0.35).fit(X, y).predict(X).mean()
    many = quick(max_epochs=40, prior=0.7).fit(X, y).predict(X).mean()
    assert few < many


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
    with pytest.raises(ValueError, match="Lower learning_rate"):
        quick(learning_rate=1e30, max_restarts=0).fit(X, y)


def test_if_every_member_collapses_the_user_is_warned():
    X = np.random.RandomState(0).rand(30, 2)
    y = np.repeat([1, 0], [29, 1])
    with pytest.warns(ConvergenceWarning, match="All 2 members put every unlabeled row"):
        quick(max_epochs=1, max_restarts=0).fit(X, y)


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


def test_verbose_shows_progress_and_leaves_no_callback(mixed, capfd):
    X, y, _ = mixed
    model = quick(verbose=True).fit(X, y)
    assert "LPSClassifier" in capfd.readouterr().out
    assert "_skl_callbacks" not in vars(model)


@pytest.mark.parametrize("name", [*TABLES, *SYNTHETIC, "mnist"])
def test_the_paper_has_a_configuration_of_every_experiment(name):
    model = LPSClassifier.from_paper(name, random_state=3)
    assert model.random_state == 3
    assert model.output_dim is None
    assert model.loss_weights == LossWeights()
    assert model.log_of == "norm"


def test_the_paper_configuration_fits():
    X, y_true = load_iris(return_X_y=True)
    y = hide_labels(1 - y_true[:100], label_frequency=0.3, random_state=0)
    model = LPSClassifier.from_paper("iris", random_state=0, n_members=4).fit(X[:100], y)
    assert len(model.members_) == 1
    assert (model.predict(X[:100]) == 1 - y_true[:100]).mean() > 0.9


def test_mini_batches_and_mixed_bases_fit(mixed):
    X, y, _ = mixed
    model = quick(batch_size=16, basis="mixed", n_repeats=3, category_basis="fourier").fit(X, y)
    assert len(model.positive_cores_) == 9
    assert set(model.site_bases_) == {"sine", "cosine"}
    assert np.isfinite(model.decision_function(X)).all()


def test_an_unknown_experiment_is_named():
    with pytest.raises(ValueError, match="no experiment named 'titanic'"):
        LPSClassifier.from_paper("titanic")


def test_rows_are_scored_the_same_in_chunks_of_any_size(fitted, mixed, monkeypatch):
    X, _, _ = mixed
    whole, density = fitted.decision_function(X), fitted.score_samples(X)
    monkeypatch.setattr("pulps.estimators.table.CHUNK", 7)
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
