"""MNIST and Fashion-MNIST, read from the four original idx files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pulps.datasets.registry import ImagesInfo, images_info
from pulps.datasets.sources import CorruptedDataError, download_file, find, read_bytes, verify


@dataclass(frozen=True, eq=False)
class ImageDataset:
    """Images as ``uint8`` (n, 28, 28) and their classes 0 … 9, in the original split.

    Parameters
    ----------
    train_images, train_labels
        Images to learn from, shape (n, 28, 28), and their classes.
    test_images, test_labels
        The same of images to test on.
    metadata
        The entry of the registry.
    """

    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray
    metadata: ImagesInfo


def load_images(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
) -> ImageDataset:
    """Load an image set.

    Parameters
    ----------
    name : {"mnist", "fashion-mnist"}
        Which one.
    data_home : path-like, optional
        Folder with a subfolder of that name. Default: the folder in ``PULPS_DATA``, else the
        cache, else a download.
    download_if_missing : bool
        Whether the network may be used. The downloads were not tried over the network; what
        arrives is used only if it has the registered checksum.

    Returns
    -------
    ImageDataset
    """
    info = images_info(name)

    def load(file: str, digest: str) -> np.ndarray:
        def read(path: Path) -> np.ndarray:
            verify(path, digest)
            return parse_idx(read_bytes(path))

        def download(path: Path) -> None:
            download_file(info.url + path.name, path, known_hash=f"sha256:{digest}")

        return find(
            file,
            data_home=data_home,
            read=read,
            download=download if download_if_missing else None,
        )

    arrays = {
        Path(file).name.split("-ubyte")[0]: load(file, digest)
        for file, digest in info.files.items()
    }
    return ImageDataset(
        arrays["train-images-idx3"],
        arrays["train-labels-idx1"],
        arrays["t10k-images-idx3"],
        arrays["t10k-labels-idx1"],
        info,
    )


def parse_idx(content: bytes) -> np.ndarray:
    """Read an array of bytes in idx format.

    Parameters
    ----------
    content
        Bytes of the file.

    Returns
    -------
    array
        The numbers.

    Examples
    --------
    >>> parse_idx(bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 9]))
    array([7, 9], dtype=uint8)
    """
    if len(content) < 4 or content[:3] != b"\0\0\x08":
        raise CorruptedDataError(f"An idx file starts with 00 00 08, not {content[:3].hex(' ')}.")
    n_axes = content[3]
    shape = np.frombuffer(content, ">u4", n_axes, offset=4).astype(int)
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * n_axes)
    if values.size != shape.prod():
        raise CorruptedDataError(f"{values.size} bytes do not fill an array of shape {shape}.")
    return values.reshape(shape)
