"""Training from files: the same model as in memory."""

import numpy as np
import pytest
from fitters import classifier

from pulps import LPSSemiSupervisedClassifier
from pulps.network.likelihood import LikelihoodRecipe
from pulps.scale import EncodedRows, fit_parquet

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
