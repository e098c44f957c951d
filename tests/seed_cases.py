"""Fits of one seed, made in several ways: which of them are equal to the bit."""

import io
import multiprocessing
import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.base import clone

from pulps import LPSClassifier, LPSSemiSupervisedClassifier, PUClassifier, load_model

MODELS = {
    "PUClassifier": lambda: PUClassifier(random_state=0),
    "LPSClassifier": lambda: LPSClassifier(n_members=2, max_epochs=3, random_state=0),
    "LPSClassifier without views": lambda: LPSClassifier(
        n_members=2, max_epochs=3, first_guess=None, random_state=0
    ),
    "LPSSemiSupervisedClassifier": lambda: LPSSemiSupervisedClassifier(
        n_members=2, max_epochs=3, random_state=0
    ),
}
SMALL, MEDIUM, LARGE = (150, 5), (2000, 10), (6000, 30)  # rows and columns


def rows(n_rows=SMALL[0], n_columns=SMALL[1]):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (X[:, 0] + rng.normal(size=n_rows) > 1).astype(int)


def scores(kind: str, size: tuple[int, int] = SMALL) -> np.ndarray:
    X, y = rows(*size)
    return MODELS[kind]().fit(X, y).decision_function(X)


def scores_of_file(path: str, size: tuple[int, int] = LARGE) -> np.ndarray:
    """Scores by a model that was saved before."""
    return load_model(path).decision_function(rows(*size)[0])


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


def in_an_interpreter(kind: str, size=SMALL, **environment: str) -> np.ndarray:
    """Fit in an interpreter of its own, with other settings of the system."""
    return _called(f"scores({kind!r}, {size!r})", environment)


def scored_in_an_interpreter(path: Path, size=LARGE, **environment: str) -> np.ndarray:
    """Read and score in an interpreter of its own."""
    return _called(f"scores_of_file({str(path)!r}, {size!r})", environment)


def _called(call: str, environment: dict[str, str]) -> np.ndarray:
    program = (
        "import sys, warnings; warnings.simplefilter('ignore'); import numpy as np; "
        f"import seed_cases; np.save(sys.stdout.buffer, seed_cases.{call})"
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


def compare(kind: str) -> dict[str, float]:
    """Largest difference of scores from those of a plain fit, by way."""
    one = {"OMP_NUM_THREADS": "1"}
    two = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}  # as the machine may be busy
    first = in_an_interpreter(kind, **one)
    ways = {
        "another process": in_an_interpreter(kind, PYTHONHASHSEED="7", **one),
        "fork": in_a_process(kind, "fork"),
        "spawn": in_a_process(kind, "spawn"),
        **copies(kind),
        "PyTorch instead of the kernel": in_an_interpreter(kind, PULPS_ENGINE="torch", **one),
    }
    found = {name: largest(way, first) for name, way in ways.items()}
    for size in (SMALL, MEDIUM, LARGE):
        alone = first if size is SMALL else in_an_interpreter(kind, size, **one)
        found[f"two threads instead of one, {size[0]} rows of {size[1]} columns"] = largest(
            in_an_interpreter(kind, size, **two), alone
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        MODELS[kind]().fit(*rows(150, LARGE[1])).save(path)
        scored = [scored_in_an_interpreter(path, **threads) for threads in (one, two)]
    found[f"{LARGE[0]} rows scored by two threads"] = largest(*scored)
    return found


def largest(scores: np.ndarray, others: np.ndarray) -> float:
    return float(np.abs(scores - others).max())
