"""Files with something wrong in them, for fuzzing the reader of models."""

import io
import json
import zipfile


def rezipped(content, edit):
    """The archive with its schema edited."""
    source, target = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for item in source.infolist():
            data = source.read(item)
            if item.filename == "schema.json":
                data = json.dumps(edit(json.loads(data))).encode()
            archive.writestr(item.filename, data)
    return target.getvalue()


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
        return rezipped(content, lambda schema: _edit(schema, rng))
    source, target = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    names = source.namelist()
    chosen, other = rng.choice(names), rng.choice(names)
    with zipfile.ZipFile(target, "w") as archive:
        for name in names:
            data = bytearray(source.read(other if name == chosen else name))
            if name == chosen and data and rng.random() < 0.7:
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            archive.writestr(name, bytes(data))
    return target.getvalue()


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
