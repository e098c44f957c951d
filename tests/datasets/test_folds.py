"""Published folds."""

import shutil

import pytest
from datafolder import DATA, needs_data

from pulps.datasets import (
    CorruptedDataError,
    load_published_folds,
    published_fold_names,
)


@needs_data
@pytest.mark.parametrize("name", published_fold_names())
def test_published_folds_label_only_training_positives(name):
    data = load_published_folds(name, data_home=DATA)
    for percent in (30, 40, 50):
        for split in data.splits(percent):
            assert len(split.train) + len(split.test) == len(data.y)
            assert (split.y <= data.y[split.train]).all()
            share = split.y.sum() / data.y[split.train].sum()
            assert abs(100 * share - percent) < 3
    assert (data.labeled[30] <= data.labeled[40]).all()


@needs_data
def test_damaged_folds_are_refused(tmp_path):
    (tmp_path / "gpu_splits").mkdir()
    copy = tmp_path / "gpu_splits" / "vote.csv.gz"
    shutil.copy(DATA / "gpu_splits" / "vote.csv.gz", copy)
    copy.chmod(0o644)
    copy.write_bytes(copy.read_bytes()[:-20])
    with pytest.raises(CorruptedDataError, match=r"vote\.csv\.gz"):
        load_published_folds("vote", data_home=tmp_path)
