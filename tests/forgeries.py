"""Model files made by someone who knows the format: each has a digest that fits, and a lie."""

import copy
import io
import json
import struct
import zipfile

import numpy as np
from mutations import opened

from pulps.io.model_file import HEAD, MAGIC, Content, pack, to_archive

ODD_VALUES = (
    *(None, True, -1, 0, 1, 2**31, 2**63, 10**400, -(10**30), 1e308, -1e308, 1e-320),
    *("", "x", "x" * 10**6, "NaN", "Infinity", "\x00", "💣", "../../etc/passwd"),
    *([], {}, [[]], [0] * 10**4, {"a": {}}),
)
LOADERS = (
    *("FunctionNode", "MethodNode", "PartialNode", "TypeNode", "ObjectNode", "OperatorFuncNode"),
    *("CachedNode", "JsonNode", "NdArrayNode", "DictNode", "ListNode", "ReduceNode", "BytesNode"),
)
NAMES = (
    *("predict", "decision_function", "__class__", "__dict__", "_private", "extra_", "classes"),
    *("__reduce__", "encode", "score", "columns_", "positive_cores_", "secret", "n_jobs"),
)
TYPES = (
    *(("os", "system"), ("builtins", "eval"), ("subprocess", "Popen"), ("pulps", "Forest")),
    *(("pulps", "LPSClassifier"), ("pulps", "TableEncoder"), ("numpy", "ndarray")),
    *(("builtins", "list"), ("collections", "OrderedDict"), ("pulps", "NoSuchType")),
)


def forgery(content, rng):
    """The file with one lie in it."""
    schema, parts = opened(content)
    lie = rng.choice(LIES)
    made = lie(copy.deepcopy(schema), dict(parts), rng)
    return made if isinstance(made, bytes) else pack(made, "0")


def nodes(schema):
    """Every branch of a schema."""
    found, rest = [], [schema]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            found.append(node)
            rest.extend(node.values())
        elif isinstance(node, list):
            rest.extend(node)
    return found


def _arrays(parts):
    return [name for name in parts if name.endswith(".npy")]


