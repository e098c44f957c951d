"""What a process does that reads an upload: read it within bounds, and send it back."""

from __future__ import annotations

from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from pulps.io.bounds import Bounds, TooLargeError
from pulps.studio.children import obey_the_server, take_at_most
from pulps.studio.limits import Limits
from pulps.studio.tables import describe, read_upload


def read(pipe: Connection, name: str, limits: Limits) -> None:
    """Read a table and send it back with its description, or a status and the reason why not.

    Parameters
    ----------
    pipe
        Where its bytes come from, and the answer goes.
    name
        Name of the file, for showing.
    limits
        The largest table that is accepted, and the memory to read it.
    """
    obey_the_server()
    content = pipe.recv_bytes()
    take_at_most(limits.read_memory)
    answer: Any
    try:
        bounds = Bounds(limits.table_bytes, limits.table_rows, limits.table_columns)
        upload = read_upload(content, name, bounds)
        answer = upload, describe(upload.frame)
    except TooLargeError as error:
        answer = 413, " ".join(str(error).split())
    except MemoryError:
        return  # the end without an answer tells it
    except Exception as error:
        answer = 422, " ".join(str(error).split()) or type(error).__name__
    with suppress(MemoryError):
        pipe.send(answer)
