"""Flat settings become a consensus, its network, or a network alone."""

import pytest

from pulps import LPSClassifier, PUClassifier
from pulps.estimators.settings import make_model


def test_a_generative_network_has_a_density():
    assert make_model({}, kind="lps", generative=True).density is not None
    assert make_model({"density": {"bond_dim": 2}}, kind="lps").density.bond_dim == 2


def test_what_a_consensus_does_not_know_is_set_on_its_network():
    settings = {"prior": 0.2, "bond_dim": 3, "learning_rate": 0.01, "density": {"bond_dim": 2}}
    model = make_model(settings, generative=True)
    assert isinstance(model, PUClassifier)
    assert (model.prior, model.generative) == (0.2, True)
    assert (model.network.bond_dim, model.network.density.bond_dim) == (3, 2)
    assert model.network.recipe.learning_rate == 0.01
    assert model.network.prior == LPSClassifier().prior
    assert make_model({}).network is None


def test_a_network_that_is_a_view_can_be_set_up():
    assert make_model({"views": ["kernel", "lps"], "max_epochs": 3}).network.max_epochs == 3


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"max_epochs": 3}, "consensus", "max_epochs would set up a network"),
        ({"views": ["kernel"]}, "lps", "no parameter 'views'"),
        ({"viewz": []}, "consensus", "Did you mean 'views'"),
        ({"loss_weights": {"x": 1}}, "lps", "loss_weights has no 'x'"),
        ({}, "trees", "no model 'trees'"),
    ],
)
def test_settings_that_mean_nothing_are_refused(settings, kind, message):
    with pytest.raises(ValueError, match=message):
        make_model(settings, kind=kind)
