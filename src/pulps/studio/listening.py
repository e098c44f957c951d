"""The server as it runs: connections, files it may open, and a log that stays small."""

from __future__ import annotations

import logging
import socket
import sys
import time
from dataclasses import replace
from typing import Any

import uvicorn

from pulps.studio.connections import connection_with
from pulps.studio.limits import Limits

WAITING_ROOM = 2048  # clients whom the system keeps until they are taken
AT_ONCE = 128  # clients taken in one go
OTHER_FILES = 128  # that the server itself may have open
LINES, MINUTE = 30, 60.0


class FewLines(logging.Filter):
    """Lets some records of a minute through, and tells how many it kept back.

    Parameters
    ----------
    lines
        Records per minute.
    """

    def __init__(self, lines: int = LINES):
        super().__init__()
        self.lines = lines
        self._begun, self._seen = -MINUTE, 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record is shown.

        Parameters
        ----------
        record
            What was logged.

        Returns
        -------
        bool
        """
        now = time.monotonic()
        if now - self._begun >= MINUTE:
            left_out = self._seen - self.lines
            self._begun, self._seen = now, 0
            if left_out > 0:
                record.msg = f"{record.getMessage()} ({left_out} messages before it were left out)"
                record.args = None
        self._seen += 1
        return self._seen <= self.lines


LOG = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"few": {"()": FewLines}},
    "formatters": {"plain": {"format": "%(levelname)s: %(message)s"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "filters": ["few"],
            "formatter": "plain",
        }
    },
    "loggers": {
        name: {"handlers": ["stderr"], "level": "WARNING", "propagate": False}
        for name in ("uvicorn", "asyncio")
    },
}


def make_server(app: Any, limits: Limits) -> uvicorn.Server:
    """Make the server of an application.

    Parameters
    ----------
    app
        From :func:`pulps.studio.server.make_app`.
    limits
        How many clients it has, and how long it waits for them.

    Returns
    -------
    uvicorn.Server
        Its ``run(sockets=[...])`` serves until it is told to stop, and then finishes what it has
        begun.
    """
    fitting = replace(limits, connections=min(limits.connections, _most_connections()))
    return Server(
        uvicorn.Config(
            app,
            http=connection_with(fitting),
            ws="none",
            lifespan="on",
            log_level="warning",
            log_config=LOG,
            access_log=False,
            server_header=False,
            backlog=AT_ONCE,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=int(limits.finish_seconds),
        )
    )


class Server(uvicorn.Server):
    """A server whose waiting room is larger than what it takes in one go."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen.

        Parameters
        ----------
        sockets
            Bound ones.
        """
        await super().startup(sockets)
        for listener in sockets or []:
            listener.listen(WAITING_ROOM)


def _most_connections() -> int:
    """Let this process open as many files as it may; return how many of them can be clients."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return sys.maxsize
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2**14 if hard == resource.RLIM_INFINITY else min(hard, 2**14)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return sys.maxsize if soft == resource.RLIM_INFINITY else max(1, soft - OTHER_FILES - AT_ONCE)
