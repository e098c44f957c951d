"""Downloads of tables: OpenML and UCI frames brought into our one CSV format.

OpenML may name columns differently, keep integers as floats and quote categories. Columns
are therefore taken by position and cells are rewritten; whether the outcome is the
registered table is decided by the content checksum, never here. This code follows the
documented interfaces and was not tried over the network.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from pulps.datasets.registry import TableInfo
from pulps.datasets.sources import (
    CorruptedDataError,
    ProgressBar,
    download_file,
    sha256,
)
from pulps.datasets.table_format import normalize, table_text
from pulps.io.outputs import write_whole

RETRIES = 3

# The codes of UCI's processed.cleveland.data, by column, after the documentation there.
CLEVELAND = {
    "sex": {"1": "male", "0": "female"},
    "cp": {"1": "typ_angina", "2": "atyp_angina", "3": "non_anginal", "4": "asympt"},
    "fbs": {"1": "t", "0": "f"},
    "restecg": {"0": "normal", "1": "st_t_wave_abnormality", "2": "left_vent_hyper"},
    "exang": {"1": "yes", "0": "no"},
    "slope": {"1": "up", "2": "flat", "3": "down"},
    "thal": {"3": "normal", "6": "fixed_defect", "7": "reversable_defect"},
    "class": {"0": "<50"} | dict.fromkeys("1234", ">50_1"),
}


def download_table(info: TableInfo, path: Path) -> None:
    """Download a table, verify its content and write it to ``path`` in our format.

    Parameters
    ----------
    info
        Description of the table.
    path
        The file.
    """
    rows = _from_openml(info) if info.openml is not None else _from_uci(info, path)
    header = [*(attribute.name for attribute in info.attributes), "class"]
    source = f"OpenML {info.openml}" if info.openml is not None else info.url
    try:
        content = table_text(normalize(header, rows, info), info).encode()
    except ValueError as error:
        raise CorruptedDataError(
            f"What {source} sent is not the table {info.name!r}: {error} "
            "Nothing was kept; provide the file through data_home= or PULPS_DATA."
        ) from error
    if sha256(content) != info.content_sha256:
        raise CorruptedDataError(
            f"{source} sent {len(rows)} rows for {info.name!r} whose content differs from the "
            f"registered {info.n_rows} rows (SHA-256 {sha256(content)[:12]}…, wanted "
            f"{info.content_sha256[:12]}…). Nothing was kept; provide the file through "
            "data_home= or PULPS_DATA."
        )
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)


def _from_openml(info: TableInfo) -> list[list[str]]:
    from sklearn.datasets import fetch_openml

    with ProgressBar(f"{info.name} from OpenML"):
        try:
            bunch = fetch_openml(
                data_id=info.openml,
                as_frame=True,
                parser="liac-arff",
                n_retries=RETRIES,
                cache=False,  # we keep the verified table only
            )
        except ValueError as error:  # OpenML answered, but not with data
            raise OSError(f"OpenML {info.openml}: {error}") from error
    frame = pd.concat([bunch.data, bunch.target], axis=1)
    if frame.shape[1] != len(info.attributes) + 1:
        raise CorruptedDataError(
            f"OpenML {info.openml} has {frame.shape[1] - 1} attributes, {info.name!r} has "
            f"{len(info.attributes)}. Provide the file through data_home= or PULPS_DATA."
        )
    return _as_text(frame.itertuples(index=False))


def _from_uci(info: TableInfo, path: Path) -> list[list[str]]:
    original = path.with_name(path.name + ".uci")
    download_file(str(info.url), original, known_hash=None, retries=RETRIES)
    frame = pd.read_csv(original, header=None, na_values="?")
    original.unlink()
    names = [attribute.name for attribute in info.attributes] + ["class"]
    codes = [CLEVELAND.get(name, {}) for name in names]
    return [
        [code.get(cell, cell) for cell, code in zip(row, codes, strict=False)]
        for row in _as_text(frame.itertuples(index=False))
    ]


def _as_text(rows: Iterable[tuple[Any, ...]]) -> list[list[str]]:
    """Write cells as text: no quotes, whole numbers without a point, missing cells empty."""

    def text(cell: Any) -> str:
        if pd.isna(cell) or cell == "?":
            return ""
        if isinstance(cell, str):
            return cell.strip().strip("'\"")
        return str(int(cell)) if float(cell).is_integer() else repr(float(cell))

    return [[text(cell) for cell in row] for row in rows]
