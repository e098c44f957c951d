"""The journal of a study: optuna's log, in lines under a seal.

What optuna writes is replayed from its first line, and a line that is missing changes the meaning
of those after it. So nothing is passed over: a damaged line is named and the file left alone.
"""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

from pulps.io.journal import append_lines, complete_lines, seal, unseal
from pulps.io.locks import lock_byte, unlock_byte

HEADER = {"pulps": "study", "format": 1}
WRITER = 2**31 - 2  # byte of the lock file that belongs to whoever writes
_TORN_START = re.compile(rb"[0-9a-f]{0,8}|[0-9a-f]{8} (\{.*)?", re.DOTALL)


class SealedJournal:
    """Where optuna's ``JournalStorage`` keeps its log.

    Parameters
    ----------
    path
        The file; it is created by the first entry. One of another kind is refused.
    locks
        Open file, one byte of which is locked while the journal is written; None if it is only
        read.
    """

    def __init__(self, path: Path, locks: int | None):
        self.path, self.locks = path, locks
        self._entries: list[dict[str, Any]] = []
        self._n_lines, self._end = 0, 0
        self._one_thread = threading.RLock()
        self._check_kind()
        self.read_logs(0)

    def read_logs(self, log_number_from: int) -> list[dict[str, Any]]:
        """Read the log from an entry on.

        Parameters
        ----------
        log_number_from
            Number of the first entry.

        Returns
        -------
        list of dict
        """
        with self._one_thread:
            lines, end = complete_lines(self.path, self._end)
            entries = [self._entry(line, self._n_lines + 1 + k) for k, line in enumerate(lines)]
            self._entries += [entry for entry in entries if entry != HEADER]
            self._n_lines, self._end = self._n_lines + len(lines), end
            return self._entries[log_number_from:]

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Append entries, all or none.

        Parameters
        ----------
        logs
            The entries.
        """
        if self.locks is None:
            raise ValueError(f"{self.path.name} was opened without locks, to be read only.")
        with self._one_thread:
            lock_byte(self.locks, WRITER, wait=True)
            try:
                self.read_logs(0)  # a damaged file is left as it is
                entries = logs if self._n_lines else [HEADER, *logs]
                append_lines(self.path, [seal(json.dumps(entry).encode()) for entry in entries])
            finally:
                unlock_byte(self.locks, WRITER)

    def _entry(self, line: bytes, number: int) -> dict[str, Any]:
        # Up to version 0.3 lines had no seal.
        content = line if line.startswith(b"{") else unseal(line)
        try:
            entry = json.loads(content or b"")
        except ValueError:
            entry = None
        if not isinstance(entry, dict) or not ("op_code" in entry or entry == HEADER):
            if number == 1:
                raise ValueError(self._foreign())
            raise ValueError(
                f"Line {number} of {self.path.name} is damaged; {number - 1} lines before it are "
                "not. Bring the file back from a copy, or keep these lines, in another file, and "
                "go on from there. Nothing was changed."
            )
        return entry

    def _check_kind(self) -> None:
        """Refuse a file without a complete line, unless it is the torn start of a journal."""
        if self.path.is_dir():
            raise IsADirectoryError(f"{self.path} is a directory. Name a file for the study.")
        lines, _ = complete_lines(self.path, 0)
        if self.path.exists() and not lines:
            content = self.path.read_bytes()
            if not (_TORN_START.fullmatch(content) or content.startswith(b'{"op_code"')):
                raise ValueError(self._foreign())

    def _foreign(self) -> str:
        return (
            f"{self.path.name} is not a study, or its first line is damaged. Name another file. "
            "Nothing was changed."
        )
