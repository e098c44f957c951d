"""How much one server does at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds of the studio and its API.

    Parameters
    ----------
    connections
        Number of clients at the same time; one that says nothing makes room for the next.
    header_seconds, body_seconds, send_seconds
        Time a client may take to send the headers and the body, and to take the answer.
    body_bytes
        Size of the largest table as it is sent.
    request_bytes
        Size of any other request body.
    bodies_bytes
        Size of all bodies that are being received at the same time.
    table_bytes, table_rows, table_columns
        Size of the largest table that is accepted, without its compression.
    read_seconds, read_memory
        Time and memory in bytes that reading a table may take.
    request_rows
        Number of rows that one request may score or draw.
    compute_seconds
        Time that scores, draws or a report may take.
    train_seconds
        Time that a training may take.
    jobs
        Number of trainings at the same time.
    kept
        Number of tables, and of trainings, that are remembered; the oldest go first.
    workers
        Number of threads that compute.
    waiting
        Number of requests that may wait for a thread.
    finish_seconds
        Time to finish what was begun when the server is told to stop.
    """

    connections: int = 4000
    header_seconds: float = 10.0
    body_seconds: float = 60.0
    send_seconds: float = 120.0
    body_bytes: int = 64 * 2**20
    request_bytes: int = 8 * 2**20
    bodies_bytes: int = 256 * 2**20
    table_bytes: int = 256 * 2**20
    table_rows: int = 200_000
    table_columns: int = 1000
    read_seconds: float = 60.0
    read_memory: int = 3 * 2**30
    request_rows: int = 10_000
    compute_seconds: float = 120.0
    train_seconds: float = 3600.0
    jobs: int = 2
    kept: int = 8
    workers: int = 2
    waiting: int = 1000
    finish_seconds: float = 30.0
