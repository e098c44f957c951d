"""The memory of this machine, and a bound where nothing tells it."""

from pulps.io import memory


def test_a_system_that_does_not_tell_its_memory_is_given_much(monkeypatch):
    assert memory.machine_memory() > 2**26
    monkeypatch.setattr(memory.os, "sysconf", lambda name: -1, raising=False)
    assert memory.machine_memory() == memory.WHERE_UNKNOWN
    monkeypatch.delattr(memory.os, "sysconf")
    assert memory.machine_memory() == memory.WHERE_UNKNOWN
