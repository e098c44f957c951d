"""Tables have the registered counts."""

import numpy as np
import pytest
from datafolder import DATA, needs_data

from pulps.datasets import (
    load_dataset,
    table_names,
)
from pulps.datasets.registry import Counts
from pulps.datasets.sources import sha256


@needs_data
@pytest.mark.parametrize("name", table_names())
def test_counts_are_those_of_the_registry(name):
    data = load_dataset(name, data_home=DATA)
    counts = Counts(int(data.y.sum()), int((data.y == 0).sum()), data.X.shape[1])
    assert counts == data.metadata.here
    kinds = {attribute.name: attribute.kind for attribute in data.metadata.attributes}
    for column, dtype in data.X.dtypes.items():
        assert (dtype == np.float64) == (kinds[column] == "numeric")
        assert getattr(dtype, "ordered", False) == (kinds[column] == "ordinal")
    assert sha256((DATA / data.metadata.file).read_bytes()) == data.metadata.sha256
    missing = name in ("audiology", "hepatitis")
    assert bool(data.X.isna().any(axis=None)) == missing


@needs_data
def test_all_rows_and_attributes_can_be_kept():
    data = load_dataset("vote", data_home=DATA, recipe="all")
    assert data.X.shape == (435, 16)
    assert int(data.y.sum()) == 267
    assert int(data.X.isna().sum().sum()) == 392


@needs_data
def test_all_classes_can_be_kept():
    data = load_dataset("soybean", data_home=DATA, classes="all")
    assert data.X.shape == (683, 35)
    assert len(np.unique(data.y)) == 19
    assert set(data.y) == set(data.metadata.classes)
    with pytest.raises(ValueError, match="classes is 'three'"):
        load_dataset("soybean", data_home=DATA, classes="three")
