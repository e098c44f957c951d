"""Log-Frobenius norms in PyTorch: the sweep in which every site is traced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from pulps.network.engine.threads import one_thread_each


class LogFrobeniusNorms(torch.autograd.Function):
    """Log-Frobenius norms: every site is traced, so its factor is the core itself."""

    @staticmethod
    @one_thread_each()
    def forward(ctx: torch.autograd.function.FunctionCtx, *cores: Tensor) -> Tensor:
        """Sweep one environment per chain.

        Parameters
        ----------
        ctx
            Where PyTorch keeps what the backward pass needs.
        *cores
            One tensor (chains, feature, left, output, right) per site.

        Returns
        -------
        Tensor
            One log-norm per chain.
        """
        tiny = torch.finfo(cores[0].dtype).tiny
        n_chains = cores[0].shape[0]  # len() of a tensor takes ten times as long
        env = cores[0].new_ones(n_chains, 1, 1)
        log_scale = env.new_zeros(n_chains)
        tape = []
        for core in cores:
            right = core.shape[4]
            factor = core.transpose(1, 2).flatten(2)  # feature joins output: (g, l, s k r)
            half = torch.bmm(env, factor).view(n_chains, -1, right)
            new = torch.bmm(half.mT, factor.view(half.shape))
            trace = new.diagonal(dim1=1, dim2=2).sum(1).clamp_min_(tiny)
            log_scale.add_(trace.log())
            trace = trace[:, None, None]
            tape.append((env, factor, trace))
            env = new.div_(trace)
        ctx.save_for_backward(*cores)
        ctx.tape = tape  # type: ignore[attr-defined]
        return log_scale.mul_(0.5)

    @staticmethod
    @once_differentiable
    @one_thread_each()
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, ...]:
        """Walk back through the sites.

        Parameters
        ----------
        ctx
            What the forward pass kept.
        grad
            Gradient by the log-norms, shape (chains,).

        Returns
        -------
        tuple of Tensor
            One gradient per core.
        """
        cores, grads = ctx.saved_tensors, []
        half = grad.view(-1, 1, 1)
        for core, (env, factor, trace) in zip(reversed(cores), reversed(ctx.tape), strict=True):
            g, s, left, k, right = core.shape
            half = half / trace
            onward = torch.bmm(factor.view(g, -1, right), half).view(factor.shape)
            grads.append(torch.bmm(env, onward).view(g, left, s, k, right).transpose(1, 2))
            half = torch.bmm(onward, factor.mT)
        return tuple(reversed(grads))


def log_frobenius_norms(cores: Sequence[Tensor]) -> Tensor:
    """Log-Frobenius norms of stacked chains, shape (chains,).

    Parameters
    ----------
    cores
        One tensor (chains, feature, left, output, right) per site.

    Returns
    -------
    Tensor
        One log-norm per chain.
    """
    return LogFrobeniusNorms.apply(*cores)
