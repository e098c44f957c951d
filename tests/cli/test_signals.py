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
