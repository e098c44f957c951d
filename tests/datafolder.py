"""The folder with the data files, where there is one."""

import os
from pathlib import Path

import pytest

CANDIDATES = [
    Path(os.environ["PULPS_DATA"]) if os.environ.get("PULPS_DATA") else None,
    Path(__file__).parents[2] / "shared" / "data",
]
DATA = next((path for path in CANDIDATES if path and (path / "vote.csv").is_file()), None)
needs_data = pytest.mark.skipif(
    DATA is None, reason="no data folder: set PULPS_DATA or put it at ../shared/data"
)
DEVELOP = DATA / "develop" if DATA and (DATA / "develop" / "datasets.json").is_file() else None
needs_develop = pytest.mark.skipif(
    DEVELOP is None, reason="no development tables: no folder develop in the data folder"
)
