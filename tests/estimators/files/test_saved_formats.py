"""Files of every format so far are read, and hold every type that a file may hold.

Whoever changes the format raises its number, leaves these files alone and adds new ones:
``python tests/saved_models.py``.
"""

import json

import numpy as np
import pytest
from mutations import opened
from saved_models import KINDS, SAVED, file_of, load, rows_for

from pulps.estimators.files.persistence import TYPES
from pulps.io.model_file import FORMAT

pytestmark = pytest.mark.filterwarnings(
    "ignore::pulps.tables.notices.TableWarning",
    "ignore::sklearn.exceptions.InconsistentVersionWarning",  # of a view of one's own
)
FORMATS = range(1, FORMAT + 1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", FORMATS)
def test_files_of_every_format_are_still_read(kind, number):
    path = file_of(kind, number)
    assert path.exists(), f"There is no file of {kind} in format {number}."
    scores = load(kind, path).decision_function(rows_for(kind))
    expected = json.loads((SAVED / f"expected-format-{number}.json").read_text())[kind]
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-6)


def test_every_type_that_a_file_may_hold_is_in_one_of_them():
    """So none can change its fields or its name unseen."""
    found, rest = (
        set(),
        [opened(file_of(kind).read_bytes()).schema for kind in KINDS],
    )
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            found.add(f"{node.get('__module__')}.{node.get('__class__')}")
            node = list(node.values())
        if isinstance(node, list):
            rest.extend(node)
    assert set(TYPES) - found == set()
