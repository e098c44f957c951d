"""A table as files hold it, and a model of it."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest
from fitters import classifier, points

from pulps.decision import AgreementWarning


def make_table(n_rows=300, seed=0):
    """Numbers, codes, words and holes; whole numbers first, others only in later rows."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n_rows) < 0.5
    late = np.arange(n_rows) > n_rows // 2
    table = pd.DataFrame(
        {
            "id": np.arange(n_rows),
            "size": np.where(late, rng.normal(size=n_rows), 0).round(2) + 2 * truth,
            "code": np.where(rng.random(n_rows) < 0.1, None, np.where(truth, "1", "2")),
            "word": np.where(late & truth, "old", np.where(truth, "17", "4")),
            "bought": (truth & (rng.random(n_rows) < 0.5)).astype(int),
        }
    )
    return pd.read_csv(io.StringIO(table.to_csv(index=False)))


@pytest.fixture(scope="session")
def table():
    return make_table()


@pytest.fixture(scope="session")
def fitted(table):
    model = classifier(max_epochs=8, categorical_features=["code", "word"], n_repeats=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)  # a few epochs decide little
        return model.fit(table[["size", "code", "word"]], table["bought"])


@pytest.fixture(scope="session")
def array_model():
    """A model of two columns that have no names."""
    X, y = points()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        return classifier(max_epochs=8, n_repeats=1).fit(X[:, :2], y)
