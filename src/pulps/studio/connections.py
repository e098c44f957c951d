"""Connections that do not wait forever, and not for everybody.

Uvicorn waits without end for a request line and headers that never come, and for a client that
never reads its answer; and it takes connections until the system has none left. Here a client has
some seconds for each, and where all places are taken the one that has been silent for longest
makes room for the next.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from pulps.studio.limits import Limits

LOOK_SECONDS = 0.5  # between two looks at a connection
FULL = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n"
    b"connection: close\r\ncontent-length: 61\r\n\r\n"
    b'{"error":"Too many clients are here. Try again in a moment."}'
)


class Connection(H11Protocol):
    """One client.

    Parameters
    ----------
    **given
        What uvicorn hands to a protocol.
    """

    limits: Limits = Limits()

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._silent_since: float | None = None  # while headers are not complete
        self._unread_since: float | None = None  # while an answer is not taken
        self._answered = 0.0  # when the last answer was given
        self._next_look: asyncio.TimerHandle | None = None

    @property
    def at_work(self) -> bool:
        """Whether a request is being received or answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a client, if need be in the place of one that says nothing.

        Parameters
        ----------
        transport
            The line to the client.
        """
        super().connection_made(transport)
        self._silent_since = self.loop.time()
        if len(self.connections) > self.limits.connections and not self._make_room():
            self.connections.discard(self)
            transport.write(FULL)
            transport.close()
        self._next_look = self.loop.call_later(LOOK_SECONDS, self._look)

    def data_received(self, data: bytes) -> None:
        """Take bytes; from the first one of a request on, its headers must come in time.

        Parameters
        ----------
        data
            What came.
        """
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.at_work:
            self._silent_since = None
        elif self._silent_since is None:
            self._silent_since = self.loop.time()

    def on_response_complete(self) -> None:
        """Note when an answer was given, and whether half of the next request is there."""
        self._answered = self.loop.time()
        super().on_response_complete()
        if not self.at_work and self.conn.trailing_data[0]:
            self._silent_since = self._answered

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no more.

        Parameters
        ----------
        exc
            Why the line broke; None if it was closed.
        """
        if self._next_look is not None:
            self._next_look.cancel()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def _look(self) -> None:
        now = self.loop.time()
        if self.transport.get_write_buffer_size() == 0:
            self._unread_since = None
        elif self._unread_since is None:
            self._unread_since = now
        silent = now - (self._silent_since or now)
        unread = now - (self._unread_since or now)
        if silent > self.limits.header_seconds or unread > self.limits.send_seconds:
            self._leave()
        else:
            self._next_look = self.loop.call_later(LOOK_SECONDS, self._look)

    def _make_room(self) -> bool:
        """End another connection: one with half a request first, then one without any."""
        others = [other for other in self.connections if isinstance(other, Connection)]
        idle = [other for other in others if other is not self and not other.at_work]
        if not idle:
            return False
        halves = [other for other in idle if other._silent_since is not None]
        first = min(halves or idle, key=lambda other: other._silent_since or other._answered)
        first._leave()
        return True

    def _leave(self) -> None:
        self.connections.discard(self)
        self.transport.abort()


def connection_with(limits: Limits) -> type[Connection]:
    """Make the protocol of a server.

    Parameters
    ----------
    limits
        How many clients it has, and how long it waits for them.

    Returns
    -------
    type
        For ``uvicorn.Config(http=...)``.
    """
    return type("Connection", (Connection,), {"limits": limits})
