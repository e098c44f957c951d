"""A journal holds every line that was acknowledged, whatever fails."""

import os

import pytest

from pulps.io.journal import append_lines, complete_lines, seal, unseal

CALLS = ("open", "ftruncate", "lseek", "write", "fsync")


@pytest.mark.parametrize("torn", [b"", b"half a li", b"x" * 200_000])
def test_whichever_call_fails_old_lines_stay_and_work_goes_on(torn, tmp_path):
    path = tmp_path / "journal"
    failures = []
    for n in range(1, 20):
        path.write_bytes(b"one\ntwo\n" + torn)
        seen = []

        def failing(name, call, n=n, seen=seen):
            def act(*arguments):
                seen.append(name)
                if len(seen) == n:
                    raise OSError(28, "No space left on device")
                return call(*arguments)

            return act

        with pytest.MonkeyPatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, failing(name, getattr(os, name)))
            try:
                append_lines(path, [b"three", b"four"])
            except OSError:
                failures.append(seen[n - 1])
            else:
                break
        assert complete_lines(path, 0)[0] == [b"one", b"two"]
        append_lines(path, [b"three"])
        assert path.read_bytes() == b"one\ntwo\nthree\n"
    assert set(failures) == set(CALLS)
    assert path.read_bytes() == b"one\ntwo\nthree\nfour\n"


def test_lines_are_read_from_where_one_was(tmp_path):
    path = tmp_path / "journal"
    assert complete_lines(path, 0) == ([], 0)
    append_lines(path, [b"one", b""])
    lines, end = complete_lines(path, 0)
    assert lines == [b"one", b""]
    append_lines(path, [b"zwei, drei"])
    assert complete_lines(path, end)[0] == [b"zwei, drei"]


def test_every_flipped_bit_breaks_the_seal():
    line = seal(b'{"op_code": 4}')
    assert unseal(line) == b'{"op_code": 4}'
    for place in range(8 * len(line)):
        flipped = bytearray(line)
        flipped[place // 8] ^= 1 << place % 8
        assert unseal(bytes(flipped)) in (None, b'{"op_code": 4}')
