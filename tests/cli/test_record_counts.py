"""A grid of counts says every name and number whole, however many methods there are."""

import pandas as pd
import pytest

from pulps.cli.record_counts import show_counts


@pytest.mark.parametrize("columns", ["40", "200"])
def test_every_count_is_legible(capsys, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    records = pd.DataFrame(
        {"dataset": name, "label_frequency": share, "method": f"method-{number}"}
        for name in ("breast-cancer", "vote")
        for share in (0.3, 0.5)
        for number in range(30)
        for _ in range(number if name == "vote" else 10)
    )
    show_counts(records)
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["data", "set", "labeled", *"abcdefghijklmnopqrstuvwxyz"] + [
        f"a{letter}" for letter in "abcd"
    ]
    assert lines[0].split() == ["breast-cancer", "30%", *["10"] * 30]
    assert lines[3].split() == ["vote", "50%", "·", *map(str, range(1, 30))]
    assert lines[4] == "a: method-0"
    assert lines[-1] == "ad: method-29"
