"""Whatever fails or ends a process while a file is written, the file is the old or the new one."""

import os
from collections import Counter

import pytest
from fault_cases import grower_cases, writer_cases

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that can be copied"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # a torn xlsx
    pytest.mark.filterwarnings("ignore::pulps.benchmark.store.DamagedLineWarning"),
]
CASES = {**writer_cases(2, growth=9, thorough=False), **grower_cases(2, growth=9)}


@pytest.mark.parametrize("writer", CASES)
def test_a_file_is_whole_and_work_goes_on(writer):
    """The n-th call fails or kills, for all n; so do some of the bytes and allocations."""
    found = Counter(CASES[writer]())
    assert found["a call fails"] == found["killed at a call"] > 5
    assert found["killed at a byte"] == found["no room at a byte"] > 1
