"""Image sets."""

import gzip

import numpy as np
import pooch
import pytest
import requests
from datafolder import DATA, needs_data

from pulps.datasets import (
    CorruptedDataError,
    images,
    load_images,
)
from pulps.datasets.registry import ImagesInfo
from pulps.datasets.sources import sha256


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
