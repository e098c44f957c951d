"""Where files come from, and what is said if they do not come."""

import gzip

import pytest
from datafolder import DATA, needs_data

from pulps.datasets import (
    CorruptedDataError,
    DataUnavailableError,
    load_dataset,
)


def test_the_folder_in_the_environment_is_used(folder, monkeypatch):
    monkeypatch.setenv("PULPS_DATA", str(folder))
    assert load_dataset("iris").X.shape == (100, 4)


def test_a_truncated_gzip_is_detected(folder):
    path = folder / "iris.csv"
    packed = gzip.compress(path.read_bytes())
    path.unlink()
    (folder / "iris.csv.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(CorruptedDataError, match="not a complete gzip"):
        load_dataset("iris", data_home=folder)


@needs_data
@pytest.mark.parametrize("place", [0.2, 0.5, 0.9])
def test_a_flipped_byte_in_a_gzip_is_detected(tmp_path, place):
    content = bytearray((DATA / "nursery.csv.gz").read_bytes())
    content[int(place * len(content))] ^= 16
    (tmp_path / "nursery.csv.gz").write_bytes(bytes(content))
    with pytest.raises(CorruptedDataError, match=r"nursery\.csv\.gz"):
        load_dataset("nursery", data_home=tmp_path)


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("name", ["iris", "heart-c"])
def test_a_missing_file_without_network_names_three_ways(tmp_path, name):
    with pytest.raises(DataUnavailableError) as caught:
        load_dataset(name, data_home=tmp_path)
    message = str(caught.value)
    for part in ("data_home=", "PULPS_DATA", "(1)", "(2)", "(3)", "service not known"):
        assert part in message


def test_the_network_can_be_forbidden():
    with pytest.raises(DataUnavailableError, match="downloads are off"):
        load_dataset("iris", download_if_missing=False)


@pytest.mark.usefixtures("no_network")
def test_a_damaged_cache_without_network_is_named(empty_cache):
    empty_cache.mkdir()
    (empty_cache / "iris.csv").write_bytes(b"sepallength")
    with pytest.raises(DataUnavailableError, match="cache is damaged"):
        load_dataset("iris")
