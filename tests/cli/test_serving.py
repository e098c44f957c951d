"""``pulps serve``."""

import socket
import sys

import pytest

from pulps.cli import main


@pytest.fixture
def started(monkeypatch):
    """Servers that would have been started."""
    found = []
    monkeypatch.setattr("uvicorn.Server.run", lambda self, sockets: found.append(self.config))
    return found


def test_serve_prints_an_address_with_a_new_token(started, capsys, monkeypatch):
    monkeypatch.delenv("PULPS_TOKEN", raising=False)
    tokens = []
    for _ in range(2):
        assert main(["serve", "--port", "0"]) == 0
        line = capsys.readouterr().out.splitlines()[0]
        assert line.startswith("Open http://127.0.0.1:")
        tokens.append(line.partition("token=")[2])
    assert tokens[0] != tokens[1]
    assert min(map(len, tokens)) >= 32
    guard = started[-1].app
    assert guard.token == tokens[1]
    assert guard.hosts == {"127.0.0.1", "localhost", "[::1]"}
    assert not started[-1].access_log


def test_serve_takes_names_limits_and_a_token(started, monkeypatch, capsys):
    monkeypatch.setenv("PULPS_TOKEN", "mine")
    words = ["--port", "0", "--host", "0.0.0.0", "--allow-host", "lab", "--megabytes", "3"]
    assert main(["serve", *words]) == 0
    guard = started[0].app
    assert guard.token == "mine"
    assert guard.hosts == {"127.0.0.1", "localhost", "[::1]", "lab"}
    assert guard.limits.body_bytes == 3 * 2**20


def test_serve_refuses_what_is_no_model_and_says_what_is_not_installed(capsys, monkeypatch):
    assert main(["serve", "nowhere"]) == 2
    assert "There is no model file" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve"]) == 2
    assert "pip install 'pulps[serve]'" in capsys.readouterr().err


def test_an_address_that_cannot_be_had_is_named_with_the_way_out(started, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 2
    line = capsys.readouterr().err
    assert f"Nothing can listen on port {port} of 127.0.0.1: " in line
    assert "--port" in line
    assert main(["serve", "--port", "99999"]) == 2
    assert "--port is 99999; ports are 0" in capsys.readouterr().err
    assert main(["serve", "--port", "0", "--host", "192.0.2.1"]) == 2
    assert "of 192.0.2.1" in capsys.readouterr().err
    assert not started


def test_serve_keeps_trainings_where_it_is_told_to(started, tmp_path, capsys):
    assert main(["serve", "--port", "0", "--keep", str(tmp_path / "kept")]) == 0
    assert (tmp_path / "kept").is_dir()
    (tmp_path / "file").write_text("mine")
    assert main(["serve", "--port", "0", "--keep", str(tmp_path / "file")]) == 2
    assert "Name a folder to keep trainings in" in capsys.readouterr().err
    assert (tmp_path / "file").read_text() == "mine"
