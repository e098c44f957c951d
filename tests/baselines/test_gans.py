"""GenPU, PGAN, D-GAN, CGenPU, CGenPU-AC: losses by hand, what they generate, the contract."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
import torch
from populations import mixed_table
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from pulps.baselines import (
    CGenPUACClassifier,
    CGenPUClassifier,
    DGANClassifier,
    GenPUClassifier,
    PGANClassifier,
)
from pulps.baselines._shared.gan_classifier import endless
from pulps.baselines._shared.generated_rows import RowActivation, RowCodec
from pulps.baselines.gans.cgenpu import class_terms, divergence
from pulps.baselines.gans.d_gan import divergent_loss
from pulps.baselines.gans.genpu import mixture_loss
from pulps.benchmark.methods import find_method
from pulps.benchmark.protocol import Task
from pulps.datasets import make_toy

TINY = {"hidden_units": (8,), "noise_dim": 2, "n_updates": 2, "batch_size": 16, "random_state": 0}
SHORT = {"n_generated": 40, "classifier_epochs": 2}
ALL = [
    GenPUClassifier(prior=0.4, scenario="case-control", **TINY, **SHORT),
    PGANClassifier(**TINY, **SHORT),
    DGANClassifier(**TINY, **SHORT),
    CGenPUClassifier(**TINY, **SHORT),
    CGenPUACClassifier(**TINY),
]


def name(value):
    return type(value).__name__ if hasattr(value, "fit") else None


def known_gaps(estimator):
    return {
        "check_classifiers_classes": "string labels need pos_label: which of two words marks a "
        "labeled positive cannot be guessed",
        "check_classifiers_train": "two updates, which is what these checks can wait for, are "
        "too few to classify",
    }


@parametrize_with_checks(ALL, expected_failed_checks=known_gaps)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# Losses: the score log 3 stands for the probability ¾.

YES, NO = torch.tensor([math.log(3)]), torch.tensor([-math.log(3)])


def test_the_mixture_loss_of_genpu_equals_the_hand_value():
    expected = -math.log(0.75) - 0.3 * math.log(0.25) - 0.7 * math.log(0.75)
    assert mixture_loss(YES, YES, NO, 0.3) == pytest.approx(expected)


def test_the_generators_of_genpu_descend_the_hand_values():
    answers = {"positive": 0.0, "unlabeled": math.log(3), "negative": -math.log(3)}

    class Constant(torch.nn.Module):
        def __init__(self, value):
            super().__init__()
            self.value = value

        def forward(self, rows):
            return torch.full((len(rows),), self.value)

    networks = {f"{kind}_discriminator": Constant(value) for kind, value in answers.items()}
    model = GenPUClassifier(positive_weight=2.0, unlabeled_weight=3.0, negative_weight=5.0)
    rows = torch.zeros(4, 2)
    positive = 0.4 * (-2 * math.log(0.5) - 3 * math.log(0.75))
    negative = 0.6 * (-3 * math.log(0.75) - 5 * math.log(0.75))
    assert float(model._positive_loss(networks, rows, 0.4)) == pytest.approx(positive)
    assert float(model._negative_loss(networks, rows, 0.4)) == pytest.approx(negative)


def test_the_divergent_loss_equals_the_hand_value():
    expected = -math.log(0.75) - math.log(0.75) - 0.5 * math.log(0.25)
    assert divergent_loss(YES, NO, YES, 0.5) == pytest.approx(expected)
    smooth = -0.9 * math.log(0.75) - 0.1 * math.log(0.25) - math.log(0.75)
    assert divergent_loss(YES, NO, YES, 0.0, 0.9) == pytest.approx(smooth)


def test_the_divergence_of_cgenpu_has_one_term_and_is_clipped():
    a, b = torch.tensor([0.5, 0.0]), torch.tensor([0.25, 1.0])
    expected = (0.5 * math.log(2) + 1e-7 * math.log(1e-7)) / 2
    assert float(divergence(a, b)) == pytest.approx(expected, rel=1e-5)
    known, like, unlike = (torch.tensor([p]) for p in (0.9, 0.6, 0.2))
    expected = 0.9 * math.log(0.9 / 0.6) + 0.6 * math.log(0.6 / 0.8)
    assert float(class_terms(known, like, unlike)) == pytest.approx(expected)


# What is generated


@pytest.fixture(scope="module")
def judge():
    """A classifier that knows the moons."""
    X, _, truth = make_toy("moons", n_rows=4000, random_state=1000)
    return KNeighborsClassifier().fit(X.to_numpy(), truth)


@pytest.mark.parametrize(
    "model", [GenPUClassifier(prior=0.5), CGenPUClassifier(weight=4.0), DGANClassifier()], ids=name
)
def test_generated_rows_lie_on_the_right_moon(model, judge):
    X, y, _ = make_toy("moons", random_state=1)
    model.set_params(hidden_units=(64, 64), noise_dim=4, n_updates=1200, random_state=1)
    model.set_params(n_generated=100, classifier_epochs=1).fit(X, y)
    for kind in (0,) if isinstance(model, DGANClassifier) else (0, 1):
        rows = model.sample(500, y=kind, random_state=0)
        assert list(rows.columns) == list(X.columns)
        assert (judge.predict(rows.to_numpy()) == kind).mean() >= 0.9


def test_pgan_tells_labeled_rows_from_imitations_of_negatives():
    X, y, truth = make_toy("blobs", n_rows=300, n_labeled=140, random_state=0)
    model = PGANClassifier(hidden_units=(32,), noise_dim=4, n_updates=200, random_state=0)
    model.set_params(n_generated=500, classifier_epochs=40, batch_size=64)
    assert (model.fit(X, y).predict(X) == truth).mean() > 0.9
    with pytest.raises(ValueError, match="Pass y=0"):
        model.sample(3, y=1)


def test_cgenpu_makes_both_classes_in_one_batch():
    """Batch normalization of each class by itself would hide what tells them apart."""
    X, y, _ = make_toy("blobs", n_rows=60, n_labeled=20, random_state=0)
    sizes = []

    class Noted(torch.nn.Linear):
        def forward(self, rows):
            if self.training:
                sizes.append(len(rows))
            return super().forward(rows)

    def generator(n_inputs, shape):
        return Noted(n_inputs, shape[0])

    CGenPUClassifier(**TINY | {"generator": generator}, **SHORT).fit(X, y)
    assert set(sizes) == {2 * TINY["batch_size"]}


def test_both_forms_of_cgenpu_play_the_same_game():
    X, y, _ = make_toy("blobs", n_rows=100, n_labeled=20, random_state=0)
    two, one = CGenPUClassifier(**TINY, **SHORT).fit(X, y), CGenPUACClassifier(**TINY).fit(X, y)
    for key, weights in one.weights_["generator"].items():
        np.testing.assert_array_equal(weights, two.weights_["generator"][key])
    assert two._answering() == "classifier"
    assert one._answering() == "auxiliary"
    assert not np.allclose(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize("model", ALL, ids=name)
def test_tables_with_everything_in_them(model):
    X, _, y = mixed_table()
    model.set_params(pos_label="yes")
    before = torch.get_rng_state()
    for table in (X, pl.from_pandas(X)):
        decision = model.fit(table, y).decision_function(table)
        np.testing.assert_array_equal(model.predict(table) == "yes", decision > 0)
        again = model.fit(table, y).decision_function(table)
        np.testing.assert_array_equal(again, decision)
        made = model.sample(20, y="no", random_state=0)
        assert type(made) is type(table)
        assert list(made.columns) == list(table.columns)
        assert set(made["color"]) <= {"red", "blue", "green"}
    assert torch.equal(before, torch.get_rng_state())
    model.set_params(pos_label=None)
    with pytest.raises(ValueError, match="for the negative class or"):
        model.sample(3, y="maybe")


def test_images_in_and_images_out():
    images = np.random.RandomState(0).uniform(3, 7, size=(40, 8, 8))
    y = np.repeat([1, 0], [10, 30])
    model = DGANClassifier(**TINY, **SHORT).fit(images, y)
    made = model.sample(5, y=0, random_state=0)
    assert made.shape == (5, 8, 8)
    assert made.min() >= 3
    assert made.max() <= 7
    assert model.predict(images).shape == (40,)
    with pytest.raises(ValueError, match="multiples of 4"):
        DGANClassifier(**TINY, **SHORT).fit(images[:, :6], y)


def test_encoded_rows_decode_to_themselves():
    X, _, _ = mixed_table()
    X = X.dropna().reset_index(drop=True)
    codec = RowCodec()
    decoded = codec.decode(codec.fit_transform(X))
    pd.testing.assert_frame_equal(decoded, X, check_dtype=False)
    holes = X.assign(size=np.nan, color=None)
    encoded, known = codec.transform(holes), codec.transform(X)
    np.testing.assert_allclose(encoded[:, :4], np.tile(known[:, :4].mean(axis=0), (len(X), 1)))


def test_generated_categories_are_nearly_indicators_drawn_by_their_odds():
    layer = RowActivation([1, 3, 2])
    raw = torch.tensor([[0.5, math.log(6), math.log(3), 0.0, 0.0, 0.0]]).repeat(4000, 1)
    raw.requires_grad_()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = layer(raw)
    torch.testing.assert_close(made[:, 0], torch.tanh(raw[:, 0]))
    torch.testing.assert_close(made[:, 1:4].sum(1), torch.ones(4000))
    assert float((made[:, 1:4].max(1).values > 0.95).float().mean()) > 0.6
    shares = made[:, 1:4].argmax(1).bincount() / 4000
    np.testing.assert_allclose(shares, [0.6, 0.3, 0.1], atol=0.03)
    made[:, 1].sum().backward()
    assert raw.grad[:, 1].abs().sum() > 0


def test_batches_repeat_few_rows_and_miss_none():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        batches = endless(torch.arange(3), 4)
        drawn = torch.cat([next(batches) for _ in range(3)])
    assert drawn.bincount().tolist() == [4, 4, 4]


class StopAtOnce:
    """A callback that ends the fit after its first hundred updates."""

    def setup(self, estimator, context):
        pass

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        return True

    def teardown(self, estimator, context):
        pass


def test_a_callback_can_end_the_game():
    X, y, _ = make_toy("blobs", n_rows=60, n_labeled=20, random_state=0)
    model = CGenPUACClassifier(**TINY).set_params(n_updates=500).set_callbacks(StopAtOnce())
    assert model.fit(X, y).n_iter_ == 100
    assert {len(curve) for curve in model.loss_curves_.values()} == {1}


@pytest.mark.parametrize("method", "cgenpu cgenpu-ac d-gan genpu pgan".split())
def test_methods_have_the_seed_of_their_task(method):
    task = Task("vote", label_frequency=0.3, scenario="case-control")
    model = find_method(method).make(task)
    assert model.random_state == task.model_seed
    assert model.get_params().get("scenario", "case-control") == "case-control"
