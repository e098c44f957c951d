"""Files of a command: refused before any work, named once they are written."""

import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from commands import failure, run, write

from pulps.cli import main

COMMANDS = {
    "fit": ["fit", "table.csv", "--label", "bought", "--model", "lps", "--epochs", "1"],
    "predict": ["predict", "model", "table.csv"],
    "sample": ["sample", "model", "--rows", "2"],
    "impute": ["impute", "model", "table.csv"],
    "report": ["report", "model", "table.csv"],
    "tune": ["tune", "table.csv", "--label", "bought"],
    "toy": ["data", "toy", "moons", "--rows", "20", "--labeled", "5"],
    "get": ["data", "get", "iris"],
}
LOADED = "pandas pyarrow torch sklearn scipy matplotlib numpy".split()


def never(*_, **__):
    raise AssertionError("work was begun")


@pytest.fixture
def idle(monkeypatch):
    """No model is opened, no table is read and none is made."""
    for work in (
        "pulps.cli.models.open_model",
        "pulps.io.files.read_table",
        "pulps.datasets.make_toy",
        "pulps.datasets.load_dataset",
    ):
        monkeypatch.setattr(work, never)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_that_is_there_is_kept_unless_told_otherwise(name, folder, tmp_path, idle, capsys):
    out = write(tmp_path / "there.csv", "old")
    assert run(folder, *COMMANDS[name], "--out", str(out)) == 2
    assert "there.csv is there already" in (line := failure(capsys))
    assert "--overwrite" in line
    assert out.read_text() == "old"


@pytest.mark.parametrize("name", COMMANDS)
def test_an_output_that_cannot_be_written_is_refused_first(name, folder, tmp_path, idle, capsys):
    assert run(folder, *COMMANDS[name], "--out", str(tmp_path / "no" / "out.csv")) == 2
    assert "There is no folder" in failure(capsys)
    if Path("/proc/self").is_dir():
        assert run(folder, *COMMANDS[name], "--out", "/proc/self/out.csv") == 2
        assert "takes no files" in failure(capsys)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sample", "model", "--rows", "-3"], "--rows is -3. Draw at least one"),
        (["report", "model", "table.csv", "--rows", "0", "--out", "r"], "--rows is 0. List at"),
        (["suggest", "model", "table.csv", "--n", "0"], "--n is 0. Ask for at least one"),
    ],
)
def test_no_rows_at_all_are_refused_by_the_name_of_the_option(words, said, folder, idle, capsys):
    assert run(folder, *words) == 2
    assert said in failure(capsys)


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="root writes anywhere")
def test_a_read_only_folder_is_refused(folder, tmp_path, capsys):
    tmp_path.chmod(0o500)
    assert run(folder, *COMMANDS["sample"], "--out", str(tmp_path / "out.csv")) == 2
    assert "takes no files" in failure(capsys)


@pytest.mark.parametrize("name", ["fit", "predict", "impute", "report", "tune"])
def test_an_input_is_never_written_over(name, folder, idle, capsys):
    before = (folder / "table.csv").read_bytes()
    words = ["--out", str(folder / ".." / folder.name / "table.csv"), "--overwrite"]
    assert run(folder, *COMMANDS[name], *words) == 2
    assert "would be read and written" in failure(capsys)
    assert (folder / "table.csv").read_bytes() == before


@pytest.mark.parametrize("name", ["fit", "predict", "sample", "impute", "report", "toy"])
def test_what_was_written_is_said_in_one_line(name, folder, tmp_path, capsys):
    out = write(tmp_path / ("out.html" if name == "report" else "out.csv"), "old")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert run(folder, *COMMANDS[name], "--out", str(out), "--overwrite") == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "Wrote" in line]
    assert len(said) == 1
    assert said[0].startswith(f"Wrote {out}: ")
    assert out.read_bytes() != b"old"


def test_standard_output_holds_the_table_and_nothing_is_said(folder, capsys):
    assert run(folder, "sample", "model", "--rows", "2") == 0
    assert capsys.readouterr().err == ""


def test_a_warning_is_one_line_without_a_file_name(monkeypatch, capsys):
    def warned():
        for _ in range(2):
            warnings.warn("Two\nlines of doubt.", UserWarning, stacklevel=1)
        return {"pulps": "0"}

    monkeypatch.setattr("pulps.cli.about._about_us", warned)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        assert main(["info"]) == 0
    assert failure(capsys) == "pulps: warning: Two lines of doubt."


STARTS = """
import contextlib, io, sys
import pulps, pulps.cli
assert set(pulps.__all__) <= set(dir(pulps)), dir(pulps)
for words in {commands!r}:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = pulps.cli.main(words)
    loaded = sorted(set({heavy!r}) & set(sys.modules))
    print(code, *words[:1], *loaded)
"""


def test_help_completion_and_wrong_paths_load_no_heavy_library(tmp_path, folder):
    nowhere, table = str(tmp_path / "nowhere.csv"), str(folder / "table.csv")
    commands = [
        ["--help"],
        *([name, "--help"] for name in ("fit", "tune", "bench", "data", "serve")),
        ["completion", "bash"],
        ["fit", nowhere, "--label", "y", "--out", str(tmp_path / "m")],
        ["fit", table, "--label", "bought", "--out", str(tmp_path / "no" / "m")],
        ["predict", nowhere, nowhere],
        ["predict", str(folder / "model"), nowhere],
        ["report", nowhere, table, "--out", str(tmp_path / "r.html")],
        ["tune", nowhere, "--label", "y", "--out", str(tmp_path / "m")],
        ["sample", nowhere],
        ["impute", str(folder / "model"), nowhere],
        ["serve", nowhere],
        ["info", nowhere],
        ["data", "toy", "moons", "--out", str(tmp_path / "no" / "toy.csv")],
    ]
    program = STARTS.format(commands=commands, heavy=LOADED)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    codes = [0] * 7 + [2] * (len(commands) - 7)
    assert done.stdout.splitlines() == [
        f"{code} {words[0]}" for code, words in zip(codes, commands, strict=True)
    ]
