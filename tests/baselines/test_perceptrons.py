"""Networks give one score per row."""

import pytest
import torch

from pulps.baselines import NNPUClassifier
from pulps.datasets import make_toy


def test_a_network_with_two_scores_a_row_is_refused():
    X, y, _ = make_toy("blobs", n_rows=40, n_labeled=8, random_state=0)
    with pytest.raises(ValueError, match="one score per row"):
        NNPUClassifier(network=torch.nn.Linear(2, 2), prior=0.5).fit(X, y)
