"""Who may come in, and with how much.

Any website can make a browser send requests to a local server, so four things are checked:
the ``Host`` header must name this machine (a foreign name that resolves to it is refused), an
``Origin`` must be our own, a secret token must be present, and the body must be small and
arrive in time. The body is read here, before anything else looks at it.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from contextlib import suppress
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pulps.studio.answers import problem
from pulps.studio.limits import Limits
from pulps.studio.metrics import Metrics

OPEN = ("/health", "/ready", "/v1/health", "/assets/")
TABLES = re.compile(r"/studio/(tables|jobs/[^/]+/score)")  # where the body is a table
DRAIN_BYTES, DRAIN_SECONDS = 2**16, 1.0
HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "frame-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


class Guard:
    """The outermost layer of the server.

    Parameters
    ----------
    app
        The application to guard.
    token
        The secret token that every request must carry, as ``Authorization: Bearer`` or, for
        reading, as ``?token=``.
    hosts
        Host names under which the server may be reached, without ports.
    limits
        Size and time allowed for a body.
    metrics
        Counts all requests, those that are refused as well.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        hosts: frozenset[str],
        limits: Limits,
        metrics: Metrics,
    ):
        self.app, self.token, self.hosts, self.limits = app, token, hosts, limits
        self.metrics = metrics
        self.n_bytes = 0  # of bodies that are being received

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request and hand it on."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] == "http":
            with self.metrics.request(scope, send) as counted:
                await self._answer(scope, receive, counted)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope)
        if refusal is not None:
            await _drain(receive)
        else:
            try:
                async with asyncio.timeout(self.limits.body_seconds):
                    body, refusal = await self._body(receive, self._most(scope))
            except TimeoutError:
                refusal = (
                    408,
                    f"The body took longer than {self.limits.body_seconds:g} seconds to arrive.",
                )
        if refusal is not None:
            answer = problem(*refusal, headers=HEADERS | {"connection": "close"})
            await answer(scope, receive, send)
            return
        if body is None:
            return
        await self.app(scope, _replay(body, receive), _with_headers(send))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in (b"host", b"origin", b"authorization") and name in headers:
                return 400, f"The header {name.decode()} came twice. Send it once."
            headers[name] = value
        host = headers.get(b"host", b"").decode("latin-1")
        if _without_port(host) not in self.hosts:
            return 421, "The server is not known under this host name. Use the address it printed."
        origin = headers.get(b"origin")
        if origin is not None and origin.decode("latin-1") not in (
            f"http://{host}",
            f"https://{host}",
        ):
            return (
                403,
                "Requests from other sites are refused. Open the address the server printed.",
            )
        length = headers.get(b"content-length", b"0")
        if not length.isdigit():
            return (
                400,
                "The header content-length is not a number. Send the size of the body in bytes.",
            )
        if len(length) > 18 or int(length) > self._most(scope):
            return 413, f"The body is larger than {self._most(scope)} bytes."
        if not scope["path"].startswith(OPEN) and not self._known(scope, headers):
            return 401, "The token is missing or wrong. Open the address the server printed."
        return None

    def _known(self, scope: Scope, headers: dict[bytes, bytes]) -> bool:
        kind, _, given = headers.get(b"authorization", b"").partition(b" ")
        tokens = [given.strip()] if kind.lower() == b"bearer" else []
        if scope["method"] in ("GET", "HEAD"):
            query = parse_qs(scope["query_string"].decode("latin-1"))
            tokens += [token.encode() for token in query.get("token", [])]
        return any(secrets.compare_digest(token, self.token.encode()) for token in tokens)

    def _most(self, scope: Scope) -> int:
        """Tell how large a body may be."""
        table = TABLES.fullmatch(scope["path"])
        return self.limits.body_bytes if table else self.limits.request_bytes

    async def _body(
        self, receive: Receive, most: int
    ) -> tuple[bytes | None, tuple[int, str] | None]:
        """Read the whole body; None if the client left."""
        body, size, more = bytearray(), 0, True  # in one piece, which goes back to the system
        try:
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None, None
                part = message.get("body", b"")
                size += len(part)
                self.n_bytes += len(part)
                more = message.get("more_body", False)
                refusal = None
                if size > most:
                    refusal = 413, f"The body is larger than {most} bytes."
                elif self.n_bytes > self.limits.bodies_bytes:
                    refusal = 503, "Too much is being sent at once. Try again in a moment."
                if refusal is not None:
                    if more:
                        await _drain(receive)
                    return None, refusal
                body += part
            return bytes(body), None
        finally:
            self.n_bytes -= size


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    if colon and port.isdigit():
        host = name
    return host.lower()


async def _drain(receive: Receive) -> None:
    """Read what a refused client still sends, if it is little.

    A connection that is closed while bytes are unread is reset, and the client would see a
    broken connection instead of the reason.
    """
    size, more = 0, True
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while more and size <= DRAIN_BYTES:
                message = await receive()
                size += len(message.get("body", b""))
                more = message.get("more_body", False)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Replay a body that was already read, then pass on whatever comes."""
    waiting = True

    async def replay() -> Message:
        nonlocal waiting
        if waiting:
            waiting = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replay


def _with_headers(send: Send) -> Send:
    async def careful(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {name.lower() for name, _ in message["headers"]}
            extra = HEADERS | {"content-security-policy": POLICY}
            message["headers"] = [
                *message["headers"],
                *(
                    (name.encode(), value.encode())
                    for name, value in extra.items()
                    if name.encode() not in present
                ),
            ]
        await send(message)

    return careful
