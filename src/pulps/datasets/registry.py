"""What is known about each data set before any file is opened.

``registry.toml`` is the one place where data sets are described: file, checksums, source,
classes, the treatment of rows that reproduces the paper's counts, attributes, citation
and license. This module only reads it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal, cast

PAPER_TABLES = (
    "audiology",
    "breast-cancer",
    "chess",
    "credit-a",
    "dermatology",
    "heart-c",
    "hepatitis",
    "iris",
    "lymph",
    "mushroom",
    "nursery",
    "pima",
    "soybean",
    "spambase",
    "vote",
)


@dataclass(frozen=True)
class Counts:
    """Positive rows, negative rows and attributes of a table."""

    positive: int
    negative: int
    attributes: int


@dataclass(frozen=True)
class Attribute:
    """One column: its kind and, unless it is numeric, the values its source declares."""

    name: str
    kind: Literal["numeric", "binary", "category", "ordinal"]
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableInfo:
    """One table of the registry.

    Parameters
    ----------
    name, file : str
        What the table is called, and its file in a data folder.
    sha256 : str
        SHA-256 of the bytes of ``file`` as it is kept in a data folder.
    content_sha256 : str
        SHA-256 of the normalized content, see :func:`pulps.datasets.table_format.normalize`.
    openml : int or None
        Id at OpenML. The ids were recalled, not checked against the network; the content
        checksum decides whether what arrives is the registered table.
    url : str or None
        Where else to download it.
    n_rows : int
        Rows of the file.
    positive, negative : str
        Largest and second largest class, the rule of the paper.
    classes : tuple of str
        All classes.
    row_recipe : {"complete", "all"}
        Whether rows with missing cells are dropped; the paper is not uniform here.
    paper, here : Counts
        Counts the paper prints, and counts the recipe gives.
    note, citation, license : str
        What is odd about it, whom to cite, and under which terms it is published.
    attributes : tuple of Attribute
        Its columns.
    """

    name: str
    file: str
    sha256: str
    content_sha256: str
    openml: int | None
    url: str | None
    n_rows: int
    positive: str
    negative: str
    classes: tuple[str, ...]
    row_recipe: Literal["complete", "all"]
    paper: Counts
    here: Counts
    note: str
    citation: str
    license: str
    attributes: tuple[Attribute, ...]


@dataclass(frozen=True)
class ImagesInfo:
    """One image set of the registry: four idx files and their SHA-256."""

    name: str
    openml: int
    url: str
    files: Mapping[str, str]
    citation: str
    license: str


@dataclass(frozen=True)
class FoldsInfo:
    """One file of published folds."""

    name: str
    file: str
    sha256: str
    n_rows: int
    positive: str
    negative: str


@cache
def _registry() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "registry.toml").read_text(encoding="utf-8"))


def table_names() -> list[str]:
    """Names that :func:`pulps.datasets.load_dataset` knows.

    Returns
    -------
    list of str
        The names.
    """
    return [name for name, entry in _registry().items() if "attributes" in entry]


def image_names() -> list[str]:
    """Names that :func:`pulps.datasets.load_images` knows.

    Returns
    -------
    list of str
        The names.
    """
    return [name for name, entry in _registry().items() if entry.get("kind") == "images"]


def published_fold_names() -> list[str]:
    """Names that :func:`pulps.datasets.load_published_folds` knows.

    Returns
    -------
    list of str
        The names.
    """
    return list(_registry()["published-folds"])


def table_info(name: str) -> TableInfo:
    """Describe a table.

    Parameters
    ----------
    name
        Its name.

    Returns
    -------
    object
        The description.

    Examples
    --------
    >>> table_info("vote").here
    Counts(positive=124, negative=108, attributes=16)
    """
    entry = _find(name, table_names(), "table")
    attributes = tuple(_attribute(*item) for item in entry["attributes"].items())
    return TableInfo(
        name=name,
        file=entry["file"],
        sha256=entry["sha256"],
        content_sha256=entry["content_sha256"],
        openml=entry.get("openml"),
        url=entry.get("url"),
        n_rows=entry["n_rows"],
        positive=entry["positive"],
        negative=entry["negative"],
        classes=tuple(entry["classes"]),
        row_recipe=entry["rows"],
        paper=Counts(*entry["paper"]),
        here=Counts(*entry["here"]),
        note=entry["note"],
        citation=entry["citation"],
        license=entry["license"],
        attributes=attributes,
    )


def images_info(name: str) -> ImagesInfo:
    """Describe an image set.

    Parameters
    ----------
    name
        Its name.

    Returns
    -------
    object
        The description.
    """
    entry = _find(name, image_names(), "image set")
    return ImagesInfo(
        name=name,
        openml=entry["openml"],
        url=entry["url"],
        files=MappingProxyType(entry["files"]),
        citation=entry["citation"],
        license=entry["license"],
    )


def folds_info(name: str) -> FoldsInfo:
    """Describe a file of published folds.

    Parameters
    ----------
    name
        Its name.

    Returns
    -------
    object
        The description.
    """
    if name not in published_fold_names():
        raise _unknown(name, published_fold_names(), "published folds")
    return FoldsInfo(name=name, **_registry()["published-folds"][name])


def _attribute(name: str, given: str | dict[str, list[str]]) -> Attribute:
    if isinstance(given, str):
        return Attribute(name, "numeric")
    ((kind, values),) = given.items()
    return Attribute(name, cast(Literal["binary", "category", "ordinal"], kind), tuple(values))


def _find(name: str, known: list[str], what: str) -> dict[str, Any]:
    if name not in known:
        raise _unknown(name, known, what)
    return _registry()[name]


def _unknown(name: str, known: list[str], what: str) -> ValueError:
    return ValueError(f"There is no {what} named {name!r}. Known: {', '.join(known)}.")
