"""What the server remembers."""

import pytest

from pulps.studio.answers import Refusal
from pulps.studio.registry import Registry


def test_a_registry_forgets_the_oldest():
    dropped = []
    registry = Registry("thing", 2, dropped.append)
    keys = [registry.put(i) for i in range(3)]
    assert dropped == [0]
    assert [registry.get(key) for key in keys[1:]] == [1, 2]
    with pytest.raises(Refusal, match="no such thing"):
        registry.get(keys[0])
