"""The walks of ``CONTRIBUTING.md`` are those that fits and a draw really take."""

import re
import sys
from pathlib import Path

import pytest

import pulps
from pulps import LPSClassifier, PUClassifier
from pulps.datasets import make_toy

ROOT = Path(__file__).parents[2]
SOURCE = Path(pulps.__file__).parent
STEP = re.compile(r"`([\w.]+)` \(`([\w/]+\.py)`\)")


def printed_walk(title):
    """Return the section and the (function, file) pairs that it names, in order."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split(f"## {title}\n")[1].split("\n## ")[0]
    return section, STEP.findall(section)


def called_by(action):
    """Return the (function, file) pairs of the package that an action calls, in order."""
    seen = {}

    def note(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(f"{SOURCE}/"):
            where = code.co_filename.removeprefix(f"{SOURCE}/")
            seen.setdefault((code.co_qualname, where), len(seen))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(before)
    return seen


@pytest.fixture(scope="module")
def problem():
    X, y, _ = make_toy("blobs", n_rows=120, n_labeled=40, random_state=0)
    return X, y, LPSClassifier(n_members=4, max_epochs=8, random_state=0)


def assert_taken(walk, called):
    assert [step for step in walk if step not in called] == []
    order = [called[step] for step in walk]
    assert order == sorted(order)


def test_a_fit_takes_the_walk_that_is_printed_in_fewer_than_35_hops(problem):
    X, y, model = problem
    section, walk = printed_walk("A walk through a fit")
    assert_taken(walk, called_by(lambda: model.fit(X, y)))
    n_hops = len(walk) - 1
    assert n_hops < 35
    assert f"it is {n_hops} hops" in section


def test_the_answer_for_tables_takes_the_walk_that_is_printed(problem):
    X, y, _ = problem
    model = PUClassifier(random_state=0)
    _, walk = printed_walk("A walk through the answer for tables")
    assert_taken(walk, called_by(lambda: model.fit(X, y).decision_function(X)))


def test_a_draw_takes_the_walk_that_is_printed(problem):
    X, y, model = problem
    model.fit(X, y)
    _, walk = printed_walk("A walk through a draw")
    assert_taken(walk, called_by(lambda: model.sample(3, states=True, random_state=0)))
