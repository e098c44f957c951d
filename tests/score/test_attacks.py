"""The light reader of model files: what is damaged or forged is refused in words, or scores."""

import io
import random

import numpy as np
import pytest
from model_attacks import WAYS, sound_file
from mutations import opened
from saved_models import file_of, rows_for

from pulps.io.model_file import pack
from pulps.score import load

BROKE = [  # each failed in another way before scores of a few rows were checked
    *(("mutated", 24, "table"), ("forged", 16, "consensus"), ("forged", 30, "table")),
    *(("forged", 67, "consensus"), ("forged", 73, "consensus"), ("forged", 114, "table")),
    *(("forged", 249, "table"),),
]


@pytest.mark.filterwarnings("ignore")
def test_damaged_and_forged_files_are_refused_or_score(tmp_path):
    some = [(way, n, kind) for way in WAYS for n in range(8) for kind in ("table", "consensus")]
    n_refused = 0
    for way, number, kind in [*BROKE, *some]:
        made = WAYS[way](sound_file(kind), random.Random(f"{way} {number}"))
        (tmp_path / "model").write_bytes(made)
        try:
            scores = load(tmp_path / "model").decision_function(rows_for(kind))
        except ValueError:
            n_refused += 1
        else:
            assert np.isfinite(scores).all(), (way, number, kind)
    assert n_refused > 15


def test_sound_files_score_as_ever():
    for kind in ("table", "consensus"):
        assert np.isfinite(load(file_of(kind)).decision_function(rows_for(kind))).all()


def test_sites_that_name_a_column_twice_are_refused(tmp_path):
    """A position below zero counts from the end, so a wrong column would be read in silence."""
    content = opened(sound_file("table"))
    for name, part in content.parts.items():
        array = np.load(io.BytesIO(part)) if name.endswith(".npy") else np.empty(0)
        if array.dtype.kind == "i" and sorted(array.tolist()) == [0, 1, 2, 3, 4]:
            stream = io.BytesIO()
            np.save(stream, np.where(array == 4, -1, array))
            content.parts[name] = stream.getvalue()
            (tmp_path / "model").write_bytes(pack(content, "0"))
            with pytest.raises(ValueError, match="name each of its columns once"):
                load(tmp_path / "model")
            break
    else:
        raise AssertionError("no order of sites was found")
