"""Damaged and forged model files are refused, or score; a sample of scripts/trust.py."""

import pytest
from model_attacks import attack

SPOILED = (19, 45, 55, 162, 176, 197)

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("way", ["mutated", "forged", "spoiled"])
def test_a_file_is_refused_or_scores(way, tmp_path):
    found = [attack(way, number, tmp_path / "model") for number in range(48)]
    assert {one.came for one in found} <= {"refused", "equal", "sound"}
    assert sum(one.came == "refused" for one in found) > 12
    assert max(one.megabytes for one in found) < 300


def test_a_description_says_nothing_beyond_what_is_read(tmp_path):
    from model_attacks import sound_file
    from mutations import forged

    import pulps

    (tmp_path / "m").write_bytes(forged(sound_file("table"), lambda told: told | {"more": [1]}))
    with pytest.raises(ValueError, match="says more of a value than is known"):
        pulps.load_model(tmp_path / "m")


@pytest.mark.parametrize("number", SPOILED)
def test_an_index_that_no_probe_meets_is_refused(number, tmp_path):
    """Each of these files of several classes was read, and then failed in an index on some row."""
    assert attack("spoiled", number, tmp_path / "model", "classes").came == "refused"


def test_a_view_that_fails_on_rows_beside_the_empty_one_is_refused(tmp_path):
    """Number 2302 has deviations of another table: the decision was NaN on nearly every row."""
    assert attack("mutated", 2302, tmp_path / "model", "consensus").came == "refused"
