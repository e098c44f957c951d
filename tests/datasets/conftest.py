"""An empty cache, no network, and a folder with one table."""

from urllib.error import URLError

import pooch
import pytest
from iris_tables import uci_iris

from pulps.datasets import table_info


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.delenv("PULPS_DATA", raising=False)
    monkeypatch.setenv("PULPS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        raise URLError("Name or service not known")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", refuse)
    monkeypatch.setattr(pooch.HTTPDownloader, "__call__", refuse)
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)


@pytest.fixture
def folder(tmp_path):
    cells, classes = uci_iris()
    names = [attribute.name for attribute in table_info("iris").attributes]
    lines = [",".join([*names, "class"])]
    lines += [",".join([*map(str, row), name]) for row, name in zip(cells, classes, strict=True)]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "iris.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path / "data"
