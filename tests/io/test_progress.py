"""The line that says how far work is: when it is shown, what it says, and who stays silent."""

import io
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

from pulps.io import progress as room
from pulps.io.progress import inner_work_is_silent, progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


def open_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    return sys.stderr


def work(verbose, n_steps=8):
    with progress("step", n_steps, verbose) as tell:
        for done in range(1, n_steps + 1):
            tell(done)


def test_a_log_gets_a_line_a_quarter_if_asked(capsys):
    work(1)
    said = capsys.readouterr().err.splitlines()
    assert said == [f"step {done} of 8" for done in (2, 4, 6, 8)]
    work("auto")
    work(False)
    assert capsys.readouterr().err == ""


def test_a_terminal_gets_one_line_that_is_wiped(monkeypatch):
    terminal = open_terminal(monkeypatch)
    work(True)
    *shown, blank, end = terminal.getvalue().split("\r")
    assert shown[-1].strip().startswith("step 8 of 8")
    assert (blank.strip(), end) == ("", "")
    assert len(blank) == max(map(len, shown))
    assert "\n" not in terminal.getvalue()


def test_the_time_left_follows_from_the_time_taken(monkeypatch):
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(room, "time", SimpleNamespace(monotonic=lambda: 10.0))
    with progress("step", 8, True) as tell:
        monkeypatch.setattr(room, "time", SimpleNamespace(monotonic=lambda: 30.0))
        tell(2)
    assert "step 3 of 8, about 1 min 0 s left" in terminal.getvalue()


def test_work_of_unknown_length_is_counted(monkeypatch, capsys):
    with progress("row", None, True, rate=True) as tell:
        tell(5)
    assert capsys.readouterr().err == ""
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(room, "time", SimpleNamespace(monotonic=lambda: 10.0))
    with progress("row", None, True, rate=True) as tell:
        monkeypatch.setattr(room, "time", SimpleNamespace(monotonic=lambda: 30.0))
        tell(65_536)
        tell(131_072)
    assert "rows done: 65,536, 3,277 per second" in terminal.getvalue()
    assert "rows done: 131,072, 6,554 per second" in terminal.getvalue()


def test_short_work_says_nothing_unless_asked(monkeypatch):
    terminal = open_terminal(monkeypatch)
    work("auto")
    assert terminal.getvalue() == ""


def test_long_work_speaks_on_its_own(monkeypatch):
    terminal = open_terminal(monkeypatch)
    monkeypatch.setattr(room, "PATIENCE", 0.0)
    work("auto")
    assert "step 8 of 8" in terminal.getvalue()


def test_a_notebook_is_a_terminal(monkeypatch, capsys):
    class Notebook:
        kernel = object()

        @classmethod
        def get_ipython(cls):
            return cls

    monkeypatch.setitem(sys.modules, "IPython", Notebook)
    monkeypatch.setattr(room, "PATIENCE", 0.0)
    work("auto")
    assert "\rstep 8 of 8" in capsys.readouterr().err


def test_work_inside_other_work_and_in_threads_is_silent(monkeypatch):
    terminal = open_terminal(monkeypatch)
    with progress("outer", 1, True):
        work(True)
    with inner_work_is_silent():
        work(True)
    with ThreadPoolExecutor() as pool:
        pool.submit(work, True).result()
    assert "step" not in terminal.getvalue()
    work(True)
    assert "step" in terminal.getvalue()


def test_what_is_expected_may_change(capsys):
    with progress("fit", 100, 1) as tell:
        tell(1, 4)
        tell(2, 4)
    assert capsys.readouterr().err.splitlines()[0].startswith("fit 1 of 4")
