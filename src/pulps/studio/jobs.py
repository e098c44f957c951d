"""Trainings, each in a process of its own, so that it can be stopped at any moment."""

from __future__ import annotations

import multiprocessing
import shutil
import threading
import time
from collections.abc import Callable
from typing import Any

from pulps.studio.outcomes import Model, Outcome, Rows
from pulps.studio.worker import train

GRACE_SECONDS = 5.0


class Job:
    """One training: running, then done, failed or cancelled.

    Parameters
    ----------
    outcome
        What it leaves; it is all there once the training is done.
    warnings
        What the training had to say, if it is done already.
    """

    def __init__(self, outcome: Outcome, warnings: list[str] | None = None):
        self.outcome = outcome
        self.state, self.reason = "running" if warnings is None else "done", ""
        self.done, self.total = 0, 0
        self.warnings = warnings or []
        self._lock = threading.Lock()
        self._process: Any = None
        self._watcher: threading.Thread | None = None

    def start(
        self,
        rows: Rows,
        unfitted: Model,
        seconds: float,
        when_done: Callable[[list[str]], None],
    ) -> None:
        """Begin to train.

        Parameters
        ----------
        rows
            What to learn from.
        unfitted
            What to train.
        seconds
            Time the training may take.
        when_done
            Called with its warnings when there is a model.
        """
        context = multiprocessing.get_context("spawn")
        pipe, theirs = context.Pipe(duplex=False)
        arguments = (theirs, rows.frame, rows.labels, unfitted, str(self.outcome.path))
        self._process = context.Process(target=train, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        watching = (pipe, seconds, when_done)
        self._watcher = threading.Thread(target=self._watch, args=watching, daemon=True)
        self._watcher.start()

    @property
    def running(self) -> bool:
        """Whether the training is still running."""
        return self.state == "running"

    def status(self) -> dict[str, Any]:
        """Tell how far the training is, as it is sent to clients.

        Returns
        -------
        dict
            State, steps done and in total, the reason of a failure, and warnings.
        """
        return {
            "state": self.state,
            "done": self.done,
            "total": self.total,
            "reason": self.reason,
            "warnings": self.warnings,
        }

    def cancel(self) -> None:
        """Stop training now."""
        self._end("cancelled", "it was stopped on request")

    def discard(self) -> None:
        """Stop training and delete what it wrote."""
        self.cancel()
        shutil.rmtree(self.outcome.folder, ignore_errors=True)

    def _end(self, state: str, reason: str) -> None:
        with self._lock:
            if not self.running:
                return
            self.state, self.reason = state, reason
        self._process.terminate()
        self._process.join(GRACE_SECONDS)
        if self._process.is_alive():
            self._process.kill()

    def _watch(self, pipe: Any, seconds: float, when_done: Callable[[list[str]], None]) -> None:
        deadline = time.monotonic() + seconds
        try:
            while self.running:
                if not pipe.poll(max(0.0, min(1.0, deadline - time.monotonic()))):
                    if time.monotonic() >= deadline:
                        self._end("failed", f"it took longer than {seconds:g} seconds")
                elif self._take(pipe.recv(), when_done):
                    break
        except (EOFError, OSError):
            self._end("failed", "the training process ended unexpectedly")
        except ValueError as error:  # the file of the model cannot be read
            self._end("failed", " ".join(str(error).split()))
        finally:
            pipe.close()
            self._process.join(GRACE_SECONDS)

    def _take(self, message: dict[str, Any], when_done: Callable[[list[str]], None]) -> bool:
        """Take in a message; return whether it is the last one."""
        if "state" not in message:
            self.done, self.total = message["done"], message["total"]
            return False
        if message["state"] == "failed":
            self._end("failed", message["reason"])
            return True
        assert self.outcome.model is not None  # it can be read
        with self._lock:
            if self.running:
                when_done(message["warnings"])
                self.warnings, self.state = message["warnings"], "done"
        return True
