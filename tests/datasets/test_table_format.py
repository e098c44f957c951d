"""A damaged table is an error, never half-used."""

import gzip

import pytest

from pulps.datasets import (
    CorruptedDataError,
    load_dataset,
)


def test_the_same_table_written_otherwise_is_accepted(folder):
    path = folder / "iris.csv"
    packed = gzip.compress(path.read_bytes().replace(b"3.0,", b"3,"))
    path.unlink()
    (folder / "iris.csv.gz").write_bytes(packed)
    assert load_dataset("iris", data_home=folder).X.shape == (100, 4)


@pytest.mark.parametrize("place", [0.05, 0.3, 0.5, 0.99])
def test_a_flipped_byte_is_detected(folder, place):
    path = folder / "iris.csv"
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(CorruptedDataError, match=r"iris\.csv"):
        load_dataset("iris", data_home=folder)


def test_a_truncated_table_is_detected(folder):
    path = folder / "iris.csv"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(CorruptedDataError, match=r"149 rows.* 150 rows"):
        load_dataset("iris", data_home=folder)
