"""Training from files: the same model as in memory."""

import tracemalloc
import weakref

import numpy as np
import pandas as pd
import pytest
from fitters import classifier
from sklearn.linear_model import LogisticRegression

from pulps import LPSClassifier, LPSSemiSupervisedClassifier
from pulps.network.likelihood import LikelihoodRecipe
from pulps.scale import EncodedRows, fit_parquet
from pulps.scale.parquet import _every

# A few epochs of a small model decide little; that is no matter here.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning",
    "ignore:Left out. id:pulps.tables.notices.TableWarning",
)


@pytest.fixture(scope="module")
def folder(table, tmp_path_factory):
    """Three files of one table, with row groups of odd sizes."""
    place = tmp_path_factory.mktemp("parts")
    table = table[:260]
    for part, (first, last) in enumerate([(0, 90), (90, 91), (91, 260)]):
        path = place / f"part-{part}.parquet"
        table.iloc[first:last].to_parquet(path, row_group_size=50, index=False)
    return place, table


@pytest.mark.parametrize("batch_size", [32, None])
def test_a_folder_gives_the_model_of_the_same_rows_in_memory(folder, batch_size):
    place, table = folder
    options = {"max_epochs": 3, "batch_size": batch_size, "first_guess": None}
    options |= {"roles": {"id": "number"}}  # so that no two rows are equal
    whole = classifier(**options).fit(table.drop(columns="bought"), table["bought"])
    parts = fit_parquet(classifier(**options), place, label="bought", rows_at_once=40)
    for a, b in zip(whole.positive_cores_, parts.positive_cores_, strict=True):
        np.testing.assert_array_equal(a, b)
    assert whole.threshold_report_ == parts.threshold_report_
    rows = table.drop(columns="bought")
    np.testing.assert_array_equal(whole.decision_function(rows), parts.decision_function(rows))
    assert parts.feature_names_in_.tolist() == list(rows.columns)


def test_known_negatives_give_the_model_of_the_same_rows_in_memory(folder, tmp_path):
    _, table = folder
    marks = np.where(table["bought"] == 1, 1, np.where(np.arange(len(table)) % 5 == 0, -1, 0))
    words = pd.Series(marks).map({1: "yes", -1: "no"})
    table.assign(bought=words).to_parquet(tmp_path / "words.parquet", index=False)
    options = {"max_epochs": 2, "first_guess": None, "roles": {"id": "number"}}
    rows = table.drop(columns="bought")
    whole = classifier(**options).fit(rows, marks)
    named = {"positive": "yes", "negative": "no"}
    parts = fit_parquet(classifier(**options), tmp_path, label="bought", **named)
    assert parts.classes_.tolist() == [-1, 1]
    np.testing.assert_array_equal(whole.decision_function(rows), parts.decision_function(rows))


def test_a_model_of_a_folder_is_saved_and_loaded(folder, tmp_path):
    place, table = folder
    model = fit_parquet(classifier(max_epochs=1), place, label="bought", rows_at_once=40)
    model.save(tmp_path / "model.pulps")
    rows, again = table.drop(columns="bought"), type(model).load(tmp_path / "model.pulps")
    np.testing.assert_array_equal(model.decision_function(rows), again.decision_function(rows))


# Rows of a file are not mixed to make up others, so networks taught by a first guess differ.
@pytest.mark.parametrize(
    "special",
    [{"blend": 0.0}, {"blend": 0.0, "unlabeled_class": "other"}, {"first_guess": None}],
)
def test_several_classes_give_the_model_of_the_same_rows_in_memory(folder, tmp_path, special):
    _, table = folder
    table = table.drop(columns="bought")
    kind = np.where(np.arange(len(table)) % 3 == 0, np.array(["a", "b"])[table["id"] % 2], None)
    table.assign(kind=kind).to_parquet(tmp_path / "t.parquet", index=False)
    options = {"max_epochs": 2, "batch_size": 32, "n_members": 1, "bond_dim": 2}
    options |= {"roles": {"id": "number"}, "random_state": 0, **special}
    whole = LPSSemiSupervisedClassifier(**options).fit(table, kind)
    parts = fit_parquet(
        LPSSemiSupervisedClassifier(**options), tmp_path / "t.parquet", label="kind"
    )
    assert parts.classes_.tolist() == whole.classes_.tolist()
    np.testing.assert_allclose(parts.predict_proba(table), whole.predict_proba(table))
    np.testing.assert_array_equal(parts.transduction_, whole.transduction_)


