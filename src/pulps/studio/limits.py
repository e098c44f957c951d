"""How much one server does at once; every number can be changed when it starts."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds of the studio and its API.

    Parameters
    ----------
    body_bytes
        Largest body of a request.
    body_seconds
        Longest time a client may take to send it.
    table_rows, table_columns
        Largest table that is taken.
    request_rows
        Most rows scored or drawn by one request.
    compute_seconds
        Longest time to wait for scores, draws or a report.
    train_seconds
        Longest training.
    jobs
        Trainings at the same time.
    kept
        Tables, and finished jobs, that are remembered; the oldest go first.
    workers
        Threads that compute.
    waiting
        Requests that may wait for these.
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
