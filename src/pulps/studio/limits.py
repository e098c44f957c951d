"""How much one server does at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds of the studio and its API.

    Parameters
    ----------
    body_bytes
        Size of the largest request body.
    body_seconds
        Time a client may take to send the body.
    table_rows, table_columns
        Size of the largest table that is accepted.
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
    """

    body_bytes: int = 64 * 2**20
    body_seconds: float = 60.0
    table_rows: int = 200_000
    table_columns: int = 1000
    request_rows: int = 10_000
    compute_seconds: float = 120.0
    train_seconds: float = 3600.0
    jobs: int = 2
    kept: int = 8
    workers: int = 2
    waiting: int = 1000
