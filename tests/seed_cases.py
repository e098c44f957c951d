"""Fits of one seed, made in several ways: which of them are equal to the bit."""

import io
import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
from sklearn.base import clone

from pulps import LPSClassifier, PUClassifier

MODELS = {
    "PUClassifier": lambda: PUClassifier(random_state=0),
    "LPSClassifier": lambda: LPSClassifier(n_members=2, max_epochs=3, random_state=0),
    "LPSClassifier without views": lambda: LPSClassifier(
        n_members=2, max_epochs=3, first_guess=None, random_state=0
    ),
}


def rows(n_rows=150, n_columns=5):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (X[:, 0] + rng.normal(size=n_rows) > 1).astype(int)


def scores(kind: str, size: tuple[int, int] = (150, 5)) -> np.ndarray:
    X, y = rows(*size)
    return MODELS[kind]().fit(X, y).decision_function(X)


def _send(connection, kind):
    connection.send(scores(kind))


def in_a_process(kind: str, how: str) -> np.ndarray:
    """Fit in a process that was forked or spawned."""
    context = multiprocessing.get_context(how)
    here, there = context.Pipe()
    process = context.Process(target=_send, args=(there, kind))
    process.start()
    try:
        return here.recv()
    finally:
        process.join()


def in_an_interpreter(kind: str, size=(150, 5), **environment: str) -> np.ndarray:
    """Fit in an interpreter of its own, with other settings of the system."""
    program = (
        "import sys, warnings; warnings.simplefilter('ignore'); import numpy as np; "
        f"from seed_cases import scores; np.save(sys.stdout.buffer, scores({kind!r}, {size!r}))"
    )
    source = Path(sys.modules["pulps"].__file__).parents[1]
    folders = os.pathsep.join([str(Path(__file__).parent), str(source)])
    settings = os.environ | {"PYTHONPATH": folders} | environment
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, env=settings
    )
    return np.load(io.BytesIO(done.stdout))


def copies(kind: str) -> dict[str, np.ndarray]:
    """Scores of a model that was fitted again, cloned, and pickled."""
    X, y = rows()
    model = MODELS[kind]().fit(X, y)
    return {
        "fitted again": model.fit(X, y).decision_function(X),
        "cloned": clone(model).fit(X, y).decision_function(X),
        "pickled before": pickle.loads(pickle.dumps(MODELS[kind]()))
        .fit(X, y)
        .decision_function(X),
        "pickled after": pickle.loads(pickle.dumps(model)).decision_function(X),
    }


def compare_all() -> dict[str, dict[str, float]]:
    """Largest difference of scores from those of a plain fit, by kind of model and by way."""
    found = {}
    one = {"OMP_NUM_THREADS": "1"}
    for kind in MODELS:
        first = in_an_interpreter(kind, **one)
        ways = {
            "another process": in_an_interpreter(kind, PYTHONHASHSEED="7", **one),
            "fork": in_a_process(kind, "fork"),
            "spawn": in_a_process(kind, "spawn"),
            **copies(kind),
            "two threads instead of one": in_an_interpreter(kind, OMP_NUM_THREADS="2"),
            "PyTorch instead of the kernel": in_an_interpreter(kind, PULPS_ENGINE="torch", **one),
        }
        found[kind] = {name: float(np.abs(way - first).max()) for name, way in ways.items()}
        large = (6000, 30)
        if kind == "PUClassifier":
            base = in_an_interpreter(kind, large, **one)
            two = in_an_interpreter(kind, large, OMP_NUM_THREADS="2")
            found[kind]["two threads, 6000 rows of 30 columns"] = float(np.abs(two - base).max())
    return found
