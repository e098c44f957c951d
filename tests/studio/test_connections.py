"""Clients that say nothing, or never listen, do not keep others out."""

import contextlib
import logging
import socket
import threading

import pytest
from serving import BEARER, TOKEN, open_client

from pulps.studio.listening import LINES, FewLines

HALF = b"GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
HEALTH = HALF + b"\r\n"


@contextlib.contextmanager
def connected(client, first=b"", n=1):
    """Sockets to a server that have sent something."""
    with contextlib.ExitStack() as stack:
        found = []
        for _ in range(n):
            one = socket.create_connection(("127.0.0.1", client.base_url.port), timeout=60)
            stack.enter_context(one)
            one.sendall(first)
            found.append(one)
        yield found


def said(one):
    """All that a socket gets until the server closes it."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := one.recv(2**16):
            parts.append(part)
    return b"".join(parts)


def is_well(one):
    """Read one answer of the server; tell whether it is well."""
    answer = b""
    while not answer.endswith(b"}") and (part := one.recv(2**16)):
        answer += part
    return answer.startswith(b"HTTP/1.1 200") and b'"status":"ok"' in answer


@pytest.mark.parametrize("first", [b"", b"GET", HALF, HEALTH + HALF], ids=len)
def test_headers_that_never_end_are_given_up(first):
    with open_client(header_seconds=0.2) as client, connected(client, first) as [one]:
        answer = said(one)
    assert answer.startswith(b"HTTP/1.1 200") == first.startswith(HEALTH)


def test_a_body_that_never_ends_is_given_up():
    head = f"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
    head += "Content-Length: 100\r\n\r\n{"
    with open_client(body_seconds=0.2) as client, connected(client, head.encode()) as [one]:
        assert said(one).startswith(b"HTTP/1.1 408")


def test_an_answer_that_nobody_takes_is_given_up():
    """Answers pile up until the connection is full; the client never reads one."""
    ask = b"GET /assets/studio.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with open_client(send_seconds=0.2) as client, connected(client) as [one]:
        with pytest.raises(ConnectionError):
            one.sendall(ask * 10**6)
        assert client.get("/v1/health").status_code == 200


def test_where_all_places_are_taken_the_silent_make_room():
    with (
        open_client(connections=8) as client,
        connected(client, HALF, n=40) as silent,
        connected(client, HEALTH, n=4) as honest,
    ):
        for one in honest:
            assert is_well(one)
        assert sum(said(one) == b"" for one in silent[:-8]) == 32
        for one in honest:
            one.sendall(HEALTH)
            assert is_well(one)


def test_where_all_are_at_work_the_next_is_told_to_come_again():
    head = f"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
    head += "Content-Length: 100\r\nExpect: 100-continue\r\n\r\n"
    with open_client(connections=2) as client, connected(client, head.encode(), n=2) as busy:
        for one in busy:
            assert one.recv(2**16).startswith(b"HTTP/1.1 100")
        with connected(client) as [one]:
            answer = said(one)
        assert answer.startswith(b"HTTP/1.1 503")
        assert b"Try again" in answer


def test_many_messages_make_a_short_log_that_tells_what_it_left_out(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    few = FewLines()

    def tell():
        record = logging.LogRecord("x", logging.ERROR, "", 0, "No %s.", ("room",), None)
        return record, few.filter(record)

    assert sum(tell()[1] for _ in range(10_000)) == LINES
    now[0] = 61.0
    record, shown = tell()
    assert shown
    assert record.getMessage() == f"No room. ({10_000 - LINES} messages before it were left out)"


def test_garbage_is_refused_and_the_log_stays_short(capfd):
    with open_client() as client:
        for _ in range(2 * LINES):
            with connected(client, b"\x00\xff garbage\r\n\r\n") as [one]:
                assert said(one).startswith(b"HTTP/1.1 400")
        assert client.get("/v1/model", headers=BEARER).status_code == 404
    assert len(capfd.readouterr().err.splitlines()) <= LINES


def test_a_server_that_is_told_to_stop_finishes_what_it_began(model):
    body = b'{"rows":[{"size":1.5}]}'
    head = f"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
    head += "Content-Type: application/json\r\nExpect: 100-continue\r\n"
    head += f"Content-Length: {len(body)}\r\n\r\n"
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(contextlib.ExitStack())
        client = server.enter_context(open_client(model))
        [one] = stack.enter_context(connected(client, head.encode()))
        assert one.recv(2**16).startswith(b"HTTP/1.1 100")
        stopping = threading.Thread(target=server.close)
        stopping.start()
        with contextlib.suppress(ConnectionError):
            while True:  # until no new client is taken
                with connected(client):
                    pass
        one.sendall(body)
        answer = said(one)
        stopping.join()
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"probability" in answer
