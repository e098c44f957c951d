"""Fits in processes of their own, for tests that kill them."""

import os
import signal

import numpy as np
import torch

from pulps import LPSClassifier
from pulps.estimators.tables.checkpoint import Checkpoint


def points(n_rows=80):
    rng = np.random.default_rng(0)
    truth = rng.random(n_rows) < 0.5
    X = rng.normal(size=(n_rows, 3)) + 1.5 * truth[:, None]
    return X, (truth & (rng.random(n_rows) < 0.5)).astype(int)


def classifier(**parameters):
    small = {"bond_dim": 3, "feature_dim": 3, "n_members": 4, "max_epochs": 24}
    return LPSClassifier.from_parameters(
        **(small | {"max_restarts": 1, "random_state": 3} | parameters)
    )


def fit_until_killed(parameters, n_writes):
    """Fit, and die by SIGKILL right after the checkpoint was written for the n-th time."""
    torch.set_num_threads(1)
    write, written = Checkpoint.epoch_done, []

    def counted(self, arrays):
        write(self, lambda: written.append(self) or arrays())
        if len(written) >= n_writes:
            os.kill(os.getpid(), signal.SIGKILL)

    Checkpoint.epoch_done = counted
    classifier(**parameters).fit(*points())
