"""The file of a model: a head, a description, and arrays, each byte of which belongs somewhere.

A file begins with a magic number, the version of the format, the length of the description and
the digest of all that follows. The description, in JSON, tells which pulps wrote the file, how
the model is built from plain values and arrays, and the name and size of every array. The arrays
follow, one after the other, and end where the file ends. So every size is known to fit the file
before anything is made of it.

Up to version 0.3 a file was a zip archive; such files are still read.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import struct
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

MAGIC = b"\x93PULPS\r\n"
FORMAT = 1
HEAD = struct.Struct("<8sII32s")  # magic, format, bytes of the description, digest
MOST_BYTES = 4 * 2**30
MOST_NODES = 2_000_000
MOST_EMPTY = 2**20  # entries that an array without content may claim
SCHEMA = "schema.json"
KEYS = {  # of a branch of the description that stands for a value
    *("__class__", "__module__", "__loader__", "__id__", "__reduce__", "protocol"),
    *("_skops_version", "attrs", "content", "file", "is_json", "key_types", "shape", "type"),
}


class DamagedModelError(ValueError):
    """A model file whose content does not fit together."""


class ForeignFileError(ValueError):
    """A file that is not a model at all."""


class NewerModelError(ValueError):
    """A model of a later version."""


class Content(NamedTuple):
    """What a file holds: how the model is built, and the arrays it is built from."""

    schema: Any  # as it was read: a dict of those that describe a model
    parts: dict[str, bytes]


def pack(content: Content, version: str) -> bytes:
    """Make the bytes of a file.

    Parameters
    ----------
    content
        What it shall hold.
    version
        The pulps that writes it.

    Returns
    -------
    bytes
    """
    sizes = [[name, len(part)] for name, part in content.parts.items()]
    told = json.dumps({"pulps": version, "parts": sizes, "schema": content.schema}).encode()
    rest = b"".join([told, *content.parts.values()])
    return HEAD.pack(MAGIC, FORMAT, len(told), hashlib.sha256(rest).digest()) + rest


def unpack(path: Path) -> Content:
    """Read a file; nothing is built from it yet.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    Content
        Its arrays are as large as they say, and each is used once.
    """
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise ForeignFileError(f"it has {size} bytes, more than any model")
    with path.open("rb") as file:
        head = file.read(HEAD.size)
        if head.startswith(b"PK\x03\x04"):
            content = _unzip(path, size)
        elif len(head) < HEAD.size or not head.startswith(MAGIC):
            raise ForeignFileError("it does not begin like one")
        else:
            content = _split(head, file.read())
    _check_parts(content)
    return content


def to_archive(content: Content) -> bytes:
    """Make the archive that skops reads.

    Parameters
    ----------
    content
        What a file holds.

    Returns
    -------
    bytes
    """
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as target:
        for name, part in content.parts.items():
            target.writestr(name, part)
        target.writestr(SCHEMA, json.dumps(content.schema))
    return archive.getvalue()


def from_archive(archive: Any) -> Content:
    """Take an archive of skops apart.

    Parameters
    ----------
    archive
        Path or open file.

    Returns
    -------
    Content
    """
    with zipfile.ZipFile(archive) as source:
        parts = {item.filename: source.read(item) for item in source.infolist()}
    return Content(json.loads(parts.pop(SCHEMA)), parts)


def numbered(content: Content) -> Content:
    """Give objects and parts numbers in their order, so that the same model is the same bytes.

    Parameters
    ----------
    content
        What a file shall hold, numbered by where objects were in memory.

    Returns
    -------
    Content
    """
    marks: dict[Any, int] = {}
    names: dict[str, str] = {}

    def changed(node: Any) -> Any:
        if isinstance(node, list):
            return [changed(child) for child in node]
        if not isinstance(node, dict):
            return node
        new = {key: changed(child) for key, child in node.items()}
        if "__loader__" in node:
            if "__id__" in node:
                new["__id__"] = marks.setdefault(node["__id__"], len(marks))
            if "file" in node:
                ending = Path(node["file"]).suffix
                new["file"] = names.setdefault(node["file"], f"{len(names)}{ending}")
        return new

    schema = changed(content.schema)
    return Content(schema, {new: content.parts[old] for old, new in names.items()})


def _split(head: bytes, rest: bytes) -> Content:
    _, version, n_told, digest = HEAD.unpack(head)
    if version > FORMAT:
        raise NewerModelError(_writer(rest[:n_told], version))
    if hashlib.sha256(rest).digest() != digest:
        raise DamagedModelError("its content is not what was written (the digest differs)")
    _need(0 < n_told <= len(rest), "its description is longer than the file")
    told = _read_json(rest[:n_told])
    _need(
        isinstance(told, dict) and {"parts", "schema"} <= set(told),
        "its description should name parts and a schema, and does not",
    )
    sizes = told["parts"]
    _need(
        isinstance(sizes, list)
        and all(
            isinstance(entry, list)
            and len(entry) == 2
            and isinstance(entry[0], str)
            and type(entry[1]) is int
            and entry[1] >= 0
            for entry in sizes
        ),
        "its parts should be names and sizes, and are not",
    )
    _need(
        n_told + sum(size for _, size in sizes) == len(rest),
        "its parts should fill the file to the last byte, and do not",
    )
    _need(len({name for name, _ in sizes}) == len(sizes), "two of its parts have one name")
    parts, start = {}, n_told
    for name, size in sizes:
        parts[name] = rest[start : start + size]
        start += size
    return Content(told["schema"], parts)


def _writer(told: bytes, version: int) -> str:
    """Say who wrote a file of a format that is not known here."""
    try:
        by = f" by pulps {str(json.loads(told)['pulps'])[:40]}"
    except (ValueError, KeyError, TypeError):
        by = ""
    return f"It was written{by} in format {version}; this pulps reads formats up to {FORMAT}."


def _unzip(path: Path, size: int) -> Content:
    """Read an archive of version 0.3, which was never compressed."""
    with zipfile.ZipFile(path) as archive:
        items = archive.infolist()
        _need(
            all(item.compress_type == zipfile.ZIP_STORED for item in items)
            and sum(item.file_size for item in items) <= size,
            "it would unpack to more than the file holds",
        )
        _need(len({item.filename for item in items}) == len(items), "a part is there twice")
    return from_archive(path)


def _read_json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedModelError(
            f"its description cannot be read ({type(error).__name__})"
        ) from None


def _check_parts(content: Content) -> None:
    """Refuse parts that nobody uses, that several use, or that claim another size than theirs.

    What the description says beyond what is read of it is refused as well.
    """
    users: dict[str, set[object]] = {}
    nodes: list[Any] = [content.schema]
    n_nodes = 0
    _need(
        isinstance(content.schema, dict) and "__loader__" in content.schema,
        "its description should be that of a model, and is not",
    )
    while nodes:
        node = nodes.pop()
        n_nodes += 1
        _need(n_nodes <= MOST_NODES, f"its description has more than {MOST_NODES} values")
        if isinstance(node, dict):
            _need(
                "__loader__" not in node or set(node) <= KEYS,
                "its description says more of a value than is known here",
            )
            if "file" in node and "__loader__" in node:
                _need(isinstance(node["file"], str), "a part should have a name, and has not")
                mark = node.get("__id__")
                _need(isinstance(mark, int | None), "a part has no proper number")
                user = f"unnumbered {n_nodes}" if mark is None else mark
                users.setdefault(node["file"], set()).add(user)
            nodes.extend(node.values())
        elif isinstance(node, list):
            nodes.extend(node)
    _need(
        set(users) == set(content.parts),
        "each of its parts should be used, and some are not, or are missing",
    )
    _need(
        all(len(marks) == 1 for marks in users.values()),
        "one of its parts should be used once, and is used several times",
    )
    for name, part in content.parts.items():
        if name.endswith(".npy"):
            _check_array(name, part)


def _check_array(name: str, part: bytes) -> None:
    """Refuse an array whose header tells of another size than the part has."""
    stream = io.BytesIO(part)
    try:
        version = np.lib.format.read_magic(stream)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = read(stream)
    except (ValueError, KeyError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise DamagedModelError(f"the header of its array {name[:60]} cannot be read") from None
    _need(
        not dtype.hasobject and dtype.itemsize > 0 and dtype.names is None,
        f"its array {name[:60]} should hold numbers or text, but holds {str(dtype)[:60]}",
    )
    _need(
        math.prod(shape) * dtype.itemsize == len(part) - stream.tell()
        and math.prod(max(n, 1) for n in shape) <= max(len(part), MOST_EMPTY),
        f"its array {name[:60]} claims another size than it has",
    )


def _need(condition: object, what: str) -> None:
    if not condition:
        raise DamagedModelError(what)
