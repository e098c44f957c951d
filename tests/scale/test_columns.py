"""Which columns of a table are the model's: by name, or x0, x1, … for an array."""

import numpy as np
import pandas as pd
import pytest
from fitters import classifier, points

from pulps.scale.columns import check_columns, column_keys, column_names, model_rows


def test_a_table_gives_its_columns_in_the_order_of_the_fit(fitted, table):
    shuffled = table[["word", "bought", "size", "code"]]
    pd.testing.assert_frame_equal(model_rows(fitted, shuffled), table[["size", "code", "word"]])
    assert column_names(fitted) == ["size", "code", "word"]
    assert column_keys(fitted) == {"size": "size", "code": "code", "word": "word"}


def test_a_model_of_an_array_takes_numbered_columns_as_an_array(array_model):
    frame = pd.DataFrame({"x1": [1, 2], "note": ["a", "b"], "x0": [None, 4.5]})
    rows = model_rows(array_model, frame)
    assert isinstance(rows, np.ndarray)
    np.testing.assert_array_equal(rows, [[np.nan, 1], [4.5, 2]])
    assert column_names(array_model) == ["x0", "x1"]
    assert column_keys(array_model) == {"x0": 0, "x1": 1}


@pytest.mark.filterwarnings("ignore::pulps.decision.AgreementWarning")
def test_columns_named_by_numbers_are_found_by_their_text():
    X, y = points()
    frame = pd.DataFrame(X, columns=[10, 20, 30])
    model = classifier(max_epochs=2, n_repeats=1).fit(frame, y)
    from_file = frame.rename(columns=str)
    np.testing.assert_array_equal(
        model.decision_function(model_rows(model, from_file)), model.decision_function(frame)
    )


def test_absent_columns_are_named_with_what_to_do(fitted, array_model):
    with pytest.raises(
        ValueError, match=r"lacks 2 of the 3 .*: size, word. It has code, other. Add"
    ):
        check_columns(fitted, ["code", "other"], "Mine")
    with pytest.raises(ValueError, match=r"fitted on an array .* x0 to x1, in the order"):
        check_columns(array_model, ["a", "b"], "Mine")


def test_text_for_a_model_of_an_array_is_named(array_model):
    frame = pd.DataFrame({"x0": [1.0, 2.0], "x1": ["big", "small"]})
    with pytest.raises(ValueError, match=r"Mine holds text in x1, .* Pass numbers"):
        model_rows(array_model, frame, "Mine")
