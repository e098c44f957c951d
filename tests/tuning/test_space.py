"""What is searched."""

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

from pulps import LPSClassifier, Recipe
from pulps.io._sklearn import check_parameters
from pulps.tuning import (
    default_space,
    paper_space,
)
from pulps.tuning.space import draw


def values_of(space):
    """Draw from a space; return the distributions it asked for."""
    trial = optuna.create_study().ask()
    space(trial)
    return trial.distributions


def test_the_papers_space_has_the_papers_values():
    assert values_of(paper_space) == {
        "feature_dim": CategoricalDistribution([4, 12, 20]),
        "bond_dim": CategoricalDistribution([2, 6, 12, 20]),
        "max_epochs": CategoricalDistribution([10, 20, 50, 150, 210, 400]),
        "learning_rate": CategoricalDistribution([0.1, 0.01]),
    }


@pytest.mark.parametrize(
    ("epochs", "decay", "patience"),
    [
        (10, "constant", None),
        (20, "constant", None),
        (50, "constant", None),
        (150, "plateau", 50),
        (210, "plateau", 70),
        (400, "plateau", 100),
    ],
)
def test_in_the_papers_space_a_patience_belongs_to_the_epochs(epochs, decay, patience):
    fixed = {"max_epochs": epochs, "feature_dim": 12, "bond_dim": 20, "learning_rate": 0.01}
    drawn = paper_space(optuna.trial.FixedTrial(fixed))
    assert drawn.pop("recipe__patience") == (patience or 10)  # a constant rate does not use it
    assert drawn.pop("recipe__decay") == decay
    assert drawn.pop("recipe__learning_rate") == fixed.pop("learning_rate")
    assert drawn == fixed


@pytest.mark.parametrize("space", [paper_space, default_space])
def test_all_values_of_a_space_are_parameters(space):
    for name, distribution in values_of(space).items():
        ends = getattr(distribution, "choices", None) or (distribution.low, distribution.high)
        for value in ends:
            model = LPSClassifier.from_parameters(**{name: value})
            check_parameters(model)
            check_parameters(model.recipe or Recipe())
    drawn = space(optuna.create_study().ask())
    model = LPSClassifier().set_params(**drawn)
    check_parameters(model)
    check_parameters(model.recipe)


def test_a_space_of_distributions():
    space = {
        "kind": CategoricalDistribution(["a", "b"]),
        "size": IntDistribution(2, 9),
        "rate": FloatDistribution(0.1, 0.3, log=True),
    }
    drawn = draw(space, optuna.create_study().ask())
    assert drawn["kind"] in ("a", "b")
    assert 2 <= drawn["size"] <= 9
    assert 0.1 <= drawn["rate"] <= 0.3
    with pytest.raises(ValueError, match="default, paper"):
        draw("wide", None)
