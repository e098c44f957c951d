"""A model and its report."""

import warnings

import pytest
from reported import GENERATIVE, make_table

from pulps import LPSClassifier
from pulps.decision import AgreementWarning


@pytest.fixture(scope="session")
def fitted():
    table, truth, y = make_table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        return LPSClassifier.from_parameters(**GENERATIVE).fit(table, y), table, y, truth


@pytest.fixture(scope="session")
def report(fitted):
    model, table, y, _ = fitted
    return model.report(table, y, title="Mine", n_rows=30)
