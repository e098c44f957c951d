"""VPU: what its losses are smallest at."""

import pytest
import torch

from pulps.baselines.networks.vpu import mixup_consistency, variational_loss


def test_the_variational_loss_is_smallest_at_the_posterior_whatever_its_scale():
    posterior = torch.tensor([1.0, 0.5, 0.1])  # of three kinds of rows, equally frequent
    draws = torch.cat([torch.full((n,), i) for i, n in enumerate((10, 5, 1))])

    def loss(phi):
        return float(variational_loss(phi.log()[draws], phi.log()))

    best = loss(posterior)
    assert loss(0.3 * posterior) == pytest.approx(best, abs=1e-6)
    for other in ([1.0, 0.6, 0.1], [1.0, 0.4, 0.1], [1.0, 0.5, 0.2], [0.9, 0.5, 0.1]):
        assert loss(torch.tensor(other)) > best + 1e-4


def test_mixtures_that_are_answered_consistently_cost_nothing():
    other = torch.tensor([0.2, 0.8]).log()
    mixed = torch.tensor([0.25 + 0.75 * 0.2, 0.25 + 0.75 * 0.8]).log()
    assert float(mixup_consistency(mixed, other, 0.25)) == pytest.approx(0, abs=1e-10)
    assert float(mixup_consistency(other, other, 0.25)) > 0.01
