"""Uploads are read apart: in a process that can be ended, and that takes no more than it may.

Who sends a table can send one that takes all memory, or hours. So a process of its own reads it,
with bounds on bytes, rows, columns, memory and time. It is a copy of one that has everything
imported, where the system can do that, so that it starts in no time.
"""

from __future__ import annotations

import multiprocessing
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from pulps.studio.answers import Refusal
from pulps.studio.limits import Limits
from pulps.studio.reader import read
from pulps.studio.tables import Upload


def read_apart(content: bytes, name: str, limits: Limits) -> tuple[Upload, list[dict[str, Any]]]:
    """Read a table in a process of its own.

    Parameters
    ----------
    content
        Bytes of the file.
    name
        Name of the file, for showing.
    limits
        The largest table that is accepted, and the time and memory to read it.

    Returns
    -------
    upload, columns
        The table, and what its columns hold.

    Raises
    ------
    Refusal
        If it cannot be read, or is too large.
    """
    context = _context()
    ours, theirs = context.Pipe()
    process = context.Process(target=read, args=(theirs, name, limits), daemon=True)
    process.start()
    theirs.close()
    try:
        answer = _ask(ours, content, limits.read_seconds)
    finally:
        process.kill()
        process.join()
        process.close()
        ours.close()
    if isinstance(answer[0], int):
        raise Refusal(*answer)
    return answer


def _context() -> Any:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pulps.studio.reader"])
    return context


def _ask(pipe: Connection, content: bytes, seconds: float) -> Any:
    """Send the content and wait for the answer; both take place in the given time."""
    sending = threading.Thread(target=_send, args=(pipe, content), daemon=True)
    sending.start()
    if not pipe.poll(seconds):
        return (
            413,
            f"Reading the table took longer than {seconds:g} seconds. Send a smaller one.",
        )
    try:
        return pipe.recv()
    except (EOFError, OSError):
        return (413, "Reading the table took more memory than is allowed. Send a smaller one.")


def _send(pipe: Connection, content: bytes) -> None:
    with suppress(OSError):  # whoever should have read it has ended
        pipe.send_bytes(content)
