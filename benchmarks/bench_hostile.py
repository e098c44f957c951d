"""Honest clients beside slow and hostile ones: whether the server serves, and stays as small.

Usage: python benchmarks/bench_hostile.py [--clients 200] [--seconds 60] [--hostile 1100] [--out F]

Honest clients send one row to ``/v1/predict`` and, with the answer, the next. Beside them, from
the first second to the last: headers that never end (`--hostile` of them, the others in
proportion), bodies that trickle in, answers that nobody reads, bodies far too large, garbage, and
tables that are small as long as they are compressed. Memory is that of the server when honest
clients alone have been there for a while, during the siege (bodies under way are part of it), and
after it. What is found goes to `results/trust_server.json`.
"""

import argparse
import asyncio
import gzip
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
from bench_serve import TOKEN, client, cpu, make_model, memory, request_bytes

RESULTS = Path(__file__).parent / "results" / "trust_server.json"
HEAD = "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
ALONE = 20.0  # seconds of honest clients alone, before and after; then memory is read


def head(method: str, path: str, *more: str) -> bytes:
    lines = "".join(f"{line}\r\n" for line in more)
    return (HEAD.format(method=method, path=path, token=TOKEN) + lines + "\r\n").encode()


async def trickle(port: int, first: bytes, pause: float = 1.0) -> None:
    """Send something, then a byte now and then, until the server has enough."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(first)
        told = b"nothing yet"
        while told:
            writer.write(b"x")
            await writer.drain()
            with suppress(TimeoutError):
                told = await asyncio.wait_for(reader.read(1000), pause)
    finally:
        writer.transport.abort()


async def slow_header(port: int) -> None:
    await trickle(port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")


async def slow_body(port: int) -> None:
    await trickle(port, head("POST", "/v1/predict", "Content-Length: 100000"))


async def never_reading(port: int) -> None:
    """Ask for a page again and again without taking one answer."""
    loop = asyncio.get_running_loop()
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        one.setblocking(False)
        await loop.sock_connect(one, ("127.0.0.1", port))
        while True:
            await loop.sock_sendall(one, head("GET", "/assets/studio.js") * 20)
            await asyncio.sleep(0.5)


async def oversized(port: int) -> None:
    """Send a body without end, or one whose size says it all."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        if random.random() < 0.5:
            writer.write(head("POST", "/studio/tables", "Content-Length: 99999999999"))
        else:
            writer.write(head("POST", "/v1/predict", "Transfer-Encoding: chunked"))
            part = b"100000\r\n" + bytes(2**20) + b"\r\n"
            while not reader.at_eof() and not writer.is_closing():
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0.05)
        await asyncio.wait_for(reader.read(2**16), 30)
    finally:
        writer.transport.abort()
    await asyncio.sleep(1.0)


async def garbage(port: int) -> None:
    """Send what is no request, or one that is refused."""
    bodies = [
        random.randbytes(500) + b"\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"GET /v1/model HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer wrong\r\n\r\n",
        head("POST", "/v1/predict", "Content-Length: 9") + b'{"rows":[',
        head("GET", "/v1/health", "X-Long: " + "x" * 10**5),
    ]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(random.choice(bodies))
        await asyncio.wait_for(reader.read(2**16), 30)
    finally:
        writer.transport.abort()
    await asyncio.sleep(0.2)


BOMB = gzip.compress(b"a,b\n") + 100 * gzip.compress(b"0,0\n" * 10**6)


async def vast_table(port: int) -> None:
    """Upload a small file that holds 400 megabytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(head("POST", "/studio/tables", f"Content-Length: {len(BOMB)}") + BOMB)
        answer = await reader.read(2**16)
        if answer and not answer.startswith((b"HTTP/1.1 413", b"HTTP/1.1 503")):
            raise RuntimeError(f"A vast table was answered by {answer[:200]!r}")
    finally:
        writer.transport.abort()
    await asyncio.sleep(5.0)


# Kind: how many for every 1000 headers that never end.
KINDS = {
    slow_header: 1000,
    slow_body: 50,
    never_reading: 20,
    oversized: 10,
    garbage: 20,
    vast_table: 1,
}


async def attack(kind, port: int, until: float, counts: Counter) -> None:
    """Begin again whenever the server has ended it."""
    while (left := until - time.perf_counter()) > 0:
        counts[kind.__name__] += 1
        try:
            await asyncio.wait_for(kind(port), left)
        except (OSError, TimeoutError):
            await asyncio.sleep(0.1)


async def siege(port: int, pid: int, requests: list[bytes], options) -> dict:
    counts: Counter = Counter()
    times: list[float] = []
    errors: list[str] = []
    crowd = range(options.clients)

    async def alone():
        until = time.perf_counter() + min(ALONE, options.seconds)
        await asyncio.gather(*(client(port, requests, until, [], errors) for _ in crowd))

    await alone()
    sizes, used, start = [memory(pid)], cpu(pid), time.perf_counter()
    until = start + options.seconds

    async def watch():
        while time.perf_counter() < until:
            await asyncio.sleep(options.seconds / 6)
            sizes.append(memory(pid))

    hostile = [
        attack(kind, port, until, counts)
        for kind, share in KINDS.items()
        for _ in range(max(1, share * options.hostile // 1000))
    ]
    honest = [client(port, requests, until, times, errors) for _ in crowd]
    await asyncio.gather(watch(), *honest, *hostile)
    used = cpu(pid) - used
    await alone()
    p50, p99 = 1000 * np.quantile(times, [0.5, 0.99])
    return {
        "clients": options.clients,
        "seconds": options.seconds,
        "requests": len(times),
        "errors": len(errors),
        "first_errors": errors[:3],
        "p50_ms": round(p50),
        "p99_ms": round(p99),
        "memory_mb": [round(size) for size in sizes],
        "memory_mb_start": round(sizes[0]),
        "memory_mb_end": round(sizes[-1]),
        "memory_mb_after": round(memory(pid)),
        "cpu_seconds": round(used, 1),
        "hostile_at_once": len(hostile),
        "hostile": dict(counts),
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--hostile", type=int, default=1100)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path, log = Path(folder) / "model.pulps", Path(folder) / "log"
        table = make_model(path, options.epochs)
        requests = [request_bytes([record]) for record in table.to_dict("records")]
        with log.open("wb") as stderr:
            server = subprocess.Popen(
                [sys.executable, "-m", "pulps", "serve", str(path), "--port", "0"],
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                env=os.environ | {"PULPS_TOKEN": TOKEN},
            )
            try:
                port = int(server.stdout.readline().split(":")[2].split("/")[0])
                told = asyncio.run(siege(port, server.pid, requests, options))
            finally:
                server.terminate()
                server.wait()
                server.stdout.close()
        told["log_bytes"] = log.stat().st_size
        told["load_of_the_machine"] = [round(value, 1) for value in os.getloadavg()]
    text = json.dumps(told, indent=1)
    options.out.write_text(text + "\n")
    print(text)
    return int(told["errors"] > 0)


if __name__ == "__main__":
    sys.exit(main())
