"""Files with something wrong in them, for fuzzing the reader of models."""

import json

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
