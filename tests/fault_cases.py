"""All faults of all writers, one after the other; each is checked, and told by its kind."""

import resource
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from faults import (
    GROWERS,
    OLD,
    WRITERS,
    Calls,
    Grower,
    Writer,
    killed_at_byte,
    killed_at_call,
    no_room,
    out_of_memory,
    set_nomemory,
)

MOST = 500  # calls of a writer
Cases = Callable[[], Iterator[str]]


def writer_cases(
    n_bytes: int = 40, growth: float = 1.15, *, thorough: bool = True
) -> dict[str, Cases]:
    """Faults of what replaces files; the file is written again after each, or in the end."""
    return {
        name: partial(_of_writer, one, n_bytes, growth, thorough) for name, one in WRITERS.items()
    }


def grower_cases(n_bytes: int = 40, growth: float = 1.15) -> dict[str, Cases]:
    """Faults of what appends to files."""
    return {name: partial(_of_grower, one, n_bytes, growth) for name, one in GROWERS.items()}


def _of_writer(writer: Writer, n_bytes: int, growth: float, thorough: bool) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / writer.name
        writer.write(path)
        new, there = path.read_bytes(), sorted(Path(folder).iterdir())

        def check(*, go_on: bool = thorough) -> None:
            assert writer.is_whole(path, new)
            if not go_on:
                path.write_bytes(OLD)
                return
            writer.write(path)
            assert writer.is_new(path, new)
            assert sorted(Path(folder).iterdir()) == there
            path.write_bytes(OLD)

        check(go_on=True)
        for n in range(1, MOST):
            with Calls(folder, n, no_room).watched() as calls:
                try:
                    writer.write(path)
                except OSError:
                    assert calls.hit is not None
            check()
            if calls.hit is None:
                break
            yield "a call fails"
            assert killed_at_call(lambda: writer.write(path), folder, n)
            check()
            yield "killed at a call"
        for most in _places(len(OLD) + 1, len(new) - 1, n_bytes):
            assert killed_at_byte(lambda: writer.write(path), most)
            assert path.read_bytes() == OLD
            check()
            yield "killed at a byte"
            assert _full_at(partial(writer.write, path), most)
            assert path.read_bytes() == OLD
            check()
            yield "no room at a byte"
        for _ in _allocations(partial(writer.write, path), growth):
            check()
            yield "no memory"
        check(go_on=True)


def _of_grower(grower: Grower, n_bytes: int, growth: float) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "it"
        for number in (0, 1):
            grower.append(path, number)
        before = path.read_bytes()
        append = partial(grower.append, path, 2)

        def check(*, acknowledged: bool = False) -> None:
            found = grower.read(path)
            assert found == [0, 1, 2] or (found == [0, 1] and not acknowledged)
            grower.append(path, 3)
            assert grower.read(path) == [*found, 3]
            path.write_bytes(before)

        for n in range(1, MOST):
            with Calls(folder, n, no_room).watched() as calls:
                try:
                    append()
                except OSError:
                    assert calls.hit is not None
            check(acknowledged=calls.hit is None)
            if calls.hit is None:
                break
            yield "a call fails"
            assert killed_at_call(append, folder, n)
            check()
            yield "killed at a call"
        for most in _places(len(before) + 1, len(before) + 500, n_bytes):
            assert killed_at_byte(append, most)
            check()
            yield "killed at a byte"
            assert _full_at(append, most)
            check()
            yield "no room at a byte"
        for failed in _allocations(append, growth):
            check(acknowledged=not failed)
            yield "no memory"


def _places(first: int, last: int, n: int) -> list[int]:
    return sorted({first + (last - first) * k // max(n - 1, 1) for k in range(n)})


def _full_at(work: Callable[[], object], most: int) -> bool:
    """Do something on a disk that is full at a size of a file; return whether it was refused."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limits[1]))
    try:
        work()
    except OSError:
        return True
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    return False


def _allocations(work: Callable[[], object], growth: float) -> Iterator[bool]:
    """Let one allocation fail, the first of all and then fewer and fewer of those after it."""
    n, n_fine = 1, 0
    while set_nomemory is not None and n_fine < 3 and n < 10**7:
        failed = out_of_memory(work, n)
        n_fine = 0 if failed or n < 1000 else n_fine + 1
        yield failed
        n = max(n + 1, int(n * growth))
