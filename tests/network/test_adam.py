"""Adam without PyTorch's optimizers, and without what they load."""

import subprocess
import sys

import pytest
import torch

from pulps.network.adam import Adam


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_steps_are_those_of_pytorch(fused, weight_decay):
    generator = torch.Generator().manual_seed(0)
    start = [torch.randn(7, generator=generator), torch.randn(3, 2, generator=generator)]
    ours, theirs = ([one.clone().requires_grad_() for one in start] for _ in range(2))
    made = torch.optim.AdamW if weight_decay else torch.optim.Adam
    optimizer = made(theirs, lr=0.05, weight_decay=weight_decay, fused=fused, foreach=False)
    adam = Adam(ours, 0.1, weight_decay=weight_decay, fused=fused)
    for step in range(6):
        for one, other in zip(ours, theirs, strict=True):
            if step != 3 or one.ndim == 1:
                slope = torch.randn(one.shape, generator=generator)
                one.grad, other.grad = slope, slope.clone()
        adam.step(0.5)
        optimizer.step()
        optimizer.zero_grad()
    for one, other in zip(ours, theirs, strict=True):
        assert torch.equal(one, other)
        assert one.grad is None


def test_a_fit_does_not_load_the_compiler():
    code = (
        "import sys, numpy as np\n"
        "from pulps import LPSClassifier\n"
        "X = np.random.RandomState(0).normal(size=(40, 2))\n"
        "y = np.arange(40) < 10\n"
        "LPSClassifier(n_members=1, max_epochs=2, first_guess=None, verbose=0).fit(X, y)\n"
        "print('torch._dynamo' in sys.modules)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
