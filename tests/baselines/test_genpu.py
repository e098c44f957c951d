"""GenPU: its losses by hand; the score log 3 stands for the probability ¾."""

import math

import pytest
import torch

from pulps.baselines import GenPUClassifier
from pulps.baselines.gans.genpu import mixture_loss

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
