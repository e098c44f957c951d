"""The house is in order: lint, types, layers, and the README says what CI does."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMANDS = {
    "lint": ["ruff", "check", "."],
    "format": ["ruff", "format", "--check", "."],
    "types": ["mypy"],
    "layers": ["lint-imports"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_house_is_in_order(name):
    tool, *arguments = COMMANDS[name]
    command = [str(Path(sys.executable).parent / tool), *arguments]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_ci_calls_the_very_test_command_of_the_readme():
    last = (ROOT / ".ci" / "run").read_text().splitlines()[-1]
    assert last in (ROOT / "README.md").read_text().splitlines()


def test_every_module_says_what_it_knows():
    for path in (ROOT / "src" / "pulps").rglob("*.py"):
        assert path.read_text().lstrip("r").startswith('"""'), path
