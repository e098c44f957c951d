"""D-GAN: its loss by hand; the score log 3 stands for the probability ¾."""

import math

import pytest
import torch

from pulps.baselines.gans.d_gan import divergent_loss

YES, NO = torch.tensor([math.log(3)]), torch.tensor([-math.log(3)])


def test_the_divergent_loss_equals_the_hand_value():
    expected = -math.log(0.75) - math.log(0.75) - 0.5 * math.log(0.25)
    assert divergent_loss(YES, NO, YES, 0.5) == pytest.approx(expected)
    smooth = -0.9 * math.log(0.75) - 0.1 * math.log(0.25) - math.log(0.75)
    assert divergent_loss(YES, NO, YES, 0.0, 0.9) == pytest.approx(smooth)
