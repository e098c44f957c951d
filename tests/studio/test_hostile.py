"""Honest clients are served beside hostile ones: the benchmark of it, small."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "bench_hostile.py"


def test_honest_clients_are_served_beside_hostile_ones(tmp_path):
    options = {"clients": 5, "seconds": 2, "hostile": 30, "epochs": 1}
    words = [f"--{name}={value}" for name, value in options.items()]
    out = tmp_path / "found.json"
    run = subprocess.run(
        [sys.executable, SCRIPT, *words, f"--out={out}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    found = json.loads(out.read_text())
    assert found["errors"] == 0
    assert found["requests"] >= 5
    assert len(found["hostile"]) == 6
    assert found["log_bytes"] < 10_000
