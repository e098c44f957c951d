"""Read many mutated model files: each must be taken whole or refused with a ValueError.

Usage: python scripts/fuzz_models.py [files] [seed]
"""

import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from mutations import mutated

from pulps import LPSClassifier
from pulps.network.likelihood import LikelihoodRecipe


def small_model(folder: Path) -> bytes:
    """Bytes of a small model with all kinds of parts."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.random(40), "b": rng.choice(["u", "v"], 40), "same": 1.0})
    recipe = LikelihoodRecipe(feature_dim=3, bond_dim=2, n_members=1, max_epochs=1)
    model = LPSClassifier(
        n_members=2, max_epochs=2, bond_dim=2, n_repeats=1, density=recipe, random_state=0
    )
    model.fit(table, table["a"] > 0.6).save(folder / "model")
    return (folder / "model").read_bytes()


def main(n_files: int = 10_000, seed: int = 0) -> int:
    """Count what happens; every surprise is printed with its number."""
    warnings.simplefilter("ignore")
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    rows = pd.DataFrame({"a": [0.2, None], "b": ["u", None], "same": [1.0, 1.0]})
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        content = small_model(folder)
        for number in range(n_files):
            (folder / "m").write_bytes(mutated(content, rng))
            try:
                scores = LPSClassifier.load(folder / "m").decision_function(rows)
                counts["taken" if np.isfinite(scores).all() else "NOT FINITE"] += 1
            except ValueError as error:
                damaged = "damaged pulps model" in str(error)
                counts["refused: damaged" if damaged else "refused: no model"] += 1
            except BaseException as error:
                counts[f"SURPRISE {type(error).__name__}"] += 1
                print(number, repr(error)[:200])
        left = sorted(path.name for path in folder.iterdir())
    print(f"{n_files} files, seed {seed}, {time.perf_counter() - start:.0f} s: {dict(counts)}")
    print(f"files in the folder afterwards: {left}")
    return int(any(key.isupper() or key.startswith("SURPRISE") for key in counts))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
