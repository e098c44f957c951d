"""Whatever fails or ends a process while a file is written, the file is the old or the new one."""

import os
import resource

import pytest
from faults import (
    GROWERS,
    OLD,
    WRITERS,
    Calls,
    killed_at_byte,
    killed_at_call,
    no_room,
    out_of_memory,
    set_nomemory,
)

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be copied"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pulps.benchmark.store.DamagedLineWarning"),
]
MOST = 200  # calls of a writer


@pytest.fixture
def case(request, tmp_path):
    """A writer, its path, and what it writes there."""
    writer = WRITERS[request.param]
    path = tmp_path / writer.name
    writer.write(path)
    return writer, path, path.read_bytes(), sorted(os.listdir(tmp_path))


def check_and_go_on(writer, path, new, there):
    assert writer.is_whole(path, new)
    writer.write(path)
    assert writer.is_new(path, new)
    assert sorted(os.listdir(path.parent)) == there


@pytest.mark.parametrize("case", WRITERS, indirect=True)
def test_whichever_call_fails(case):
    writer, path, new, there = case
    hits = []
    for n in range(1, MOST):
        path.write_bytes(OLD)
        with Calls(path.parent, n, no_room).watched() as calls:
            try:
                writer.write(path)
            except OSError:
                assert calls.hit is not None
        if calls.hit is None:
            break
        hits.append(calls.hit)
        assert writer.is_whole(path, new)
        assert calls.hit == "unlink" or sorted(os.listdir(path.parent)) == there
    assert {"open", "fsync", "replace", "chmod", "unlink", "scandir"} <= set(hits)
    check_and_go_on(*case)


@pytest.mark.parametrize("case", WRITERS, indirect=True)
def test_killed_before_whichever_call(case):
    writer, path, new, there = case
    for n in range(1, MOST):
        path.write_bytes(OLD)
        if not killed_at_call(lambda: writer.write(path), path.parent, n):
            break
        assert writer.is_whole(path, new)
    assert n > 10
    check_and_go_on(*case)


@pytest.mark.parametrize("case", WRITERS, indirect=True)
def test_killed_at_a_byte(case):
    writer, path, new, there = case
    for most in {len(OLD) + 1, len(new) // 2, len(new) - 1}:
        path.write_bytes(OLD)
        assert killed_at_byte(lambda: writer.write(path), most)
        assert path.read_bytes() == OLD
    check_and_go_on(*case)


@pytest.mark.parametrize("case", WRITERS, indirect=True)
def test_a_disk_that_is_full_at_a_byte(case):
    """The system itself refuses to write beyond a number of bytes."""
    writer, path, new, there = case
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in {len(OLD) + 1, len(new) // 3, len(new) - 1}:
        path.write_bytes(OLD)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
        try:
            with pytest.raises(OSError, match=r"."):
                writer.write(path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert path.read_bytes() == OLD
        assert sorted(os.listdir(path.parent)) == there


@pytest.mark.skipif(set_nomemory is None, reason="needs an interpreter that can lack memory")
@pytest.mark.parametrize("case", WRITERS, indirect=True)
def test_out_of_memory_at_some_allocations(case):
    writer, path, new, there = case
    n, n_failed, n_fine = 5, 0, 0
    while n_fine < 2 and n < 10**7:
        path.write_bytes(OLD)
        failed = out_of_memory(lambda: writer.write(path), n)
        n_failed, n_fine = n_failed + failed, 0 if failed else n_fine + 1
        assert writer.is_whole(path, new)
        n *= 5
    assert n_failed > 2
    check_and_go_on(*case)


@pytest.fixture
def grown(request, tmp_path):
    """A file of two entries."""
    grower, path = GROWERS[request.param], tmp_path / "it"
    for number in (0, 1):
        grower.append(path, number)
    return grower, path, path.read_bytes()


def check_grown(grower, path, acknowledged=False):
    """What was acknowledged is there; the next entry is taken."""
    assert grower.read(path) in ([[0, 1, 2]] if acknowledged else [[0, 1], [0, 1, 2]])
    grower.append(path, 3)
    assert grower.read(path)[-1] == 3


@pytest.mark.parametrize("torn", [b"", b"half a li"])
@pytest.mark.parametrize("grown", GROWERS, indirect=True)
def test_a_file_that_grows_whichever_call_fails_or_kills(grown, torn):
    grower, path, before = grown
    hits = []
    for n in range(1, MOST):
        path.write_bytes(before + torn)
        with Calls(path.parent, n, no_room).watched() as calls:
            try:
                grower.append(path, 2)
            except OSError:
                assert calls.hit is not None
        check_grown(grower, path, acknowledged=calls.hit is None)
        if calls.hit is None:
            break
        hits.append(calls.hit)
        path.write_bytes(before + torn)
        assert killed_at_call(lambda: grower.append(path, 2), path.parent, n)
        check_grown(grower, path)
    assert {"open", "write", "fsync", "ftruncate"} <= set(hits)


@pytest.mark.parametrize("grown", GROWERS, indirect=True)
def test_a_file_that_grows_killed_at_a_byte_or_out_of_memory(grown):
    grower, path, before = grown
    for more in (1, 100, 400):
        path.write_bytes(before)
        assert killed_at_byte(lambda: grower.append(path, 2), len(before) + more)
        check_grown(grower, path)
    n = 3
    while set_nomemory is not None:
        path.write_bytes(before)
        failed = out_of_memory(lambda: grower.append(path, 2), n)
        check_grown(grower, path, acknowledged=not failed)
        if not failed and n > 10_000:
            break
        n *= 5
