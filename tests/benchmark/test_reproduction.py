"""The pages of the documentation."""

import pandas as pd
import pytest

from pulps.benchmark.reproduction import write_reproduction


def test_the_page_names_date_commit_and_machine(records, tmp_path):
    page = write_reproduction(records, tmp_path).read_text(encoding="utf-8")
    for part in (
        "2026-01-02",
        "`0123456789ab+changes`",
        "a machine",
        "(3 of 10 folds)",
        "TN (paper)",
        "147.1",
        "![ranks macro f1](figures/ranks-macro-f1.svg)",
    ):
        assert part in page
    assert (tmp_path / "figures" / "ranks-macro-f1.svg").is_file()
    with pytest.raises(ValueError, match="no records"):
        write_reproduction(pd.DataFrame(), tmp_path)
