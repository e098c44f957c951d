"""PGAN tells labeled rows from imitations of negatives."""

import pytest

from pulps.baselines import PGANClassifier
from pulps.datasets import make_toy


def test_pgan_tells_labeled_rows_from_imitations_of_negatives():
    X, y, truth = make_toy("blobs", n_rows=300, n_labeled=140, random_state=0)
    model = PGANClassifier(hidden_units=(32,), noise_dim=4, n_updates=200, random_state=0)
    model.set_params(n_generated=500, classifier_epochs=40, batch_size=64)
    assert (model.fit(X, y).predict(X) == truth).mean() > 0.9
    with pytest.raises(ValueError, match="Pass y=0"):
        model.sample(3, y=1)
