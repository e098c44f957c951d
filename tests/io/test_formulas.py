"""Text that a spreadsheet would compute stays text."""

import numpy as np
import pandas as pd
import pytest

from pulps.io.formulas import harmless, harmless_csv


@pytest.mark.parametrize(
    "text", ["=1", "+a", "-a", "@a", "\ta", "\ra", " =1", "＝1", "-2+3", "\n=1"]
)
def test_formulas_become_text(text):
    assert harmless(text) == "'" + text


@pytest.mark.parametrize("value", ["a", "-3", "+4.5e-3", "-.5", -3, 2.5, None, True, "a-b", ""])
def test_what_is_no_formula_stays(value):
    assert harmless(value) is value


def test_a_csv_reads_back_but_for_formulas():
    table = pd.DataFrame({"a": ["x,y", "=1", None], "b": [1.5, -2.0, np.nan]})
    back = pd.read_csv(pd.io.common.StringIO(harmless_csv(table)))
    assert back["a"].tolist()[:2] == ["x,y", "'=1"]
    assert back["a"].isna().tolist() == [False, False, True]
    np.testing.assert_array_equal(back["b"], table["b"])
