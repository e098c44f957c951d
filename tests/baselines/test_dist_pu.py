"""Dist-PU: its loss is zero at the class shares only."""

import pytest
import torch

from pulps.baselines.networks.dist_pu import distribution_loss, mean_entropy


def test_the_distribution_loss_is_zero_at_the_class_shares_only():
    sure, shares = torch.tensor([50.0]), torch.tensor([50.0, -50.0, -50.0, -50.0])
    assert float(distribution_loss(sure, shares, 0.25)) == pytest.approx(0, abs=1e-6)
    assert float(distribution_loss(sure, -sure, 0.25)) == pytest.approx(0.25 / 0.5)
    assert float(distribution_loss(-sure, shares, 0.25)) == pytest.approx(1)
    assert float(mean_entropy(shares)) == pytest.approx(0, abs=1e-6)
