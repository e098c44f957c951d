"""How files are written: refused before any work if they cannot be, then whole or not at all.

There is one way for everything: write a file beside the old one, sync it, read it back and check
it, put it in the old one's place, sync the folder. Whatever fails on the way, the old file is
there as it was. A link keeps pointing where it did, and a file keeps its mode. What a killed
process left beside a file is deleted by the next one that writes there.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pulps.io.locks import lock_file

ENDING = ".part"  # of files that are being written
HELD = os.name == "posix"  # whether a file may be renamed while it is open
_BINARY = getattr(os, "O_BINARY", 0)
_CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY


def check_writable(path: str | os.PathLike[str]) -> Path:
    """Refuse a path that cannot become a file, before work is done that would be lost.

    Parameters
    ----------
    path
        Where a file is to be written.

    Returns
    -------
    Path
        The path.
    """
    path = Path(path)
    target = _behind_links(path)
    if target.is_dir():
        raise IsADirectoryError(f"{path} is a directory. Name a file to write to.")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {target.parent}. Create it first.")
    if target.exists():
        if not target.is_file():
            raise ValueError(f"{path} is a device or a pipe, not a file. Name a file to write to.")
        if not os.access(target, os.W_OK):
            raise PermissionError(f"{path} is write-protected. Name another file.")
    _delete_left_over(target)
    beside, handle = _create_beside(target)
    os.close(handle)
    beside.unlink()
    return path


@contextmanager
def replacing(
    path: str | os.PathLike[str], check: Callable[[Path], object] | None = None
) -> Iterator[Path]:
    """Give a temporary file to write; move it to ``path`` if all went well.

    Whatever happens, ``path`` holds either what it held before or the whole new content.

    Parameters
    ----------
    path
        The file to replace.
    check
        Reads the temporary file back, and raises if it is not what it should be.
    """
    target = _behind_links(check_writable(path))
    temporary, handle = _create_beside(target)
    try:
        try:
            if target.exists():
                _copy_mode(target, temporary)
            if not HELD:
                os.close(handle)
            yield temporary
            _sync(temporary)
            if check is not None:
                check(temporary)
            temporary.replace(target)
            sync_folder(target.parent)
        finally:
            temporary.unlink(missing_ok=True)
    finally:
        if HELD:
            os.close(handle)


def write_whole(
    path: str | os.PathLike[str],
    content: bytes | str,
    check: Callable[[Path], object] | None = None,
) -> None:
    """Write a file, whole or not at all.

    Parameters
    ----------
    path
        The file.
    content
        What it shall hold; text is written as UTF-8.
    check
        Reads the new file back and raises if it is not what it should be, before it takes the
        place of the old one. That the bytes are the same is always checked.
    """
    data = content.encode() if isinstance(content, str) else content

    def same(temporary: Path) -> None:
        if temporary.read_bytes() != data:
            raise OSError(f"What was read back of {path} differs from what was written.")
        if check is not None:
            check(temporary)

    with replacing(path, same) as temporary:
        handle = os.open(temporary, os.O_WRONLY | _BINARY)
        try:
            write_all(handle, data)
        finally:
            os.close(handle)


def write_all(handle: int, data: bytes) -> None:
    """Write bytes to an open file, however many calls that takes.

    Parameters
    ----------
    handle
        The file.
    data
        The bytes.
    """
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def sync_folder(folder: Path) -> None:
    """Make a new name last; systems that cannot sync a folder do so by themselves.

    Parameters
    ----------
    folder
        The folder that holds it.
    """
    with suppress(PermissionError):  # Windows opens no folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _behind_links(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _create_beside(target: Path) -> tuple[Path, int]:
    """Create a file that only its owner reads if so is the target, else by the usual mask.

    It is locked while it is open, so that others know that its process lives.
    """
    private = target.exists()
    while True:
        beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(6)}{ENDING}")
        try:
            handle = os.open(beside, _CREATE, 0o600 if private else 0o666)
        except OSError as error:
            raise PermissionError(
                f"The folder {target.parent} takes no files ({error.strerror}). Name another one."
            ) from None
        lock_file(handle, wait=True)
        if os.fstat(handle).st_nlink:
            return beside, handle
        os.close(handle)  # another process took it for a left-over before it was locked


def _delete_left_over(target: Path) -> None:
    """Delete what processes that were killed have begun to write in place of a file."""
    ours = re.compile(rf"\.{re.escape(target.name[:100])}\.[0-9a-f]{{12}}{re.escape(ENDING)}")
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if ours.fullmatch(entry.name):
                _delete_if_abandoned(Path(entry.path))


def _delete_if_abandoned(path: Path) -> None:
    with suppress(OSError):  # someone else was faster, or has it open
        handle = os.open(path, os.O_RDWR | _BINARY)
        try:
            if lock_file(handle, wait=False):
                path.unlink()
        finally:
            os.close(handle)


def _copy_mode(source: Path, copy: Path) -> None:
    copy.chmod(stat.S_IMODE(source.stat().st_mode))


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDWR | _BINARY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
