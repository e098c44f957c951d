"""What the server counts, in the format of Prometheus: requests, times, rows, its own memory.

A route counts under its pattern (``/studio/jobs/{key}``), and whatever leads nowhere under
``other``, so that no client can make the list grow.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    generate_latest,
)
from starlette.types import Message, Scope, Send

from pulps import __version__
from pulps.studio.computing import Computer

KIND = "text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE"))


class Metrics:
    """Counters of one server.

    Parameters
    ----------
    computer
        Whose queue is told.
    """

    def __init__(self, computer: Computer) -> None:
        self.registry = to = CollectorRegistry()
        self.requests = Counter(
            "pulps_requests",
            "Answers to requests",
            ["method", "route", "status"],
            registry=to,
        )
        self.seconds = Histogram(
            "pulps_request_seconds",
            "Time to the end of an answer",
            ["route"],
            buckets=SECONDS,
            registry=to,
        )
        self.active = Gauge(
            "pulps_requests_active", "Requests that are being answered", registry=to
        )
        self.rows = Counter("pulps_rows_scored", "Rows scored by /v1/predict", registry=to)
        waiting = Gauge("pulps_computations", "Computations begun or waiting", registry=to)
        waiting.set_function(lambda: computer.n_waiting)
        Info("pulps", "The version of pulps", registry=to).info({"version": __version__})
        ProcessCollector(registry=to)

    @contextmanager
    def request(self, scope: Scope, send: Send) -> Iterator[Send]:
        """Count a request, its status and its time.

        Parameters
        ----------
        scope
            What is asked for.
        send
            Where the answer goes.

        Yields
        ------
        Send
            Where to send the answer instead.
        """
        statuses: list[int] = []

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        begun = time.perf_counter()
        with self.active.track_inprogress():
            try:
                yield watched
            finally:
                route = getattr(scope.get("route"), "path", "other")
                method = scope["method"] if scope["method"] in METHODS else "other"
                status = str(statuses[0]) if statuses else "none"
                self.requests.labels(method, route, status).inc()
                self.seconds.labels(route).observe(time.perf_counter() - begun)

    def text(self) -> bytes:
        """Write all counters.

        Returns
        -------
        bytes
            In the text format of Prometheus.
        """
        return generate_latest(self.registry)
