"""Downloads are normalized, verified and cached."""

from types import SimpleNamespace

import pandas as pd
import pooch
import pytest
from datafolder import DATA, needs_data
from iris_tables import uci_iris

from pulps.datasets import (
    CorruptedDataError,
    DataUnavailableError,
    load_dataset,
    openml,
    table_info,
)


def test_a_refusal_of_openml_is_told(monkeypatch):
    def refuse(**kwargs):
        raise ValueError("Dataset with data_id 61 not found.")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
    with pytest.raises(DataUnavailableError, match="data_id 61 not found"):
        load_dataset("iris")


def openml_iris(calls):
    cells, classes = uci_iris()

    def fetch(**kwargs):
        calls.append(kwargs)
        data = pd.DataFrame(cells, columns=["a", "b", "c", "d"])  # names differ at OpenML
        return SimpleNamespace(data=data, target=pd.Series(classes, name="Class"))

    return fetch


def test_a_download_is_normalized_verified_and_cached(monkeypatch, empty_cache):
    calls = []
    monkeypatch.setattr("sklearn.datasets.fetch_openml", openml_iris(calls))
    first = load_dataset("iris")
    second = load_dataset("iris")
    assert len(calls) == 1
    assert calls[0]["data_id"] == 61
    assert calls[0]["n_retries"] >= 1
    pd.testing.assert_frame_equal(first.X, second.X)
    assert (empty_cache / "iris.csv").is_file()


def test_a_damaged_cache_is_downloaded_again(monkeypatch, empty_cache):
    calls = []
    monkeypatch.setattr("sklearn.datasets.fetch_openml", openml_iris(calls))
    load_dataset("iris")
    (empty_cache / "iris.csv").write_bytes(b"sepallength")
    assert load_dataset("iris").X.shape == (100, 4)
    assert len(calls) == 2


@pytest.mark.parametrize("damage", ["value", "rows", "columns"])
def test_a_download_with_other_content_is_refused(monkeypatch, empty_cache, damage):
    cells, classes = uci_iris()
    if damage == "value":
        cells[0, 0] += 1
    elif damage == "rows":
        cells, classes = cells[1:], classes[1:]
    else:
        cells = cells[:, 1:]
    bunch = SimpleNamespace(data=pd.DataFrame(cells), target=pd.Series(classes))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **kwargs: bunch)
    with pytest.raises(CorruptedDataError, match="OpenML 61"):
        load_dataset("iris")
    assert not (empty_cache / "iris.csv").exists()


@needs_data
@pytest.mark.usefixtures("no_network")
def test_the_uci_codes_of_heart_c_give_the_registered_table(monkeypatch):
    names = [attribute.name for attribute in table_info("heart-c").attributes] + ["class"]
    frame = pd.read_csv(DATA / "heart-c.csv", dtype=str, keep_default_na=False)
    for name, codes in openml.CLEVELAND.items():
        frame[name] = frame[name].map({word: code for code, word in codes.items()})
    frame = frame[names].fillna("?").replace("", "?")

    def send(self, url, output_file, *args):
        frame.to_csv(output_file, header=False, index=False)

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", send)
    assert load_dataset("heart-c").X.shape == (297, 13)
