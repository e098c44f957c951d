"""Tables have the registered counts; a damaged or missing file is an error, never half-used."""

import gzip
import shutil
from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pooch
import pytest
import requests
from datafolder import DATA, needs_data
from sklearn.datasets import load_iris

from pulps.datasets import (
    PAPER_TABLES,
    CorruptedDataError,
    DataUnavailableError,
    images,
    load_dataset,
    load_images,
    load_published_folds,
    make_toy,
    openml,
    published_fold_names,
    table_info,
    table_names,
)
from pulps.datasets.registry import Counts, ImagesInfo
from pulps.datasets.sources import sha256

EXCEPTIONS = {  # where our counts differ from the printed ones, and how
    "dermatology": Counts(111, 71, 33),  # one attribute is constant in the two classes
    "heart-c": Counts(160, 137, 13),  # the printed 160 negatives do not exist
    "mushroom": Counts(3488, 2156, 21),  # veil-type is constant
    "nursery": Counts(4320, 4266, 8),  # the paper prints one positive fewer
}


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("PULPS_DATA", raising=False)
    monkeypatch.setenv("PULPS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise URLError("Name or service not known")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", refuse)
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)


def uci_iris():
    """The rows of UCI: scikit-learn's with its two corrections undone."""
    bunch = load_iris()
    cells = bunch.data.copy()
    cells[34] = [4.9, 3.1, 1.5, 0.1]
    cells[37] = [4.9, 3.1, 1.5, 0.1]
    return cells, [f"Iris-{bunch.target_names[k]}" for k in bunch.target]


@pytest.fixture
def folder(tmp_path):
    cells, classes = uci_iris()
    names = [attribute.name for attribute in table_info("iris").attributes]
    lines = [",".join([*names, "class"])]
    lines += [",".join([*map(str, row), name]) for row, name in zip(cells, classes, strict=True)]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "iris.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "data"


def test_the_registry_has_the_paper_tables_and_the_weka_variant():
    assert table_names() == [*PAPER_TABLES, "heart-c-weka"]
    for name in PAPER_TABLES:
        info = table_info(name)
        assert info.here == EXCEPTIONS.get(name, info.paper)
        assert (info.openml is None) == (name == "heart-c")
        assert info.citation
        assert info.license


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


def test_the_folder_in_the_environment_is_used(folder, monkeypatch):
    monkeypatch.setenv("PULPS_DATA", str(folder))
    assert load_dataset("iris").X.shape == (100, 4)


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


def test_a_refusal_of_openml_is_told(monkeypatch):
    def refuse(**kwargs):
        raise ValueError("Dataset with data_id 61 not found.")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
    with pytest.raises(DataUnavailableError, match="data_id 61 not found"):
        load_dataset("iris")


def test_the_network_can_be_forbidden():
    with pytest.raises(DataUnavailableError, match="downloads are off"):
        load_dataset("iris", download_if_missing=False)


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


@pytest.mark.usefixtures("no_network")
def test_a_damaged_cache_without_network_is_named(empty_cache):
    empty_cache.mkdir()
    (empty_cache / "iris.csv").write_bytes(b"sepallength")
    with pytest.raises(DataUnavailableError, match="cache is damaged"):
        load_dataset("iris")


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


def idx(array):
    head = bytes([0, 0, 8, array.ndim]) + b"".join(n.to_bytes(4, "big") for n in array.shape)
    return gzip.compress(head + array.tobytes(), mtime=0)


@pytest.fixture
def tiny_images(monkeypatch):
    files = {
        "tiny/train-images-idx3-ubyte.gz": idx(np.arange(8, dtype=np.uint8).reshape(2, 2, 2)),
        "tiny/train-labels-idx1-ubyte.gz": idx(np.array([3, 5], dtype=np.uint8)),
        "tiny/t10k-images-idx3-ubyte.gz": idx(np.zeros((1, 2, 2), dtype=np.uint8)),
        "tiny/t10k-labels-idx1-ubyte.gz": idx(np.array([3], dtype=np.uint8)),
    }
    digests = {file: sha256(content) for file, content in files.items()}
    info = ImagesInfo("tiny", 0, "https://example.org/tiny/", digests, "", "")
    monkeypatch.setattr(images, "images_info", lambda name: info)
    return files


def test_images_are_downloaded_with_retries_and_cached(monkeypatch, tiny_images):
    asked = []

    def send(self, url, output_file, *args):
        asked.append(url)
        if len(asked) == 1:
            raise requests.exceptions.ConnectionError("reset")
        name = url.rsplit("/", 1)[1]
        content = tiny_images[f"tiny/{name}"]
        with open(output_file, "wb") as file:  # noqa: PTH123
            file.write(content)
        self.progressbar.total = len(content)
        self.progressbar.update(len(content))
        self.progressbar.reset()
        self.progressbar.close()

    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", send)
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    data = load_images("tiny")
    assert data.train_images.shape == (2, 2, 2)
    assert data.train_labels.tolist() == [3, 5]
    n_asked = len(asked)
    load_images("tiny")
    assert len(asked) == n_asked


def test_images_with_another_checksum_are_refused(tmp_path, tiny_images):
    for file, content in tiny_images.items():
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    assert load_images("tiny", data_home=tmp_path).test_labels.tolist() == [3]
    path.write_bytes(content[:-1] + b"\1")
    with pytest.raises(CorruptedDataError, match="t10k-labels"):
        load_images("tiny", data_home=tmp_path)


@pytest.mark.parametrize("content", [b"", b"\0\0\x09\1", bytes([0, 0, 8, 1, 0, 0, 0, 9, 1])])
def test_bytes_that_are_no_idx_array_are_refused(content):
    with pytest.raises(CorruptedDataError, match=r"idx|fill"):
        images.parse_idx(content)


@needs_data
def test_mnist_has_the_original_counts():
    data = load_images("mnist", data_home=DATA)
    assert data.train_images.shape == (60000, 28, 28)
    assert np.bincount(data.test_labels).tolist()[:3] == [980, 1135, 1032]


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


@pytest.mark.parametrize("name", ["moons", "circles", "blobs"])
def test_toy_sets_hide_labels_of_half_the_rows(name):
    X, y, y_true = make_toy(name, random_state=3)
    assert X.shape == (1000, 2)
    assert int(y.sum()) == 100
    assert int(y_true.sum()) == 500
    assert (y <= y_true).all()
    again = make_toy(name, random_state=3)
    pd.testing.assert_frame_equal(X, again.X)
    np.testing.assert_array_equal(y, again.y)


@pytest.mark.parametrize(
    "call",
    [
        lambda: load_dataset("votes"),
        lambda: load_dataset("vote", recipe="mine"),
        lambda: load_images("cifar"),
        lambda: load_published_folds("iris"),
        lambda: make_toy("spiral"),
        lambda: make_toy("moons", n_labeled=501),
    ],
)
def test_wrong_requests_are_refused_before_any_file_is_opened(call):
    with pytest.raises(ValueError, match=r"Known|recipe|between"):
        call()
