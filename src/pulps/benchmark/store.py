"""The store: one line per record, only ever appended, shared by all runners.

A suite is one file of JSON lines. A record is written under an exclusive lock and flushed to
the disk before the lock is given up, so a killed process leaves at most one torn line at the end.
Reading skips such a line; the next writer cuts it off. A record begins with the checksum of what
follows, its seal, so that a line that is not what was written is noticed, and told with its
number; records of older files have none. A second record with the same key (task, method,
version) is refused, unless the first one tells of a failure.

Runners that work at the same time *claim* a task before they train it. A claim is a lock
on one byte of the lock file, which the system drops when its process ends, however it
ends: there are no stale claims to clean up.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pandas as pd

from pulps.benchmark.protocol import Record, record_key
from pulps.io.calls import warn_caller
from pulps.io.journal import append_lines, complete_lines
from pulps.io.locks import lock_byte, unlock_byte

Key = tuple[str, str, str]
SEALED = re.compile(rb'\{"seal": "|.{10}[0-9a-f]{8}", ', re.DOTALL)  # whole, or nearly so


class DamagedLineWarning(UserWarning):
    """A line of a store is not a record."""


class Store:
    """Records of one suite.

    Keep one store object per file and process: systems drop all locks that a process has on a
    file when it closes any handle of it.

    Parameters
    ----------
    path
        File of the suite; it is created by the first record.
    """

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)
        self._lock_handle: int | None = None
        self._read_to, self._n_lines = 0, 0
        self._succeeded: dict[Key, bool] = {}
        self._reading = threading.Lock()  # joblib asks for tasks from its own threads

    def records(self) -> list[Record]:
        """Read all complete records.

        Returns
        -------
        list of dict
            In the order they were written.
        """
        return list(self._parse(complete_lines(self.path, 0)[0], 1))

    def frame(self) -> pd.DataFrame:
        """Read all records as a table.

        Returns
        -------
        DataFrame
            One row per record.
        """
        return pd.DataFrame(self.records())

    def keys(self, *, failed: bool = True) -> set[Key]:
        """Read the keys of all records, or only of those without an error.

        Reads only what was appended since the last call.

        Parameters
        ----------
        failed
            Whether to include records of failures.

        Returns
        -------
        set
            The keys.
        """
        with self._reading:
            lines, self._read_to = complete_lines(self.path, self._read_to)
            for record in self._parse(lines, self._n_lines + 1):
                self._succeeded[record_key(record)] = record.get("error") is None
            self._n_lines += len(lines)
            return {key for key, succeeded in self._succeeded.items() if succeeded or failed}

    def append(self, record: Record) -> bool:
        """Write a record, unless there is one with the same key.

        Parameters
        ----------
        record
            A record.

        Returns
        -------
        bool
            Whether it was new.
        """
        line = json.dumps(record, allow_nan=False, default=_plain, ensure_ascii=False).encode()
        with self._writing():
            if record_key(record) in self.keys(failed=False):
                return False
            self._check_kind()
            append_lines(self.path, [sealed_record(line)])
        return True

    def claim(self, key: Key) -> bool:
        """Reserve a task for this process until :meth:`release`.

        Parameters
        ----------
        key
            Key of the record to make.

        Returns
        -------
        bool
            False if another process has it.
        """
        return lock_byte(self._locks(), _position(key), wait=False)

    def release(self, key: Key) -> None:
        """Give a claim up.

        Parameters
        ----------
        key
            Key of the record.
        """
        unlock_byte(self._locks(), _position(key))

    def close(self) -> None:
        """Drop all claims."""
        if self._lock_handle is not None:
            os.close(self._lock_handle)
            self._lock_handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        locks = self._locks()
        lock_byte(locks, 0, wait=True)
        try:
            yield
        finally:
            unlock_byte(locks, 0)

    def _locks(self) -> int:
        if self._lock_handle is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            lock_file = self.path.with_name(self.path.name + ".lock")
            self._lock_handle = os.open(lock_file, os.O_RDWR | os.O_CREAT, 0o644)
        return self._lock_handle

    def _check_kind(self) -> None:
        """Refuse to append to a file that holds something else."""
        with self.path.open("rb") if self.path.exists() else io.BytesIO() as file:
            if file.read(1) not in (b"", b"{", b"\n"):
                raise ValueError(
                    f"{self.path.name} does not hold records. Name another file. Nothing was "
                    "changed."
                )

    def _parse(self, lines: list[bytes], first: int) -> Iterator[Record]:
        """Read records from lines, the first of which has that number."""
        for number, line in enumerate(lines, first):
            try:
                record = json.loads(unsealed_record(line))
                record_key(record)
            except (ValueError, KeyError, TypeError):
                if line:
                    warn_caller(
                        f"Line {number} of {self.path.name} is damaged and counts for nothing.",
                        DamagedLineWarning,
                    )
                continue
            yield record


def sealed_record(line: bytes) -> bytes:
    """Put the checksum of a record into it, so that the line is JSON still.

    Parameters
    ----------
    line
        The record as JSON.

    Returns
    -------
    bytes

    Examples
    --------
    >>> sealed_record(b'{"task": "a"}')
    b'{"seal": "4d8420b3", "task": "a"}'
    """
    rest = line[1:]
    return b'{"seal": "%08x", ' % zlib.crc32(rest) + rest


def unsealed_record(line: bytes) -> bytes:
    """Take the checksum of a record out of it; refuse a line that it does not fit.

    Parameters
    ----------
    line
        From :func:`sealed_record`, or of an older file, which has no checksum.

    Returns
    -------
    bytes
        The record as JSON.

    Examples
    --------
    >>> unsealed_record(sealed_record(b'{"task": "a"}')), unsealed_record(b'{"task": "b"}')
    (b'{"task": "a"}', b'{"task": "b"}')
    """
    if not SEALED.match(line):
        return line
    record = b"{" + line[len('{"seal": "00000000", ') :]
    if sealed_record(record) != line:
        raise ValueError("The seal is broken.")
    return record


def _position(key: Key) -> int:
    """Give every key a byte of the lock file; byte 0 belongs to writers."""
    digest = hashlib.sha256("\n".join(key).encode()).digest()
    return 1 + int.from_bytes(digest[:7], "big") // 2


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"A record holds numbers and text, but got a {type(value).__name__}.")
