"""Records as the store gives them."""

import pandas as pd
import pytest
from record_sets import LEVELS, make_record


@pytest.fixture
def records():
    """Four methods on three tables; LPS (paper) lacks seven folds of vote at 50 %."""
    return pd.DataFrame(
        [
            make_record(name, method, frequency, fold)
            for name in ("iris", "vote", "hepatitis")
            for method in LEVELS
            for frequency in (0.3, 0.5)
            for fold in range(10)
            if not (method == "lps-paper" and name == "vote" and frequency == 0.5 and fold > 2)
        ]
    )
