"""A file keeps its mode and its links, and nothing is left beside it."""

import fcntl
import os
import stat
import threading

import pytest

from pulps.io.outputs import check_writable, replacing, write_whole

OLD = b"what was there before"


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


def test_what_a_killed_process_left_is_deleted_by_the_next(tmp_path):
    left = tmp_path / ".it.0123456789ab.part"
    others = [tmp_path / name for name in (".at.0123456789ab.part", ".it.notes.part", "it.part")]
    for path in (left, *others):
        path.write_bytes(b"half")
    check_writable(tmp_path / "it")
    assert not left.exists()
    left.write_bytes(b"half")
    write_whole(tmp_path / "it", "new")
    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / "it", *others])


def test_what_another_process_is_writing_is_left_alone(tmp_path):
    held = tmp_path / ".it.0123456789ab.part"
    with held.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        write_whole(tmp_path / "it", "new")
        assert held.exists()
    write_whole(tmp_path / "it", "new")
    assert not held.exists()


def test_nothing_is_left_when_writing_is_interrupted(tmp_path):
    def write_half():
        with replacing(tmp_path / "it") as temporary:
            temporary.write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert not any(tmp_path.iterdir())
