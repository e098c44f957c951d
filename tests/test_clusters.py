"""A real Dask cluster on this machine gives the very results of one process."""

import logging
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cluster_tasks import MortalModel
from fitters import classifier, points
from joblib import parallel_config
from searchers import small_search
from sklearn.tree import DecisionTreeClassifier

from pulps.scale import score_dask, score_rows
from pulps.votes import collect_votes, fit_members

distributed = pytest.importorskip("distributed")
dd = pytest.importorskip("dask.dataframe")

HERE = Path(__file__).parent
PATHS = os.pathsep.join([str(HERE), str(HERE.parent / "src")])


@pytest.fixture(scope="module")
def dask_cluster():
    # Workers are processes of their own; they find this folder like pytest does.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", PATHS)
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            distributed.Client(cluster),
            parallel_config(backend="dask", n_jobs=2),
        ):
            yield cluster


@pytest.fixture(scope="module")
def scored():
    X, y = points()
    rows = pd.DataFrame(X, columns=list("abc")).assign(note="kept")
    model = classifier(max_epochs=8, label_parts=None).fit(rows[list("abc")], y)
    return model, rows, score_rows(model, rows)


def members(**options):
    tree = DecisionTreeClassifier(max_features=1, class_weight="balanced")
    return fit_members(tree, *points(), n_members=3, random_state=0, **options)


def searched(**options):
    found = small_search(n_trials=2, trials_at_once=2, cv=None, **options).fit(*points())
    return found.cv_results_.drop(columns="fit_seconds")


def serial(function):
    with parallel_config(backend="sequential"):
        return function(n_jobs=1)


def assert_equal_to_serial():
    X, _ = points()
    np.testing.assert_array_equal(
        collect_votes(members(n_jobs=2), X), collect_votes(serial(members), X)
    )
    pd.testing.assert_frame_equal(searched(n_jobs=2), serial(searched))


def test_dask_gives_the_results_of_one_process(dask_cluster):
    assert_equal_to_serial()


def test_a_dask_worker_that_is_killed_costs_only_its_partition(dask_cluster, scored, tmp_path):
    model, rows, expected = scored
    (tmp_path / "dies").touch()
    frame = dd.from_pandas(rows, npartitions=4)
    found = score_dask(MortalModel(model, str(tmp_path)), frame).compute()
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert not (tmp_path / "dies").exists()
    assert 5 <= len((tmp_path / "calls").read_text().split()) <= 7  # its queue may run again


def test_a_dask_frame_is_scored_partition_by_partition(dask_cluster, scored):
    model, rows, expected = scored
    frame = dd.from_pandas(rows, npartitions=3)
    found = score_dask(model, frame)
    assert found.npartitions == 3
    pd.testing.assert_frame_equal(found.compute(), expected, check_dtype=False)
    with pytest.raises(ValueError, match="lacks 1 of the 3 columns"):
        score_dask(model, frame.drop(columns="a"))
