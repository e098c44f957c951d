r"""The yardstick: the author's contraction order, written plainly in PyTorch.

The author's TensorFlow code multiplies the site matrices of a block *through* its output
site, so that each row carries a bond × (output · bond) object :math:`W = A_1 \cdots A_{S-1} B`,
and then contracts that object, the environment and the object's mirror image. One einsum a
step, all rows at once, the two classes one after the other, gradients by autograd. Nothing
here is tuned; every ratio on the performance page is taken against it.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

# Axes: n row · l, m left bonds · r, t right bonds · i inner bond · s feature · k output.


def rescaled(env: Tensor) -> tuple[Tensor, Tensor]:
    """Divide each row's environment by its largest entry; return it and the logarithm."""
    size = env.detach().abs().flatten(1).amax(dim=1)
    return env / size[:, None, None], size.log()


def state_log_norms(cores: Sequence[Tensor], features: Sequence[Tensor]) -> Tensor:
    """Log-norms of one state, shape (rows,); a core is (feature, left, output, right)."""
    env = features[0].new_ones(len(features[0]), 1, 1)
    log_scale = env.new_zeros(len(env))
    block = None
    for site, (core, phi) in enumerate(zip(cores, features, strict=True)):
        half = torch.einsum("ns,slkr->nlkr", phi, core)
        last = site == len(cores) - 1
        if half.shape[2] == 1 and not last:
            matrix = half[:, :, 0]
            block = matrix if block is None else torch.einsum("nli,nir->nlr", block, matrix)
            continue
        if block is not None:
            half = torch.einsum("nli,nikr->nlkr", block, half)
        env = torch.einsum("nlm,nlkr->nmkr", env, half)
        env = torch.einsum("nmkr,nmkt->nrt", env, half)
        env, log_size = rescaled(env)
        log_scale = log_scale + log_size
        block = None
    return 0.5 * (env[:, 0, 0].log() + log_scale)


def state_log_frobenius_norm(cores: Sequence[Tensor]) -> Tensor:
    """Log-Frobenius norm of one state, a scalar."""
    env = cores[0].new_ones(1, 1)
    log_scale = env.new_zeros(())
    for core in cores:
        half = torch.einsum("lm,slkr->smkr", env, core)
        env = torch.einsum("smkr,smkt->rt", half, core)
        size = env.detach().abs().amax()
        env, log_scale = env / size, log_scale + size.log()
    return 0.5 * (env[0, 0].log() + log_scale)


def log_norms(cores: Sequence[Tensor], features: Sequence[Tensor]) -> Tensor:
    """Log-norms of stacked chains, one chain after the other, shape (chains, rows)."""
    chains = range(len(cores[0]))
    return torch.stack([state_log_norms([c[g] for c in cores], features) for g in chains])


def log_frobenius_norms(cores: Sequence[Tensor]) -> Tensor:
    """Log-Frobenius norms of stacked chains, shape (chains,)."""
    chains = range(len(cores[0]))
    return torch.stack([state_log_frobenius_norm([c[g] for c in cores]) for g in chains])
