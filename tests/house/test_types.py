"""Type checkers take correct code and refuse what is wrong."""

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("typed_script.py")


def wrong_lines() -> set[int]:
    lines = SCRIPT.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}


def test_mypy_strict_reads_a_users_script():
    command = [sys.executable, "-m", "mypy", "--strict", "--no-color-output", str(SCRIPT)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    errors = re.findall(r"typed_script\.py:(\d+): error", run.stdout)
    assert set(map(int, errors)) == wrong_lines(), run.stdout + run.stderr


def test_pyright_reads_a_users_script():
    if importlib.util.find_spec("basedpyright") is None:
        pytest.skip("basedpyright, a build of pyright, is not installed")
    command = [sys.executable, "-m", "basedpyright", "--level", "error", "--outputjson"]
    command += ["--pythonpath", sys.executable, str(SCRIPT)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(run.stdout)["generalDiagnostics"]
    errors = {one["range"]["start"]["line"] + 1 for one in found if one["severity"] == "error"}
    assert errors == wrong_lines(), run.stdout + run.stderr
