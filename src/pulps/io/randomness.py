"""Randomness is handed down: scikit-learn's generators become seeds and torch's generators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils import check_random_state

if TYPE_CHECKING:
    import torch

Seed = int | np.random.RandomState | None  # what scikit-learn calls random_state


def new_seed(random_state: Seed) -> int:
    """Draw a seed from a ``random_state`` as scikit-learn understands it.

    Parameters
    ----------
    random_state
        Seed, generator or None.

    Returns
    -------
    int
        The seed.
    """
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def new_generator(random_state: Seed) -> torch.Generator:
    """Make a source of randomness for torch out of scikit-learn's.

    Parameters
    ----------
    random_state
        Seed, generator or None.

    Returns
    -------
    torch.Generator
        Seeded.

    Examples
    --------
    >>> new_generator(0).initial_seed() == new_seed(0)
    True
    """
    import torch  # here, because drawing a seed must not load it

    return torch.Generator().manual_seed(new_seed(random_state))
