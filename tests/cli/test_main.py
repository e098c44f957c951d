"""The command line as a whole: help, exit codes, one line for every failure."""

import io
import re
import subprocess
import sys

from commands import failure

from pulps.cli import main


def test_wrong_words_exit_with_two(capsys):
    assert main(["fit"]) == 2
    assert main(["dance"]) == 2
    assert main(["fit", "x.csv", "--labell", "y"]) == 2
    assert all(line.startswith("pulps: ") for line in capsys.readouterr().err.splitlines())


def test_help_lists_the_commands(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    names = "fit predict compare tune sample impute report serve data bench demo info".split()
    names += ["completion", "suggest", "check", "explain"]
    told = dict(re.findall(r"^│ ([a-z]+) +(.*?) *│$", out, re.MULTILINE))
    assert sorted(told) == sorted(names)
    assert all(re.match("[A-Z]", sentence) for sentence in told.values())


def test_the_installed_command_returns_its_exit_code(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "pulps", "fit", "no.csv", "--label", "x", "--out", "m"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 2
    assert run.stderr.startswith("pulps: There is no file")


def test_debug_shows_the_traceback(capsys):
    assert main(["predict", "nowhere", "x.csv", "--debug"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("Traceback")
    assert lines[-1].startswith("pulps: There is no model file")


def test_surprises_are_one_line_too(monkeypatch, capsys, tmp_path):
    def surprise(path, **options):
        raise RuntimeError("what\na surprise")

    monkeypatch.setattr("pulps.cli.models.open_model", surprise)
    (tmp_path / "m").touch()
    assert main(["sample", str(tmp_path / "m")]) == 2
    assert failure(capsys).startswith("pulps: RuntimeError: what a surprise (run again")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_no_color_is_obeyed(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    said = {}
    for value in ("", "1"):
        monkeypatch.setenv("NO_COLOR", value)
        monkeypatch.setattr(sys, "stdout", Terminal())
        assert main(["--help"]) == 0
        said[value] = sys.stdout.getvalue()
    assert re.search(r"\x1b\[(\d+;)*(3|9)\d", said[""])
    assert not re.search(r"\x1b\[(\d+;)*(3|9)\d", said["1"])
