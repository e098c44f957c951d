"""A folder of tables: read as described, or refused with what to do."""

import gzip
import json

import numpy as np
import pytest
from datafolder import DEVELOP, needs_develop

from pulps.datasets import CorruptedDataError, DataUnavailableError
from pulps.datasets.folder import folder_tables, load_folder_table, table_folder
from pulps.datasets.sources import sha256

CSV = "color,size,grade,class\nred,1,low,yes\n,2.5,high,no\nblue,,low,no\nred,3,mid,maybe\n"
ENTRY = {"file": "a.csv", "positive_class": "yes", "negative_class": "no"}
GRADES = {"name": "grade", "kind": "ordinal", "values": ["low", "mid", "high"]}
ATTRIBUTES = [
    {"name": "color", "kind": "categorical"},
    {"name": "size", "kind": "numeric"},
    GRADES,
]


def write(folder, entry=ENTRY, text=CSV, **more):
    (folder / "a.csv").write_text(text, encoding="utf-8")
    index = {"datasets": {"a": {**entry, **more}}}
    (folder / "datasets.json").write_text(json.dumps(index), encoding="utf-8")
    return folder


def test_two_classes_are_kept_and_holes_stay_holes(tmp_path):
    table = load_folder_table(write(tmp_path), "a")
    assert table.X.shape == (3, 3)
    np.testing.assert_array_equal(table.is_larger, [False, True, True])
    assert table.X["size"].isna().tolist() == [False, False, True]
    assert table.X["color"].isna().tolist() == [False, True, False]
    assert table.X["size"].dtype == np.float64
    assert table.X["color"].dtype == "category"
    assert not table.X["grade"].cat.ordered


def test_kinds_may_be_said(tmp_path):
    table = load_folder_table(write(tmp_path, attributes=ATTRIBUTES), "a")
    assert table.X["grade"].cat.ordered
    assert list(table.X["grade"].cat.categories) == ["low", "high"]
    as_words = [{"name": "color", "kind": "binary"}, {"name": "size", "kind": "categorical"}]
    table = load_folder_table(write(tmp_path, attributes=[*as_words, GRADES]), "a")
    assert table.X["size"].dtype == "category"


def test_the_larger_class_is_found_whatever_is_called_positive(tmp_path):
    swapped = {"file": "a.csv", "positive_class": "no", "negative_class": "yes"}
    first = load_folder_table(write(tmp_path), "a").is_larger
    second = load_folder_table(write(tmp_path, swapped), "a").is_larger
    np.testing.assert_array_equal(first, second)
    pair = {"file": "a.csv", "positive_class": "maybe", "negative_class": "yes"}
    table = load_folder_table(write(tmp_path, pair), "a")
    np.testing.assert_array_equal(table.is_larger, [False, True])  # a tie: the positive one


def test_a_file_that_is_written_again_is_read_again(tmp_path):
    before = load_folder_table(write(tmp_path), "a")
    after = load_folder_table(write(tmp_path, text=CSV + "red,9,low,yes\nred,8,low,yes\n"), "a")
    assert (len(before.X), len(after.X)) == (3, 5)
    assert before.sha256 != after.sha256


def test_packed_files_have_the_checksum_of_what_is_in_them(tmp_path):
    plain = load_folder_table(write(tmp_path), "a")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    write(tmp_path, {**ENTRY, "file": "a.csv.gz"})
    assert load_folder_table(tmp_path, "a").sha256 == plain.sha256 == sha256(CSV.encode())


def test_constant_columns_and_images_are_left_out(tmp_path):
    write(tmp_path, text="x,z,class\n1,5,yes\n2,5,no\n3,5,no\n")
    index = json.loads((tmp_path / "datasets.json").read_text())
    index["datasets"]["digits"] = {"kind": "images", "files": {}}
    (tmp_path / "datasets.json").write_text(json.dumps(index))
    assert folder_tables(tmp_path) == ["a"]
    assert list(load_folder_table(tmp_path, "a").X) == ["x"]


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (CSV, {"sha256": "0" * 64}, "damaged or another version"),
        (CSV, {"negative_class": "never"}, "0 of the negative class 'never'"),
        (CSV, {"negative_class": "yes"}, "both need rows"),
        (CSV, {"attributes": ATTRIBUTES[1:]}, "describes size, grade"),
        (CSV, {"attributes": [*ATTRIBUTES[:2], {"name": "grade", "kind": "ordinal"}]}, "in order"),
        (CSV, {"attributes": [*ATTRIBUTES[:2], {**GRADES, "values": ["low"]}]}, "'high'"),
        (CSV, {"attributes": [{"name": "color", "kind": "numeric"}, *ATTRIBUTES[1:]]}, "numbers"),
        (CSV.replace("class", "target"), {}, "the last one 'class'"),
        (CSV + "red,1\n", {}, "line 6 has 2 cells"),
        ("", {}, "header"),
    ],
)
def test_what_does_not_fit_its_description_is_refused(tmp_path, text, more, message):
    with pytest.raises(CorruptedDataError, match=message):
        load_folder_table(write(tmp_path, text=text, **more), "a")


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("[1]", "one entry per table"),
        ("{", "one entry per table"),
        ('{"datasets": {"a": {}}}', "file"),
    ],
)
def test_a_broken_index_is_refused(tmp_path, index, message):
    (tmp_path / "datasets.json").write_text(index)
    with pytest.raises(CorruptedDataError, match=message):
        folder_tables(tmp_path)


def test_a_missing_folder_or_file_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.delenv("PULPS_DATA", raising=False)
    with pytest.raises(DataUnavailableError, match="--data"):
        table_folder()
    monkeypatch.setenv("PULPS_DATA", str(tmp_path))
    with pytest.raises(DataUnavailableError, match=r"develop.*--data.*PULPS_DATA"):
        table_folder()
    (tmp_path / "develop").mkdir()
    write(tmp_path / "develop")
    assert table_folder() == tmp_path / "develop"
    with pytest.raises(ValueError, match="no table 'b'"):
        load_folder_table(table_folder(), "b")
    (tmp_path / "develop" / "a.csv").unlink()
    with pytest.raises(DataUnavailableError, match="not there"):
        load_folder_table(table_folder(), "a")


@needs_develop
def test_the_development_tables_are_as_described():
    entries = json.loads((DEVELOP / "datasets.json").read_text(encoding="utf-8"))["datasets"]
    assert folder_tables(DEVELOP) == list(entries)
    for name, entry in entries.items():
        table, counts = load_folder_table(DEVELOP, name), entry["class_counts"]
        assert table.is_larger.sum() == counts[entry["positive_class"]], name
        assert (~table.is_larger).sum() == counts[entry["negative_class"]], name
        kinds = {one["name"]: one["kind"] for one in entry["attributes"]}
        for column, dtype in table.X.dtypes.items():
            assert (dtype == np.float64) == (kinds[column] == "numeric"), (name, column)