def test_ranges_may_come_from_a_sample(folder, monkeypatch):
    place, table = folder
    monkeypatch.setattr("pulps.scale.parquet.SAMPLE_ROWS", 100)
    model = fit_parquet(classifier(max_epochs=2), place, label="bought", rows_at_once=40)
    sample = table.drop(columns="bought").iloc[::3]
    reference = classifier(max_epochs=1).fit(sample, table["bought"].iloc[::3])
    np.testing.assert_array_equal(
        model.encoder_.columns_[0].knots, reference.encoder_.columns_[0].knots
    )


def test_encoded_rows_are_read_like_an_array(tmp_path):
    array = np.random.default_rng(0).normal(size=(20, 3))
    (tmp_path / "rows").write_bytes(array.tobytes())
    rows = EncodedRows(tmp_path / "rows", 3)
    assert len(rows) == 20
    for index in (slice(None), slice(4, 9), slice(18, 99), np.array([7, 7, 0, 19])):
        np.testing.assert_array_equal(rows[index], array[index])
    rows.close()


def test_what_cannot_be_trained_on_is_said(folder, tmp_path):
    place, _ = folder
    with pytest.raises(FileNotFoundError, match="There is no file or folder"):
        fit_parquet(classifier(), tmp_path / "nothing", label="bought")
    with pytest.raises(ValueError, match="has no column 'sold'"):
        fit_parquet(classifier(), place, label="sold")
    with pytest.raises(ValueError, match="density trains on all rows"):
        fit_parquet(classifier(density=LikelihoodRecipe()), place, label="bought")


def test_a_sample_of_rows_keeps_none_of_the_others():
    arrays = []

    def chunks():
        for _ in range(5):
            values = np.zeros((100, 3))
            arrays.append(weakref.ref(values))
            yield pd.DataFrame(values, copy=False)
            del values
            assert sum(array() is not None for array in arrays) <= 1  # the one that is read

    assert len(_every(7, chunks())) == -(-500 // 7)


def test_memory_grows_by_labels_and_scores_and_not_by_attributes(tmp_path, monkeypatch):
    n_columns, size = 8, 20_000
    monkeypatch.setattr("pulps.scale.parquet.SAMPLE_ROWS", 1000)
    monkeypatch.setattr("pulps.estimators.tables.deciding_rows.MOST_ROWS", 1000)
    monkeypatch.setattr("pulps.estimators.tables.guess.MOST_ROWS", 1000)

    reading = []
    fit_encoded = LPSClassifier.fit_encoded

    def watched(self, table):
        reading.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.reset_peak()
        return fit_encoded(self, table)

    monkeypatch.setattr(LPSClassifier, "fit_encoded", watched)

    def peaks(n_rows):
        rng = np.random.default_rng(0)
        truth = rng.random(n_rows) < 0.5
        cells = rng.normal(size=(n_rows, n_columns)) + truth[:, None]
        table = pd.DataFrame(cells, columns=[f"x{i}" for i in range(n_columns)])
        table["label"] = truth & (rng.random(n_rows) < 0.4)
        path = tmp_path / f"{n_rows}.parquet"
        table.to_parquet(path, row_group_size=5000, index=False)
        del table, cells
        model = classifier(
            first_guess=LogisticRegression(), max_epochs=1, n_members=4, bond_dim=2, n_repeats=1
        )
        tracemalloc.start()
        fit_parquet(model, path, label="label", rows_at_once=2500)
        training = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return np.array([reading[-1], training])

    peaks(size)  # what is imported on the way is no memory of a fit
    growth = (peaks(3 * size) - peaks(size)) / (2 * size)
    assert growth[0] < 8 * n_columns  # what the attributes alone would take
    assert growth[1] < 80  # one of 4 members' log-ratios takes 8
