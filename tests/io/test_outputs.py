"""A file is the old one or the new one, whole, whatever fails while it is written."""

import os
import resource
import stat
import threading

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from pulps import LPSClassifier
from pulps.estimators.checkpoint import Checkpoint
from pulps.io.chunks import write_chunks
from pulps.io.files import write_table
from pulps.io.outputs import check_writable, replacing, write_whole

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.decision.AgreementWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
OLD = b"what was there before"
TABLE = pd.DataFrame({"a": np.arange(50) / 7, "b": ["x", "y"] * 25})


@pytest.fixture(scope="module")
def model():
    quick = LPSClassifier(n_members=1, max_epochs=1, bond_dim=2, n_repeats=1, random_state=0)
    return quick.fit(TABLE, TABLE["a"] > 4)


def write_checkpoint(path, _):
    checkpoint = Checkpoint(path.with_name("new"), 1, "it")  # a file of another kind is refused
    checkpoint.path = path
    checkpoint.generator(np.random.RandomState(0))
    checkpoint.epoch_done(lambda: {"numbers": np.arange(400.0)})


WRITERS = {
    "text": lambda path, model: write_whole(path, "new\n" * 500),
    "csv": lambda path, model: write_table(TABLE, path, "csv"),
    "parquet": lambda path, model: write_table(TABLE, path, "parquet"),
    "chunks of csv": lambda path, model: write_chunks([pa.table(TABLE)], path, "csv"),
    "chunks of parquet": lambda path, model: write_chunks([pa.table(TABLE)], path, "parquet"),
    "chunks of arrow": lambda path, model: write_chunks([pa.table(TABLE)], path, "arrow"),
    "checkpoint": write_checkpoint,
    "model": lambda path, model: model.save(path),
}
CALLS = ("open", "write", "fsync", "replace", "chmod")


class FailingCalls:
    """Every call to the system that writers make, the n-th of which fails."""

    def __init__(self, monkeypatch, folder, n):
        self.n_seen, self.failed = 0, None
        for name in CALLS:
            monkeypatch.setattr(os, name, self.wrapped(name, getattr(os, name), str(folder), n))

    def wrapped(self, name, call, folder, n):
        handles = set()

        def act(what, *arguments, **options):
            ours = what in handles if isinstance(what, int) else str(what).startswith(folder)
            if ours:
                self.n_seen += 1
                if self.n_seen == n:
                    self.failed = name
                    raise OSError(28, "No space left on device")
            return call(what, *arguments, **options)

        if name == "open":
            self.handles = handles

            def opened(what, *arguments, **options):
                handle = act(what, *arguments, **options)
                if str(what).startswith(folder):
                    self.handles.add(handle)
                return handle

            return opened
        handles = self.handles
        return act


@pytest.mark.parametrize("writer", WRITERS)
def test_whichever_call_fails_the_file_is_whole(writer, model, tmp_path):
    path, write = tmp_path / "it", WRITERS[writer]
    write(path, model)
    new, failed = path.read_bytes(), []
    for n in range(1, 100):
        path.write_bytes(OLD)
        with pytest.MonkeyPatch.context() as monkeypatch:
            calls = FailingCalls(monkeypatch, tmp_path, n)
            try:
                write(path, model)
            except OSError:
                failed.append(calls.failed)
            else:
                assert calls.failed is None
                break
        assert path.read_bytes() in (OLD, new)
        if calls.failed not in ("open", "fsync"):  # as of the folder, when the new file is there
            assert path.read_bytes() == OLD
        assert [entry.name for entry in tmp_path.iterdir()] == ["it"]
    assert {"open", "fsync", "replace", "chmod"} <= set(failed)
    assert path.read_bytes() == new


@pytest.mark.parametrize("writer", WRITERS)
def test_a_disk_that_is_full_after_any_number_of_bytes(writer, model, tmp_path):
    """The system itself refuses to write beyond a number of bytes."""
    path, write = tmp_path / "it", WRITERS[writer]
    write(path, model)
    new = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in {*np.linspace(len(OLD) + 1, len(new) - 1, 9).astype(int).tolist()}:
        path.write_bytes(OLD)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
        try:
            with pytest.raises(OSError, match=r"."):
                write(path, model)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert path.read_bytes() == OLD
        assert [entry.name for entry in tmp_path.iterdir()] == ["it"]


def test_a_file_that_cannot_be_read_back_does_not_replace(tmp_path):
    path = tmp_path / "it"
    path.write_bytes(OLD)

    def refuse(temporary):
        assert temporary.read_bytes() == b"new"
        raise ValueError("unreadable")

    with pytest.raises(ValueError, match="unreadable"):
        write_whole(path, b"new", refuse)
    assert path.read_bytes() == OLD
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_a_file_keeps_its_mode(mode, tmp_path):
    path = tmp_path / "it"
    path.write_bytes(OLD)
    path.chmod(mode)
    write_whole(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_usual_mode_and_the_mask_is_never_touched(tmp_path, monkeypatch):
    (tmp_path / "usual").touch()
    monkeypatch.delattr(os, "umask")
    write_whole(tmp_path / "it", "new")
    assert (tmp_path / "it").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "target", tmp_path / "link"
    link.symlink_to(target)
    write_whole(link, "one")
    write_whole(link, "two")
    assert link.is_symlink()
    assert target.read_text() == "two"
    assert [entry.name for entry in (tmp_path / "far").iterdir()] == ["target"]


def test_devices_and_pipes_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="a device or a pipe"):
        check_writable(tmp_path / "pipe")
    with pytest.raises(ValueError, match="a device or a pipe"):
        check_writable("/dev/null")


def test_two_writers_leave_one_of_both(tmp_path):
    path, contents = tmp_path / "it", [bytes([k]) * 100_000 for k in range(4)]
    threads = [threading.Thread(target=write_whole, args=(path, content)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() in contents
    assert len(list(tmp_path.iterdir())) == 1


def test_nothing_is_left_when_writing_is_interrupted(tmp_path):
    def write_half():
        with replacing(tmp_path / "it") as temporary:
            temporary.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert not any(tmp_path.iterdir())
