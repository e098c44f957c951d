"""Small tables of categories, for Bayesian rivals."""

from itertools import product

import numpy as np
from hypothesis import strategies as st

CELLS = np.array(list(product([0, 1], [0, 1, 2], [0, 1])), dtype=float)
ALL = [0, 1, 2]


@st.composite
def exact_tables(draw):
    """Every row occurs in both classes; each positive twice, labeled and unlabeled."""
    counts = draw(st.lists(st.integers(1, 4), min_size=24, max_size=24))
    positive = np.repeat(CELLS, counts[:12], axis=0)
    negative = np.repeat(CELLS, counts[12:], axis=0)
    X = np.concatenate([positive, positive, negative])
    y = np.repeat([1, 0, 0], [len(positive), len(positive), len(negative)])
    truth = np.repeat([1, 1, 0], [len(positive), len(positive), len(negative)])
    return X, y, truth


def drawn_table(n_rows, share, seed):
    """Three attributes, independent in each class; the positives have a region of their own."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_rows) < share
    chances = np.where(truth[:, None, None], [0.05, 0.15, 0.3, 0.5], [0.5, 0.35, 0.15, 0.0])
    X = (rng.random((n_rows, 3, 1)) > chances.cumsum(axis=2)).sum(axis=2).clip(max=3)
    labeled = truth & (rng.random(n_rows) < 0.4)
    return X.astype(float), truth, labeled
