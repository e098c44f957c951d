"""Runners in processes of their own, for tests of the store and the runner."""

import os
import signal
from pathlib import Path

from sklearn.dummy import DummyClassifier

from pulps.benchmark.protocol import Method
from pulps.benchmark.run import run
from pulps.benchmark.store import Store
from pulps.benchmark.suites import suite_tasks

TASKS = suite_tasks("toy", label_frequencies=[0.3], folds=range(4))


def note(path, text):
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(text + "\n")


def constant(task):
    return DummyClassifier(strategy="constant", constant=1)


def logging_method(log, before=lambda task: None):
    """A constant predictor that notes every training."""

    def make(task):
        note(log, task.id)
        before(task)
        return constant(task)

    return Method("constant", make)


def run_beside_another(store, log, barrier):
    """Run all tasks; at the first one wait until the other runner is inside one as well."""
    waited = []

    def meet(task):
        if not waited:
            waited.append(task)
            barrier.wait(timeout=60)

    with Store(store) as open_store:
        for _ in run(TASKS, [logging_method(log, meet)], open_store):
            pass


def run_until_killed(store, log, n_tasks):
    """Run until the training of a later task, and die there by SIGKILL."""
    started = []

    def die(task):
        started.append(task)
        if len(started) > n_tasks:
            os.kill(os.getpid(), signal.SIGKILL)

    with Store(store) as open_store:
        for _ in run(TASKS, [logging_method(log, die)], open_store):
            pass


def crash_before_flush(store, record):
    """Write a record and die between the write and the flush."""
    os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
    Store(store).append(record)


def hold_a_claim(store, key, claimed):
    """Claim a task, say so, and wait to be killed."""
    assert Store(store).claim(key)
    claimed.set()
    signal.pause()
