"""Numpydoc's validation of every public name: parameters and what comes back are documented.

Public is what a package exports in ``__all__``, and what classes among it offer.
"""

import importlib
import inspect
import pkgutil

import pytest

import pulps

validate = pytest.importorskip("numpydoc.validate")

# No docstring; parameters that are not documented, or documented and not there; no section about
# what is returned or yielded.
CODES = {"GL08", "PR01", "PR02", "RT01", "YD01"}


def packages():
    yield pulps
    for found in pkgutil.walk_packages(pulps.__path__, "pulps."):
        if found.ispkg and "._" not in found.name:
            yield importlib.import_module(found.name)


def public_names():
    """Names by where things are defined, so that each is looked at once."""
    found = set()
    for package in packages():
        for name in getattr(package, "__all__", ()):
            value = getattr(package, name)
            if inspect.isclass(value):
                found.add(f"{value.__module__}.{value.__qualname__}")
                found |= set(methods(value))
            elif inspect.isfunction(value):
                found.add(f"{value.__module__}.{value.__qualname__}")
    return sorted(name for name in found if name.startswith("pulps."))


def methods(kind):
    """What a class and the classes of ours above it offer."""
    for above in kind.__mro__:
        for name, value in vars(above).items():
            plain = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            if inspect.isfunction(plain) and not name.startswith("_"):
                yield f"{plain.__module__}.{plain.__qualname__}"


def faults(name):
    found = validate.validate(name)
    return sorted({code for code, _ in found["errors"]} & CODES)


def test_every_public_name_documents_what_it_takes_and_returns():
    names = public_names()
    assert {"pulps.estimators.tables.classifier.LPSClassifier.fit"} < set(names)
    assert {name: codes for name in names if (codes := faults(name))} == {}
