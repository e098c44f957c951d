"""Models that are fitted once and saved, to be scored in several ways."""

import warnings

import pytest
from scored_models import models


@pytest.fixture(scope="session")
def saved(tmp_path_factory):
    """Return fitted models by name, with their file and what they were fitted on."""
    folder = tmp_path_factory.mktemp("models")
    found = {}
    for name, (model, X, y) in models().items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        file = folder / f"{name.replace(' ', '-')}.pulps"
        model.save(file)
        found[name] = (model, file, X)
    return found
