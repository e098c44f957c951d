"""Hostile tables are fitted or refused in one clear line; a sample of scripts/trust.py."""

import pytest
from commands import failure, write
from table_attacks import by_command, by_python

from pulps.cli import main

pytestmark = pytest.mark.filterwarnings("ignore")
# Each of these broke something once.
KNOWN = [26, 45, 60, 61, 68, 206, 313]


@pytest.mark.parametrize("number", [*KNOWN, 1, 2, 5, 9])
def test_by_command(number, tmp_path):
    assert by_command(number, tmp_path).came in ("fitted", "refused")


@pytest.mark.parametrize("number", [45, 60, 313, 3, 7])
def test_by_python(number, tmp_path):
    assert by_python(number, tmp_path).came in ("fitted", "refused")


def test_a_line_stays_a_line_however_long_names_are(tmp_path, capsys):
    names = [chr(97 + k) * 5000 for k in range(9)]
    table = write(tmp_path / "t.csv", ",".join(names) + "\n" + ",".join("1" * 9) + "\n")
    assert main(["fit", str(table), "--label", "y", "--out", str(tmp_path / "m")]) == 2
    assert len(failure(capsys)) < 1600


def test_numbers_between_texts_of_json_are_kept(tmp_path):
    """The number 1 beside the text 2 was lost before."""
    import pandas as pd

    from pulps.tables.roles import typed

    frame, _ = typed(pd.DataFrame({"a": [1, "2", None, [3]]}, dtype=object))
    assert frame["a"].tolist() == [1, "2", None, [3]]
