"""Faults for everything that writes a file, and how to tell that nothing came of them.

A writer writes one file in a folder. While it does so, the n-th call to the system fails or ends
the process, the disk is full after some bytes, or the n-th allocation fails. What may end a
process happens in a child that the system copies from this one.
"""

import json
import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from fitters import points
from saved_models import file_of, load, rows_for

import pulps
from pulps.baselines import ElkanNotoClassifier
from pulps.benchmark.store import Store
from pulps.benchmark.tables import export
from pulps.estimators.tables.checkpoint import Checkpoint
from pulps.io.chunks import write_chunks
from pulps.io.files import read_table, write_table
from pulps.io.outputs import write_whole
from pulps.io.pictures import save_figure
from pulps.report import Report
from pulps.scale import score_file
from pulps.score import load as load_light
from pulps.score.text_files import score_text
from pulps.studio import keeping
from pulps.tuning.journal import SealedJournal

try:
    from _testcapi import set_nomemory
except ImportError:  # an interpreter without its tests
    set_nomemory = None

CALLS = ("open", "write", "fsync", "replace", "chmod", "ftruncate", "lseek", "unlink", "scandir")
KILLED, REFUSED = 77, 3
OLD = b"what was there before"
TABLE = pd.DataFrame({"a": np.arange(50) / 7, "b": ["x", "y"] * 25})


@cache
def saved_model(kind: str):
    return load(kind, file_of(kind))


@cache
def page() -> Report:
    """A report whose words were put together once."""
    report = saved_model("consensus").report(rows_for("consensus").iloc[:12], n_rows=3)
    html = report.html()

    class Rendered(Report):
        def html(self):
            return html

    return Rendered(report.data)


@cache
def figure():
    from matplotlib.figure import Figure

    drawn = Figure(figsize=(1, 1))
    drawn.subplots().plot([0, 1], [0, 1])
    return drawn


@cache
def model_of_points():
    quick = pulps.LPSClassifier(n_members=1, max_epochs=1, bond_dim=2, n_repeats=1, random_state=0)
    return quick.fit(*points())


@cache
def light_model():
    return load_light(file_of("consensus"))


@cache
def fitted_rival():
    return ElkanNotoClassifier(random_state=0).fit(*points())


def write_predictions(path):
    rows = path.with_name("rows.csv")
    if not rows.exists():
        pd.DataFrame(points()[0], columns=["x0", "x1", "x2"]).to_csv(rows, index=False)
    score_file(model_of_points(), rows, path)


def write_checkpoint(path):
    checkpoint = Checkpoint(path.with_name("new"), 1, "it")  # a file of another kind is refused
    checkpoint.path = path
    checkpoint.generator(np.random.RandomState(0))
    checkpoint.epoch_done(lambda: {"numbers": np.arange(400.0)})


def write_light_predictions(path):
    rows = path.with_name("rows.csv")
    if not rows.exists():
        rows_for("consensus").to_csv(rows, index=False)
    score_text(light_model(), rows, path)


def write_rival(path):
    fitted_rival().save(path)


def keep_record(path):
    keeping._write(path, json.dumps({"started": "today", "words": ["x"] * 300}).encode())


def _all_rows(path: Path, new: bytes) -> bool:
    """Tell whether a table whose file holds the time of day is whole."""
    return len(read_table(path).frame) == len(TABLE)


def _loads(path: Path, new: bytes) -> bool:
    """Tell whether the file of a rival is whole; its parts have other names every time."""
    try:
        ElkanNotoClassifier.load(path)
    except ValueError:
        return False
    return True


class Writer(NamedTuple):
    """What writes a file, the file's name, and what tells that a file is the new one."""

    write: Callable[[Path], object]
    name: str = "it"
    is_new: Callable[[Path, bytes], bool] = lambda path, new: path.read_bytes() == new

    def is_whole(self, path: Path, new: bytes) -> bool:
        return path.read_bytes() == OLD or self.is_new(path, new)


