"""Files that only ever grow: lines that are there whole or not at all, each under a seal.

Whoever appends holds a lock. A line that a killed process or a full disk left torn at the end was
never acknowledged; the next writer cuts it off. A seal is a checksum before the line, so that a
line that is not what was written is noticed.
"""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path

from pulps.io.outputs import sync_folder, write_all

BLOCK = 2**16
_SEAL = re.compile(rb"([0-9a-f]{8}) (.*)", re.DOTALL)


def seal(content: bytes) -> bytes:
    r"""Put a checksum before a line.

    Parameters
    ----------
    content
        The line, without its end.

    Returns
    -------
    bytes
        The line, without its end.

    Examples
    --------
    >>> seal(b"all is well")
    b'15c6cd67 all is well'
    """
    return f"{zlib.crc32(content):08x} ".encode() + content


def unseal(line: bytes) -> bytes | None:
    """Take the checksum off a line.

    Parameters
    ----------
    line
        What :func:`seal` made.

    Returns
    -------
    bytes or None
        None if the line is not what was sealed.

    Examples
    --------
    >>> unseal(seal(b"all is well")), unseal(b"15c6cd67 all is hell")
    (b'all is well', None)
    """
    found = _SEAL.fullmatch(line)
    if found is None or int(found[1], 16) != zlib.crc32(found[2]):
        return None
    return found[2]


def complete_lines(path: Path, start: int) -> tuple[list[bytes], int]:
    """Read complete lines.

    Parameters
    ----------
    path
        The file; there may be none.
    start
        Position to begin at.

    Returns
    -------
    lines, end
        The lines without their ends, and the position after them.
    """
    if not path.exists():
        return [], start
    with path.open("rb") as file:
        file.seek(start)
        content = file.read()
    complete = content.rfind(b"\n") + 1
    return content[:complete].split(b"\n")[:-1], start + complete


def append_lines(path: Path, lines: list[bytes]) -> None:
    """Append lines, all or none, and sync them; the caller holds a lock.

    Parameters
    ----------
    path
        The file; it is created if there is none.
    lines
        The lines, without their ends.
    """
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o666)
    try:
        end = _end_of_last_line(handle)
        os.ftruncate(handle, end)
        os.lseek(handle, end, os.SEEK_SET)
        try:
            write_all(handle, b"".join(line + b"\n" for line in lines))
            os.fsync(handle)
            if end == 0:  # the file may be new, and so its name
                sync_folder(path.parent)
        except BaseException as error:
            os.ftruncate(handle, end)
            if not isinstance(error, OSError):
                raise
            raise OSError(
                f"{path} could not be written ({error.strerror}). What it held is still there. "
                "Make room and run again."
            ) from None
    finally:
        os.close(handle)


def _end_of_last_line(handle: int) -> int:
    """Find where complete lines end."""
    end = os.lseek(handle, 0, os.SEEK_END)
    while end > 0:
        first = max(0, end - BLOCK)
        os.lseek(handle, first, os.SEEK_SET)
        found = os.read(handle, end - first).rfind(b"\n")
        if found >= 0:
            return first + found + 1
        end = first
    return 0