def _as_part(array):
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def _another_array(schema, parts, rng):
    """One array with other numbers, of another type or shape."""
    name = rng.choice(_arrays(parts))
    array = np.load(io.BytesIO(parts[name]))
    draws = np.random.default_rng(rng.randrange(2**31))
    with np.errstate(all="ignore"):
        made = rng.choice(
            [
                lambda: np.full_like(array, np.nan) if array.dtype.kind == "f" else array[:0],
                lambda: np.zeros_like(array),
                lambda: np.full(array.shape, 1e300),
                lambda: np.full(array.shape, -np.inf),
                lambda: array.T,
                lambda: array.ravel()[: array.size // 2],
                lambda: np.repeat(array, 50, axis=0) if array.ndim else array,
                lambda: array.astype(str),
                lambda: array.astype(complex) if array.dtype.kind in "fiub" else array,
                lambda: array.astype("float16") if array.dtype.kind in "fiub" else array,
                lambda: draws.integers(-3, 60, array.shape),
                lambda: draws.integers(-(2**62), 2**62, array.shape),
                lambda: draws.standard_normal(array.shape) * 10.0 ** draws.integers(-5, 300),
                lambda: np.zeros((0, *array.shape)),
                lambda: np.ones(10**6),
                lambda: draws.permutation(array.ravel()).reshape(array.shape),
            ]
        )()
        if array.dtype.kind in "iu" and made.dtype.kind in "iuf" and rng.random() < 0.7:
            made = made.astype(array.dtype)
    return Content(schema, parts | {name: _as_part(made)})


def _another_header(schema, parts, rng):
    """One array that claims to be something else."""
    name = rng.choice(_arrays(parts))
    stream = io.BytesIO()
    shape = rng.choice([(10**12,), (10**6, 10**6), (0, 10**9), (2**62, 4), (1,), (-1,), ()])
    kind = rng.choice(["<f8", "|O", "<U1000000", "<M8[s]", "|V100000", "<c16", ">f8", "|b1"])
    told = {"descr": kind, "fortran_order": rng.random() < 0.5, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, told)
    body = parts[name][128:] if rng.random() < 0.5 else b""
    return Content(schema, parts | {name: stream.getvalue() + body})


def _another_value(schema, parts, rng):
    """One value of the description that makes no sense."""
    node = rng.choice([node for node in nodes(schema) if node])
    node[rng.choice(list(node))] = rng.choice(ODD_VALUES)
    return Content(schema, parts)


def _another_number(schema, parts, rng):
    """One plain value, as JSON has it, that makes no sense."""
    plain = [node for node in nodes(schema) if node.get("__loader__") == "JsonNode"]
    node = rng.choice(plain)
    node["content"] = json.dumps(rng.choice(ODD_VALUES))
    return Content(schema, parts)


def _another_type(schema, parts, rng):
    node = rng.choice([node for node in nodes(schema) if "__class__" in node])
    node["__module__"], node["__class__"] = rng.choice(TYPES)
    return Content(schema, parts)


def _another_loader(schema, parts, rng):
    node = rng.choice([node for node in nodes(schema) if "__loader__" in node])
    node["__loader__"] = rng.choice(LOADERS)
    return Content(schema, parts)


def _a_new_attribute(schema, parts, rng):
    """An attribute nobody knows, perhaps a large one, or one that hides a method."""
    own = [
        node["content"]["content"]
        for node in nodes(schema)
        if node.get("__loader__") in ("ObjectNode", "TreeNode")
        and isinstance(node.get("content"), dict)
        and isinstance(node["content"].get("content"), dict)
    ]
    if not own:
        return _another_value(schema, parts, rng)
    plain = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    value = json.dumps(rng.choice(ODD_VALUES))
    rng.choice(own)[rng.choice(NAMES)] = plain | {"content": value, "is_json": True}
    return Content(schema, parts)


def _a_loop(schema, parts, rng):
    """A branch that is its own ancestor."""
    numbered = [node for node in nodes(schema) if isinstance(node.get("__id__"), int)]
    node = rng.choice(numbered)
    target = rng.choice(numbered)["__id__"]
    node.clear()
    node |= {"__loader__": "CachedNode", "__id__": target, "__class__": "x", "__module__": "y"}
    return Content(schema, parts)


def _other_parts(schema, parts, rng):
    """A part too many, too few, twice, or of another name."""
    way, name = rng.randrange(5), rng.choice(list(parts))
    users = [node for node in nodes(schema) if isinstance(node.get("file"), str)]
    if way == 0:
        parts["more.npy"] = _as_part(np.zeros(10**6))
    elif way == 1:
        del parts[name]
    elif way == 2:
        rng.choice(users)["file"] = name
    elif way == 3:
        rng.choice(users)["file"] = rng.choice(["/etc/passwd", "../x.npy", "", "\x00"])
    else:
        parts = {f"{key}\x00": part for key, part in parts.items()}
    return Content(schema, parts)


def _too_deep(schema, parts, rng):
    text = pack(Content("@", parts), "0")
    depth = rng.choice([500, 5000, 200_000])
    deep = rng.choice([b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth])
    return _resealed(text.replace(b'"@"', deep, 1))


def _too_many(schema, parts, rng):
    schema["more"] = [rng.choice([0, {}, [], "x"])] * rng.choice([10**5, 3 * 10**5])
    return Content(schema, parts)


def _another_head(schema, parts, rng):
    sound = pack(Content(schema, parts), "0")
    head = list(HEAD.unpack(sound[: HEAD.size]))
    place = rng.randrange(4)
    head[place] = (
        rng.choice([b"\x93PULPS\n\n", b"PK\x03\x04\x00\x00\x00\x00"]),
        rng.choice([0, 2, 99, 2**32 - 1]),
        rng.choice([0, 1, len(sound), 2**32 - 1]),
        bytes(rng.randrange(256) for _ in range(32)),
    )[place]
    return HEAD.pack(*head) + sound[HEAD.size :]


def _an_archive(schema, parts, rng):
    """A file as version 0.3 wrote it, which unpacks to more, or elsewhere, or not at all."""
    sound = to_archive(Content(schema, parts))
    way = rng.randrange(4)
    if way == 0:
        return sound[: rng.randrange(len(sound))]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED if way == 1 else 0) as archive:
        archive.writestr("schema.json", json.dumps(schema))
        if way == 1:
            archive.writestr("bomb.npy", b"\x00" * 5 * 10**7)
        elif way == 2:
            archive.writestr("../../outside.npy", b"x")
    if way < 3:
        return stream.getvalue()
    data = bytearray(sound)
    place = data.rfind(b"PK\x01\x02")
    data[place + 24 : place + 28] = struct.pack("<I", 2**31)
    return bytes(data)


def _not_text(schema, parts, rng):
    text = pack(Content("@", parts), "0")
    odd = rng.choice([b"\xff\xfe", b"NaN", b"1e999", b'{"a":1,"a":2}', b"", b"-Infinity", b'"'])
    return _resealed(text.replace(b'"@"', odd, 1))


def _resealed(content):
    """Give a file whose description was edited as text a head that fits."""
    import hashlib

    rest = content[HEAD.size :]
    n_parts = sum(size for _, size in json.loads(_sizes(rest)))
    return HEAD.pack(MAGIC, 1, len(rest) - n_parts, hashlib.sha256(rest).digest()) + rest


def _sizes(rest):
    start = rest.index(b'"parts": ') + len(b'"parts": ')
    return rest[start : rest.index(b', "schema"', start)]


LIES = (
    *(3 * [_another_array]),
    *(2 * [_another_number]),
    *(_another_header, _another_value, _another_type, _another_loader, _a_new_attribute, _a_loop),
    *(_other_parts, _too_deep, _too_many, _another_head, _an_archive, _not_text),
)
