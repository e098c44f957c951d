"""A network that the machine cannot train is refused before any work, by name and number."""

import numpy as np
import pytest

from pulps import LPSClassifier, LPSSemiSupervisedClassifier, PUClassifier
from pulps.estimators.classes import table_classifier
from pulps.estimators.tables import classifier, consensus, sizes
from pulps.network.lps import ChainShape
from pulps.tables.encoding import TableEncoder

X = np.random.default_rng(0).normal(size=(40, 3))
PU = np.repeat([1, 0], [10, 30])
CLASSES = np.repeat([0, 1, 2, -1], 10)


def never(*_, **__):
    raise AssertionError("views were asked")


@pytest.mark.parametrize(
    "huge",
    [{"n_members": 99_999_999_999}, {"n_repeats": 10**12}, {"bond_dim": 10**7}],
    ids=lambda huge: next(iter(huge)),
)
@pytest.mark.parametrize("kind", ["network", "consensus", "view", "classes"])
def test_what_no_machine_could_hold_is_refused_before_views_are_asked(kind, huge, monkeypatch):
    monkeypatch.setattr(classifier, "guess_table", never)
    monkeypatch.setattr(consensus, "fit_consensus", never)
    monkeypatch.setattr(table_classifier, "guess_classes", never)
    model, y = {
        "network": (LPSClassifier(**huge), PU),
        "consensus": (PUClassifier(generative=True, network=LPSClassifier(**huge)), PU),
        "view": (PUClassifier(views=["kernel", "lps"], network=LPSClassifier(**huge)), PU),
        "classes": (LPSSemiSupervisedClassifier(**huge), CLASSES),
    }[kind]
    (name,) = huge
    with pytest.raises(ValueError, match=rf"{name}={huge[name]}.*GiB of memory.*smaller"):
        model.fit(X, y)


def test_a_wrong_parameter_of_the_network_is_refused_before_views_are_asked(monkeypatch):
    monkeypatch.setattr(consensus, "fit_consensus", never)
    model = PUClassifier(generative=True, network=LPSClassifier(n_members=0))
    with pytest.raises(ValueError, match="n_members"):
        model.fit(X, PU)


@pytest.mark.parametrize(("n_columns", "n_repeats"), [(1, 1), (2, 1), (3, 1), (3, 4), (9, 2)])
def test_no_chain_has_fewer_numbers_in_its_cores_and_their_sweep(n_columns, n_repeats):
    rows = np.random.default_rng(1).normal(size=(20, n_columns))
    columns = TableEncoder().fit(rows).columns_
    model = LPSClassifier(bond_dim=5, feature_dim=3, spacing=100, n_repeats=n_repeats)
    shape = ChainShape((3,) * (n_columns * n_repeats), 5, 100)
    cores = sum(np.prod(core) for core in shape.core_shapes())
    assert sizes.least_numbers(model, columns, n_repeats) <= cores + 5**2


def test_the_limit_is_the_memory_of_the_machine(monkeypatch):
    columns = TableEncoder().fit(X).columns_
    model = LPSClassifier(bond_dim=4, feature_dim=3)
    needed = sizes.COPIES * 4 * 8 * sizes.least_numbers(model, columns, 2)
    monkeypatch.setattr(sizes, "machine_memory", lambda: needed)
    sizes.check_size(model, columns, 8, 2)
    monkeypatch.setattr(sizes, "machine_memory", lambda: needed - 1)
    with pytest.raises(ValueError, match="8 chains of 6 sites"):
        sizes.check_size(model, columns, 8, 2)
    model.set_params(device="cuda")
    sizes.check_size(model, columns, 8, 2)
