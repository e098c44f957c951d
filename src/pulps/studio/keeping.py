"""Where trainings lie: a folder that goes with the server, or one of the user's that stays.

A training has a folder of its own, private by its mode: the model, the table as it was uploaded
and a record of what was asked for. It counts once record and model are there, each written whole.
What a server that was killed left behind is removed by the next one.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

from pulps.io.locks import lock_byte
from pulps.io.outputs import write_whole

MODEL, CUT, TABLE, RECORD, LOCK = (
    "model.pulps",
    "cut.pulps",
    "table",
    "training.json",
    ".pulps-studio",
)
PREFIX = "pulps-studio-"
_KEY = re.compile(r"[A-Za-z0-9_-]{16}")
_OURS: set[Path] = set()  # folders whose locks this process holds


class Storage:
    """The folder of a server, which no other server uses at the same time.

    Parameters
    ----------
    folder
        A folder that stays; None for one that is removed when the server stops.
    """

    def __init__(self, folder: Path | None = None):
        self.lasting = folder is not None
        if folder is None:
            _remove_leftovers(Path(tempfile.gettempdir()))
            folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        else:
            _make_private(folder)
        self.folder = folder.resolve()
        lock = _lock(self.folder)
        if lock is None:
            raise ValueError(
                f"Another server keeps its trainings in {folder}. Stop it, or name another folder."
            )
        _OURS.add(self.folder)
        self._end = weakref.finalize(self, _let_go, self.folder, lock, not self.lasting)
        self._remove_unfinished()

    def close(self) -> None:
        """Let go of the folder; remove it unless it stays."""
        self._end()

    def new(self, key: str) -> Path:
        """Make the folder of a training.

        Parameters
        ----------
        key
            Its name.

        Returns
        -------
        Path
        """
        folder = self.folder / key
        folder.mkdir(mode=0o700)
        (folder / MODEL).touch(mode=0o600)
        (folder / CUT).touch(mode=0o600)
        return folder

    def note(self, folder: Path, record: dict[str, Any], table: bytes | None = None) -> None:
        """Write what is known of a training, if it is to stay.

        Parameters
        ----------
        folder
            From :meth:`new`.
        record
            Plain values.
        table
            The table as it came; None if it is there already.
        """
        if not self.lasting:
            return
        if table is not None:
            _write(folder / TABLE, table)
        _write(folder / RECORD, json.dumps(record, ensure_ascii=False, indent=1).encode())

    def records(self) -> dict[str, dict[str, Any]]:
        """Find the trainings that stay.

        Returns
        -------
        dict
            Records by key, the oldest first.
        """
        keys = [path.name for path in self.folder.iterdir() if _KEY.fullmatch(path.name)]
        found = {key: record for key in keys if (record := self.record(key)) is not None}
        return dict(sorted(found.items(), key=lambda item: str(item[1].get("started"))))

    def record(self, key: str) -> dict[str, Any] | None:
        """Read the record of a training that has a model.

        Parameters
        ----------
        key
            Its name.

        Returns
        -------
        dict or None
            None if there is no such training.
        """
        folder = self.folder / key
        if not _KEY.fullmatch(key) or not has_content(folder / MODEL):
            return None
        try:
            record = json.loads((folder / RECORD).read_bytes())
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) else None

    def _remove_unfinished(self) -> None:
        for path in self.folder.iterdir():
            if _KEY.fullmatch(path.name) and path.is_dir():
                if not has_content(path / MODEL) or not has_content(path / RECORD):
                    shutil.rmtree(path, ignore_errors=True)
                    continue
                for part in path.glob(".*.part"):
                    part.unlink(missing_ok=True)


def _let_go(folder: Path, lock: int, remove: bool) -> None:
    _OURS.discard(folder)
    os.close(lock)
    if remove:
        shutil.rmtree(folder, ignore_errors=True)


def has_content(path: Path) -> bool:
    """Tell whether a file is there and not empty.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    bool
    """
    return path.is_file() and path.stat().st_size > 0


def _make_private(folder: Path) -> None:
    """Make a folder for its owner alone; refuse one that others can read, or full of others'."""
    if not folder.exists():
        folder.mkdir(mode=0o700)
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is a file. Name a folder to keep trainings in.")
    if not (folder / LOCK).exists() and any(folder.iterdir()):
        raise ValueError(
            f"{folder} holds other files. Name an empty folder, or one that does not exist, to "
            "keep trainings in."
        )
    if os.name == "posix":
        folder.chmod(0o700)


def _write(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    write_whole(path, content)


def _lock(folder: Path) -> int | None:
    """Lock a folder for this process; None if another one has it."""
    if folder in _OURS:
        return None
    path = folder / LOCK
    if path.exists():
        handle = os.open(path, os.O_RDWR)
        if lock_byte(handle, 0, wait=False):
            return handle
        os.close(handle)
        return None
    new = folder / f"{LOCK}.{os.getpid()}"
    handle = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    lock_byte(handle, 0, wait=True)
    new.rename(path)  # locked before anybody can see it
    return handle


def _remove_leftovers(root: Path) -> None:
    """Remove folders of servers that were killed: nobody holds their locks any more."""
    for folder in root.glob(PREFIX + "*"):
        with suppress(OSError):
            mine = os.name != "posix" or folder.lstat().st_uid == os.getuid()
            if folder.is_symlink() or not mine or not (folder / LOCK).is_file():
                continue
            handle = _lock(folder.resolve())
            if handle is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(handle)