WRITERS = {
    "text": Writer(lambda path: write_whole(path, "new\n" * 500)),
    "table, csv": Writer(lambda path: write_table(TABLE, path), "it.csv"),
    "table, csv.gz": Writer(lambda path: write_table(TABLE, path), "it.csv.gz", _all_rows),
    "table, csv.zst": Writer(lambda path: write_table(TABLE, path), "it.csv.zst"),
    "table, jsonl": Writer(lambda path: write_table(TABLE, path), "it.jsonl"),
    "table, parquet": Writer(lambda path: write_table(TABLE, path), "it.parquet"),
    "table, arrow": Writer(lambda path: write_table(TABLE, path), "it.arrow"),
    "table, xlsx": Writer(lambda path: write_table(TABLE, path), "it.xlsx", _all_rows),
    "chunks, csv": Writer(lambda path: write_chunks([pa.table(TABLE)], path), "it.csv"),
    "chunks, jsonl": Writer(lambda path: write_chunks([pa.table(TABLE)], path), "it.jsonl"),
    "chunks, parquet": Writer(lambda path: write_chunks([pa.table(TABLE)], path), "it.parquet"),
    "chunks, arrow": Writer(lambda path: write_chunks([pa.table(TABLE)], path), "it.arrow"),
    "predictions": Writer(write_predictions, "it.csv"),
    "predictions, light": Writer(write_light_predictions, "it.csv"),
    "rival": Writer(write_rival, is_new=_loads),
    "checkpoint": Writer(write_checkpoint),
    "model, table": Writer(lambda path: saved_model("table").save(path)),
    "model, consensus": Writer(lambda path: saved_model("consensus").save(path)),
    "model, image": Writer(lambda path: saved_model("image").save(path)),
    "model, classes": Writer(lambda path: saved_model("classes").save(path)),
    "record of a training": Writer(keep_record, "training.json"),
    "report": Writer(lambda path: page().save(path)),
    "figure": Writer(lambda path: save_figure(figure(), path), "it.svg"),
    "records": Writer(lambda path: export(TABLE, path)),
}


# Files that grow: what they held stays, and a line that was acknowledged is there.


def append_record(path: Path, number: int) -> None:
    with Store(path) as store:
        store.append({"task": f"t{number}", "method": "m", "version": "1", "padding": "x" * 500})


def read_records(path: Path) -> list[int]:
    return [int(record["task"][1:]) for record in Store(path).records()]


def append_entry(path: Path, number: int) -> None:
    locks = os.open(path.with_name("locks"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        SealedJournal(path, locks).append_logs([{"op_code": number, "padding": "x" * 500}])
    finally:
        os.close(locks)


def read_entries(path: Path) -> list[int]:
    locks = os.open(path.with_name("locks"), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        return [entry["op_code"] for entry in SealedJournal(path, locks).read_logs(0)]
    finally:
        os.close(locks)


class Grower(NamedTuple):
    """What appends the entry of a number to a file, and what reads the numbers."""

    append: Callable[[Path, int], None]
    read: Callable[[Path], list[int]]


GROWERS = {
    "store": Grower(append_record, read_records),
    "study": Grower(append_entry, read_entries),
}


# Faults.


class Calls:
    """Calls to the system on files of a folder; the n-th one does something else."""

    def __init__(self, folder: Path, n: int, instead: Callable[[], object]):
        self.folder, self.n, self.instead = str(folder), n, instead
        self.n_seen, self.hit, self.handles = 0, None, set()

    @contextmanager
    def watched(self) -> Iterator["Calls"]:
        real = {name: getattr(os, name) for name in CALLS}
        for name, call in real.items():
            setattr(os, name, self._wrapped(name, call))
        try:
            yield self
        finally:
            for name, call in real.items():
                setattr(os, name, call)

    def _wrapped(self, name, call):
        def act(*arguments, **options):
            what = arguments[0] if arguments else "."
            handle = isinstance(what, int)
            if what in self.handles if handle else str(what).startswith(self.folder):
                self.n_seen += 1
                if self.n_seen == self.n:
                    self.hit = name
                    self.instead()
            result = call(*arguments, **options)
            if name == "open" and not handle and str(what).startswith(self.folder):
                self.handles.add(result)
            return result

        return act


def no_room():
    raise OSError(28, "No space left on device")


def die():
    os._exit(KILLED)


def in_a_child(work: Callable[[], object]) -> int:
    """Do something in a copy of this process; return its exit code, below zero for a signal."""
    child = os.fork()
    if child == 0:
        code = REFUSED
        try:
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 2)
            work()
            code = 0
        except (OSError, ValueError, MemoryError):
            pass
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at_call(work: Callable[[], object], folder: Path, n: int) -> bool:
    """Do something, and end the process before its n-th call; return whether it came so far."""

    def act():
        with Calls(folder, n, die).watched():
            work()

    return in_a_child(act) == KILLED


def killed_at_byte(work: Callable[[], object], most: int) -> bool:
    """Do something, and let the system end the process when a file grows beyond a size."""

    def act():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        work()

    return in_a_child(act) == -signal.SIGXFSZ


def out_of_memory(work: Callable[[], object], n: int) -> bool:
    """Do something, and let the n-th allocation fail; return whether it came to grief by that."""

    def act():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        set_nomemory(n, n + 1)
        work()

    return in_a_child(act) != 0
