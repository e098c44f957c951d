"""A small folder of tables in the format of the development tables."""

import json

import numpy as np


def write_tables(folder, *, n_rows=200, seed=0):
    """Two tables: ``blobs`` with three classes and holes, ``big`` with 1,500 rows and two."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    entries = {}
    for name, n, shares in (("blobs", n_rows, [0.6, 0.3, 0.1]), ("big", 1500, [0.9, 0.1])):
        classes = rng.choice(len(shares), n, p=shares)
        numbers = classes + rng.normal(size=n)
        letters = np.where(rng.random(n) < 0.3, "", np.array(["x", "y"])[rng.integers(2, size=n)])
        lines = [f"{a:.4f},{b},c{c}" for a, b, c in zip(numbers, letters, classes, strict=True)]
        text = "\n".join(["number,letter,class", *lines]) + "\n"
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
        entries[name] = {
            "file": f"{name}.csv",
            "positive_class": "c0",
            "negative_class": "c1",
        }
    (folder / "datasets.json").write_text(json.dumps({"datasets": entries}), encoding="utf-8")
    return folder
