"""Files with something wrong in them, for fuzzing the reader of models."""

import io
import json

import numpy as np

from pulps.io.model_file import HEAD, Content, pack


def opened(content):
    """What a sound file holds."""
    n_told = HEAD.unpack(content[: HEAD.size])[2]
    rest = content[HEAD.size :]
    told = json.loads(rest[:n_told])
    parts, start = {}, n_told
    for name, size in told["parts"]:
        parts[name] = rest[start : start + size]
        start += size
    return Content(told["schema"], parts)


def forged(content, edit):
    """The file with its schema edited, and a digest that fits."""
    schema, parts = opened(content)
    return pack(Content(edit(schema), parts), "0")


def with_part(content, edit):
    """The file with its first array edited, and a digest that fits."""
    schema, parts = opened(content)
    name = next(iter(parts))
    return pack(Content(schema, parts | {name: edit(parts[name])}), "0")


def mutated(content, rng):
    """The file with something wrong somewhere: bytes, length, schema or one of its parts."""
    way = rng.randrange(4)
    if way == 0:
        data = bytearray(content)
        for _ in range(rng.choice([1, 3, 30])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        return bytes(data)
    if way == 1:
        first = rng.randrange(len(content))
        return content[:first] + content[first + rng.randrange(1, 2000) :]
    if way == 2:
        return forged(content, lambda schema: _edit(schema, rng))
    schema, parts = opened(content)
    names = list(parts)
    chosen, other = rng.choice(names), rng.choice(names)
    data = bytearray(parts[other])
    if data and rng.random() < 0.7:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return pack(Content(schema, parts | {chosen: bytes(data)}), "0")


def spoiled(content, rng):
    """The file with entries in one array that make no sense there; headers and digest fit."""
    schema, parts = opened(content)
    name = rng.choice([name for name in parts if name.endswith(".npy")])
    array = np.load(io.BytesIO(parts[name]))
    flat = array.copy().ravel()
    odd = {
        "i": (-1, -2, 0, 1, 3, flat.size, flat.size + 5, 2**31 - 1),
        "u": (0, 1, flat.size, 255),
        "f": (-1.0, 0.0, 0.5, 7.0, flat.size + 1.0, 1e300, -1e300, 1e-320),
        "b": (True, False),
    }.get(array.dtype.kind, ("", "x"))
    way = rng.randrange(4)
    if way < 2 and flat.size:
        for _ in range((1, 8)[way]):
            flat[rng.randrange(flat.size)] = rng.choice(odd)
        made = flat.reshape(array.shape)
    elif way == 2:
        order = rng.sample(range(flat.size), flat.size)
        made = flat[order].reshape(array.shape)
    else:
        made = rng.choice([flat[:-1], array[None], array.T, np.tile(array, 2), flat[:0]])
    stream = io.BytesIO()
    np.save(stream, made, allow_pickle=False)
    return pack(Content(schema, parts | {name: stream.getvalue()}), "0")


def _edit(schema, rng):
    """Change one leaf of the schema, or leave out one branch."""
    places = []

    def walk(node):
        items = node.items() if isinstance(node, dict) else enumerate(node)
        for key, child in list(items):
            places.append((node, key))
            if isinstance(child, dict | list):
                walk(child)

    walk(schema)
    node, key = rng.choice(places)
    if rng.random() < 0.3:
        del node[key]
    else:
        odd = [None, -1, 0, 1e308, "x", "", [], {}, True, "builtins", "list", "3", "NaN", 10**30]
        node[key] = rng.choice(odd)
    return schema
