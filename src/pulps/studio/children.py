"""Processes of the server: they end with it, and take no more memory than they may."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path


def obey_the_server() -> None:
    """Let the server alone decide when this process ends, and end with it, however it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def take_at_most(n_bytes: int) -> None:
    """Let this process take so much memory beyond what it has, where the system can see to it.

    Parameters
    ----------
    n_bytes
        The memory.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource

        n_pages = int(Path("/proc/self/statm").read_text().split()[5])
        most = n_pages * resource.getpagesize() + n_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
