"""Entropies of bonds as a picture: the network's own numbers, along its attributes."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch

from pulps import LPSClassifier, LPSSemiSupervisedClassifier, PUClassifier
from pulps.displays import BondEntropyDisplay
from pulps.network import bond_entropies, from_arrays

mpl.use("agg")
pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
QUICK = dict(n_members=2, max_epochs=2, bond_dim=3, n_repeats=1, random_state=0)


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def table():
    rng = np.random.RandomState(0)
    return pd.DataFrame(rng.rand(60, 4), columns=list("abcd")).assign(d=rng.choice(["u", "v"], 60))


def test_bonds_lie_between_the_attributes_as_they_are_ordered(table):
    model = LPSClassifier(**QUICK).fit(table[list("abc")], table["a"] > 0.6)
    drawn = BondEntropyDisplay.from_estimator(model)
    assert drawn.names == [list("abc")[i] for i in model.site_order_]
    assert [text.get_text() for text in drawn.ax_.get_xticklabels()] == drawn.names
    cores = from_arrays([core.astype(float) for core in model.positive_cores_], "gslkr")
    own = (bond_entropies(cores) / torch.tensor(2.0).log()).numpy()
    np.testing.assert_allclose(drawn.entropies["positive"], own)
    assert (own <= np.log2(drawn.widths) + 1e-9).all()
    lines = {line.get_label(): line.get_ydata() for line in drawn.ax_.get_lines()}
    np.testing.assert_allclose(lines["positive"], own.mean(0))
    assert "negative" in lines
    axes = plt.figure().subplots()
    assert drawn.plot(ax=axes).ax_ is axes


def test_rows_and_other_models_have_the_picture_too(table):
    labels = np.where(np.arange(60) % 3 == 0, table["d"], None)
    several = LPSSemiSupervisedClassifier(**QUICK).fit(table[list("abc")], labels)
    drawn = BondEntropyDisplay.from_estimator(several, table[list("abc")])
    assert list(drawn.entropies) == ["u", "v"]
    assert all(np.isfinite(one).all() for one in drawn.entropies.values())
    network = LPSClassifier(**QUICK | {"n_repeats": 2})
    consensus = PUClassifier(views=["kernel"], network=network, random_state=0)
    drawn = BondEntropyDisplay.from_estimator(consensus.fit(table, table["a"] > 0.6))
    assert len(drawn.names) == 8
    assert drawn.entropies["negative"].shape == (2, 7)
