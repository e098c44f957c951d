"""``import pulps`` is lazy, and nobody notices: names, packages, completion, stars."""

import ast
from pathlib import Path

import pytest

import pulps


def test_type_checkers_read_the_same_names():
    tree = ast.parse(Path(pulps.__file__).read_text(encoding="utf-8"))
    (block,) = (
        node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)
    )
    names = {alias.name for statement in block.body for alias in statement.names}
    assert names == set(pulps.__all__)


def test_every_name_is_there_and_completes():
    for name in pulps.__all__:
        assert getattr(pulps, name).__module__.startswith("pulps.")
        assert name in dir(pulps)
    assert pulps.metrics.__name__ == "pulps.metrics"
    assert {"estimators", "labels", "tuning"} <= set(dir(pulps))


def test_a_name_that_is_not_there_is_refused():
    assert not hasattr(pulps, "PUClasifier")
    assert not hasattr(pulps, "__path_")


def test_python_can_look_for_a_name_like_it():
    with pytest.raises(AttributeError) as found:
        pulps.PUClasifier  # noqa: B018
    assert (found.value.name, found.value.obj) == ("PUClasifier", pulps)


def test_a_star_brings_what_is_promised():
    names = {}
    exec("from pulps import *", names)
    assert set(pulps.__all__) <= set(names)
