"""A signal ends a command with one line and the code that shells expect, wherever it comes."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
ROWS = "".join(f"{k / 60},{'uvw'[k % 3]},{int(k > 40)}\n" for k in range(60))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["INT", "TERM"])
@pytest.mark.parametrize("module", ["cyclopts", "pandas", "pulps.views.kernel", "skops.io"])
def test_a_signal_at_any_moment(module, number, tmp_path):
    """The command is told to stop when it has imported a module: at the start, or in its work."""
    (tmp_path / "table.csv").write_text("a,b,y\n" + ROWS)
    (tmp_path / "model").write_bytes(b"old")
    words = ["fit", "table.csv", "--label", "y", "--out", "model", "--overwrite", "--json"]
    words += ["--set", 'views=["kernel"]']
    with subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "pulps", *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        said = []
        for line in process.stderr:
            if not line.startswith("import time:"):
                said.append(line.rstrip())
            elif line.rpartition("|")[2].strip() == module:
                os.killpg(process.pid, number)  # as a terminal does
        assert process.wait() == 128 + number
        assert process.stdout.read() == ""
    assert [line for line in said if "warning" not in line] == [
        "pulps: stopped; no file was left half written"
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "table.csv"]
    assert (tmp_path / "model").read_bytes() == b"old"


INSIDE = {  # what a command does when the signal comes, and what is told of it
    "code that was text": (
        "exec('os.kill(os.getpid(), number)', {'os': os, 'number': number})",
        1,
    ),
    "a finalizer": ("one = Last(); del one; [None for _ in range(10**9)]", 1),
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["INT", "TERM"])
@pytest.mark.parametrize("inside", INSIDE)
def test_a_signal_where_python_forgets_or_remembers_too_much(inside, number, tmp_path):
    """In compiled text an interrupt is remembered until the exit; in a finalizer it is lost."""
    work, n_lines = INSIDE[inside]
    done = in_a_command(tmp_path, number, work)
    assert done.returncode == 128 + number
    assert done.stderr == "pulps: stopped; no file was left half written\n" * n_lines


AFTER = {
    "the work": "atexit.register(os.kill, os.getpid(), number)",
    "the work, twice": "[atexit.register(os.kill, os.getpid(), number) for _ in range(2)]",
    "all handlers": "sys.keep = Last()",
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["INT", "TERM"])
@pytest.mark.parametrize("after", AFTER)
def test_a_signal_after_the_work_changes_neither_what_is_said_nor_the_code(
    after, number, tmp_path
):
    done = in_a_command(tmp_path, number, f"print('done'); {AFTER[after]}; return 3")
    assert (done.returncode, done.stdout, done.stderr) == (3, "done\n", "")


def in_a_command(folder, number, work):
    """Run ``python -m`` on a command that does something else."""
    lines = [
        "import atexit, os, sys, pulps.__main__ as entry",
        f"number = {int(number)}",
        "class Last:",
        "    def __del__(self, told=(os.getpid(), number), kill=os.kill): kill(*told)",
        f"def command(): {work}",
        "entry._commands = lambda: command",
        "sys.exit(entry.main())",
    ]
    (folder / "program.py").write_text("\n".join(lines))
    told = dict(os.environ, PYTHONPATH=os.pathsep.join([*filter(None, sys.path), str(folder)]))
    return subprocess.run(
        [sys.executable, "-m", "program"], env=told, capture_output=True, text=True, check=False
    )
