"""Load on ``/v1/predict``: many clients at once, for a minute, against a server of its own.

Usage: python benchmarks/bench_serve.py [--clients 200] [--seconds 60] [--rows 1]

Every client keeps one connection and sends its next request when it has the answer. Printed:
requests per second, latencies, errors, and the memory of the server along the way. The page
Performance tells what `results/serve.json` holds.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from pulps import LPSClassifier

TOKEN = "a-token-for-the-bench"


def make_model(path: Path, epochs: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    truth = rng.random(400) < 0.5
    table = pd.DataFrame(rng.normal(size=(400, 8)) + truth[:, None], columns=list("abcdefgh"))
    table["color"] = np.where(rng.random(400) < 0.2 + 0.6 * truth, "red", "blue")
    y = truth & (rng.random(400) < 0.3)
    LPSClassifier(max_epochs=epochs, random_state=0).fit(table, y).save(path)
    return table


def request_bytes(rows: list[dict]) -> bytes:
    body = json.dumps({"rows": rows}).encode()
    head = (
        "POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def client(port: int, requests: list[bytes], until: float, times: list, errors: list):
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    number = 0
    while time.perf_counter() < until:
        start = time.perf_counter()
        try:
            writer.write(requests[number % len(requests)])
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            body = await reader.readexactly(length)
            if not head.startswith(b"HTTP/1.1 200") or b"probability" not in body:
                errors.append(head.split(b"\r\n")[0].decode() + " " + body[:200].decode())
        except (OSError, asyncio.IncompleteReadError, TimeoutError, IndexError) as error:
            errors.append(repr(error))
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        times.append(time.perf_counter() - start)
        number += 1
    writer.close()


def memory(pid: int) -> float:
    """Resident memory in megabytes."""
    fields = Path(f"/proc/{pid}/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def cpu(pid: int) -> float:
    """Seconds of processor time a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def load(port: int, pid: int, requests: list[bytes], clients: int, seconds: float) -> dict:
    times: list[float] = []
    errors: list[str] = []
    sizes = []
    start, used = time.perf_counter(), cpu(pid)

    async def watch():
        while time.perf_counter() < start + seconds:
            sizes.append(memory(pid))
            await asyncio.sleep(seconds / 6)

    crowd = [client(port, requests, start + seconds, times, errors) for _ in range(clients)]
    await asyncio.gather(watch(), *crowd)
    elapsed = time.perf_counter() - start
    sizes.append(memory(pid))
    p50, p95, p99 = 1000 * np.quantile(times, [0.5, 0.95, 0.99])
    return {
        "clients": clients,
        "seconds": round(elapsed, 1),
        "requests": len(times),
        "per second": round(len(times) / elapsed),
        "p50 ms": round(p50),
        "p95 ms": round(p95),
        "p99 ms": round(p99),
        "cpu of the server, s": round(cpu(pid) - used, 1),
        "errors": len(errors),
        "first errors": errors[:3],
        "memory MB": [round(size) for size in sizes],
    }


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rows", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pulps"
        table = make_model(path)
        records = table.to_dict("records")
        size = options.rows
        requests = [
            request_bytes(records[i : i + size]) for i in range(0, len(records) - size, size)
        ]
        server = subprocess.Popen(
            [sys.executable, "-m", "pulps", "serve", str(path), "--port", "0"],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PULPS_TOKEN": TOKEN},
        )
        try:
            port = int(server.stdout.readline().split(":")[2].split("/")[0])
            before = os.times()
            told = asyncio.run(load(port, server.pid, requests, options.clients, options.seconds))
            told["cpu of the clients, s"] = round(os.times().user - before.user, 1)
            told["load of the machine"] = [round(value, 1) for value in os.getloadavg()]
            print(json.dumps(told, indent=1))
        finally:
            server.terminate()
            server.wait()
    return int(told["errors"] > 0)


if __name__ == "__main__":
    sys.exit(main())
