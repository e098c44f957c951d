"""Real Dask and Ray clusters on this machine give the very results of one process."""

import logging
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cluster_tasks import MortalEmbedding, MortalModel, mortal_square
from fitters import classifier, points
from joblib import parallel_config
from runners import TASKS, constant
from scored_models import mixed_table, small_network
from searchers import small_search
from sklearn.tree import DecisionTreeClassifier
from small_chains import rows as chain_rows
from small_chains import start

from pulps.benchmark.protocol import Method
from pulps.benchmark.run import run
from pulps.benchmark.store import Store
from pulps.decision.copies import collect_votes, fit_members
from pulps.io.workers import Call, as_they_come, in_order
from pulps.scale import score_dask, score_ray, score_rows
from pulps.training.ensemble import train_members
from pulps.training.loop import LoopSettings

HERE = Path(__file__).parents[1]
PATHS = os.pathsep.join([str(HERE), str(HERE.parent / "src")])


@pytest.fixture(scope="module")
def dask_cluster():
    distributed = pytest.importorskip("distributed")
    # Workers are processes of their own; they find this folder like pytest does.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", PATHS)
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",  # any free port: another run may have the usual one
                silence_logs=logging.CRITICAL,
            ) as cluster,
            distributed.Client(cluster),
            parallel_config(backend="dask", n_jobs=2),
        ):
            yield cluster


@pytest.fixture(scope="module")
def ray_cluster():
    ray = pytest.importorskip("ray")
    joblib_of_ray = pytest.importorskip("ray.util.joblib")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", PATHS)
        patch.setenv("RAY_worker_niceness", "0")  # or anything else on the machine goes first
        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.CRITICAL,
            object_store_memory=80 * 2**20,
        )
        joblib_of_ray.register_ray()
        try:
            with parallel_config(backend="ray", n_jobs=2):
                yield ray
        finally:
            ray.shutdown()


@pytest.fixture(params=["dask", "ray"])
def cluster(request):
    return request.getfixturevalue(f"{request.param}_cluster")


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


def benchmarked(folder, n_jobs):
    with Store(folder / f"{n_jobs}.jsonl") as store:
        records = list(run(TASKS, [Method("constant", constant)], store, n_jobs=n_jobs))
    return sorted((record["task"], record["f1_pos"], record["seed"]) for record in records)


def assert_equal_to_serial(folder):
    X, _ = points()
    np.testing.assert_array_equal(
        collect_votes(members(n_jobs=2), X), collect_votes(serial(members), X)
    )
    pd.testing.assert_frame_equal(searched(n_jobs=2), serial(searched))
    alone = benchmarked(folder, 1)
    assert len(alone) == len(TASKS)
    assert benchmarked(folder, 2) == alone


def test_a_cluster_gives_the_results_of_one_process(cluster, tmp_path):
    assert_equal_to_serial(tmp_path)


def test_a_worker_that_is_killed_costs_only_its_call(cluster, tmp_path):
    (tmp_path / "dies").touch()
    calls = [Call(mortal_square, (n, str(tmp_path))) for n in range(8)]
    assert in_order(calls) == [n * n for n in range(8)]
    assert not (tmp_path / "dies").exists()
    made = (tmp_path / "calls").read_text().split()
    assert made.count("3") == 2
    assert len(made) <= 11  # what waited behind it may run again


@pytest.mark.filterwarnings("ignore")
def test_members_of_one_model_are_trained_on_the_cluster_to_the_same_bits(cluster):
    frame, labels = mixed_table()
    options = {"n_members": 3, "prior": 0.4, "batch_size": 50}
    spread = small_network(**options).fit(frame, labels)
    with parallel_config(backend="sequential"):
        alone = small_network(**options).fit(frame, labels)
    for found, wanted in (
        (spread.positive_cores_, alone.positive_cores_),
        (spread.negative_cores_, alone.negative_cores_),
    ):
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_worker_that_is_killed_costs_only_its_members(cluster, tmp_path):
    def trained():
        batches = chain_rows(4)
        batches.embed = MortalEmbedding(str(tmp_path))
        return train_members(start, batches, LoopSettings(max_epochs=3), max_restarts=0)

    with parallel_config(backend="sequential"):
        wanted = trained()
    (tmp_path / "calls").unlink()
    (tmp_path / "dies").touch()
    found = trained()
    assert not (tmp_path / "dies").exists()
    for one, other in zip(found.cores, wanted.cores, strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())
    assert len((tmp_path / "calls").read_text().split()) == 3  # two groups, one of them again


def test_a_cluster_takes_no_more_calls_once_nobody_wants_results(cluster, tmp_path):
    taken = []

    def calls():
        for n in range(50):
            taken.append(n)
            yield Call(mortal_square, (n, str(tmp_path)))

    results = as_they_come(calls())
    assert next(results) in [n * n for n in range(50)]
    results.close()
    assert len(taken) < 10


def test_a_dask_worker_that_is_killed_costs_only_its_partition(dask_cluster, scored, tmp_path):
    dd = pytest.importorskip("dask.dataframe")
    model, rows, expected = scored
    (tmp_path / "dies").touch()
    frame = dd.from_pandas(rows, npartitions=4)
    found = score_dask(MortalModel(model, str(tmp_path)), frame).compute()
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
    assert not (tmp_path / "dies").exists()
    assert 5 <= len((tmp_path / "calls").read_text().split()) <= 7  # its queue may run again


def test_a_dask_frame_is_scored_partition_by_partition(dask_cluster, scored):
    dd = pytest.importorskip("dask.dataframe")
    model, rows, expected = scored
    frame = dd.from_pandas(rows, npartitions=3)
    found = score_dask(model, frame)
    assert found.npartitions == 3
    pd.testing.assert_frame_equal(found.compute(), expected, check_dtype=False)
    with pytest.raises(ValueError, match="lacks 1 of the 3 columns"):
        score_dask(model, frame.drop(columns="a"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")
def test_a_ray_dataset_is_scored_block_by_block(ray_cluster, scored):
    data = pytest.importorskip("ray.data")
    data.DataContext.get_current().enable_progress_bars = False
    model, rows, expected = scored
    dataset = data.from_pandas([rows[:100], rows[100:]])
    found = score_ray(model, dataset).to_pandas()
    pd.testing.assert_frame_equal(found, expected.reset_index(drop=True), check_dtype=False)
    with pytest.raises(ValueError, match="lacks 1 of the 3 columns"):
        score_ray(model, dataset.drop_columns(["a"]))
