"""Where files come from: a folder you name, then the cache, then the network.

Look-up order, for every file of every data set:

1. the folder ``data_home=``, or if that is not given the folder in ``PULPS_DATA``;
2. the cache (``PULPS_CACHE``, or the user's cache folder);
3. a download into the cache.

A file found in step 1 must be intact: a damaged file raises :class:`CorruptedDataError`
and is never replaced behind your back. A damaged file in the cache is downloaded again.
Nothing is handed on before its checksum was compared.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Self, TypeVar

from pulps.io.optional import needs

T = TypeVar("T")


class DataUnavailableError(OSError):
    """A data set is neither in a folder, nor in the cache, nor to be had from the network."""


class CorruptedDataError(ValueError):
    """A file is not what its checksum says it should be."""


def cache_folder() -> Path:
    """Folder in which downloads are kept: ``PULPS_CACHE`` or the user's cache folder.

    Returns
    -------
    Path
        The folder.
    """
    if os.environ.get("PULPS_CACHE"):
        return Path(os.environ["PULPS_CACHE"])
    with needs("bench", "A data set that is in no folder of yours"):
        import pooch

    return Path(pooch.os_cache("pulps"))


def data_folder(data_home: str | os.PathLike[str] | None) -> Path | None:
    """Folder the user named: ``data_home``, or ``PULPS_DATA``, or none.

    Parameters
    ----------
    data_home
        Folder with the data files; by default the one named by ``PULPS_DATA``.

    Returns
    -------
    Path or None
        The folder.
    """
    folder = data_home or os.environ.get("PULPS_DATA")
    return Path(folder).expanduser() if folder else None


def find(
    file: str,
    *,
    data_home: str | os.PathLike[str] | None,
    read: Callable[[Path], T],
    download: Callable[[Path], object] | None,
) -> T:
    """Look a file up and read it.

    Parameters
    ----------
    file : str
        Path of the file inside a data folder.
    data_home : path-like or None
        Folder to look in first; ``None`` means the folder in ``PULPS_DATA``, if any.
    read : callable
        Reads and *verifies* a path; raises :class:`CorruptedDataError`.
    download : callable or None
        Writes the file to the path it is given. ``None`` forbids the network.

    Returns
    -------
    object
        What ``read`` returns.
    """
    folder = data_folder(data_home)
    if folder is not None:
        for candidate in _spellings(folder / file):
            if candidate.is_file():
                return read(candidate)
    cached = cache_folder() / file
    damaged = ""
    if cached.is_file():
        try:
            return read(cached)
        except CorruptedDataError as error:
            damaged = f" The copy in the cache is damaged ({error})"
    if download is None:
        raise DataUnavailableError(_how_to_provide(file, folder) + damaged)
    try:
        download(cached)
    except OSError as error:  # URLError, HTTPError and requests' errors are OSErrors
        reason = f"{type(error).__name__}: {error}"
        raise DataUnavailableError(_how_to_provide(file, folder, reason) + damaged) from error
    return read(cached)


def read_bytes(path: Path) -> bytes:
    """Read a file, unpacking gzip; a truncated or damaged archive is an error.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    bytes
        The content.
    """
    raw = path.read_bytes()
    if path.suffix != ".gz":
        return raw
    try:
        return gzip.decompress(raw)
    except (EOFError, OSError, zlib.error) as error:
        raise CorruptedDataError(
            f"{path} is not a complete gzip file ({error}). Replace it by an intact copy."
        ) from error


def sha256(content: bytes) -> str:
    """SHA-256 of some bytes, as text.

    Parameters
    ----------
    content
        The bytes.

    Returns
    -------
    str
        In hexadecimal.
    """
    return hashlib.sha256(content).hexdigest()


def verify(path: Path, wanted: str) -> None:
    """Raise unless the bytes of a file have the wanted SHA-256.

    Parameters
    ----------
    path
        The file.
    wanted
        The checksum it must have.
    """
    came = sha256(path.read_bytes())
    if came != wanted:
        raise CorruptedDataError(
            f"{path} has SHA-256 {came[:12]}…, but {wanted[:12]}… was registered: the file is "
            "damaged or another version. Replace it by an intact copy."
        )


def download_file(url: str, path: Path, *, known_hash: str | None, retries: int = 3) -> None:
    """Download one file with pooch: retries, a progress bar and, where known, a checksum.

    Parameters
    ----------
    url
        Address.
    path
        The file.
    known_hash
        The checksum it must have.
    retries
        How often to try again.
    """
    with needs("bench", "A download"):
        import pooch

    keeper = pooch.create(
        path=path.parent,
        base_url="",
        registry={path.name: known_hash},
        urls={path.name: url},
        retry_if_failed=retries,
    )
    with ProgressBar(path.name) as bar:
        try:
            keeper.fetch(path.name, downloader=pooch.HTTPDownloader(progressbar=bar))
        except ValueError as error:  # pooch found another checksum and discarded the file
            raise CorruptedDataError(
                f"What {url} sent for {path.name} is not the registered file: {error}"
            ) from error


class ProgressBar:
    """A rich progress bar with the four methods that pooch calls."""

    def __init__(self, title: str):
        with needs("bench", "A download"):
            from rich.progress import Progress

        self.total = 0
        self._progress = Progress(transient=True)
        self._task = self._progress.add_task(title, total=None)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def update(self, n_bytes: int) -> None:
        """Advance the bar.

        Parameters
        ----------
        n_bytes
            Bytes that have arrived since the last call.
        """
        self._progress.update(self._task, total=self.total or None, advance=n_bytes)

    def reset(self) -> None:
        """Start again from nothing."""
        self._progress.reset(self._task)

    def close(self) -> None:
        """Do nothing: the bar ends with its context."""


def _spellings(path: Path) -> tuple[Path, ...]:
    """List the names a file may have: a table may be kept packed or unpacked."""
    if ".csv" not in path.suffixes:
        return (path,)
    other = path.with_suffix("") if path.suffix == ".gz" else path.with_name(path.name + ".gz")
    return path, other


def _how_to_provide(file: str, folder: Path | None, reason: str = "downloads are off") -> str:
    looked = f"not in {folder}, " if folder else ""
    return (
        f"No file {file}: {looked}not in the cache {cache_folder()}, and it could not be "
        f"downloaded ({reason}). Provide it in one of three ways: (1) pass data_home= or set "
        f"the environment variable PULPS_DATA to a folder that holds {file}; (2) copy it to "
        f"{cache_folder() / file}; (3) connect to the network and call again."
    )
