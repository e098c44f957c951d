"""A small model, served."""

import warnings

import pytest
from serving import open_client, small_model

from pulps.decision import AgreementWarning


@pytest.fixture(scope="session")
def model():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AgreementWarning)
        return small_model()


@pytest.fixture(scope="package")
def client(model):
    """A client of a server with a model."""
    with open_client(model) as client:
        yield client
