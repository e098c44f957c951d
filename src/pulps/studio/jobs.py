"""Trainings, each in a process of its own, so that it can be stopped at any moment."""

from __future__ import annotations

import multiprocessing
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pulps.estimators.consensus import PUClassifier
from pulps.estimators.persistence import load_model
from pulps.estimators.table import LPSClassifier
from pulps.report import Report, make_report
from pulps.studio.worker import train

GRACE_SECONDS = 5.0


class Job:
    """One training and what came out of it.

    Parameters
    ----------
    name
        Name of the table, for headings.
    frame, labeled
        Rows to learn from, and which of them are labeled.
    whole
        The whole table, for the download of scores.
    unfitted
        What to train.
    folder
        Folder for the model file.
    seconds
        Time the training may take.
    """

    def __init__(
        self,
        name: str,
        frame: pd.DataFrame,
        labeled: np.ndarray,
        whole: pd.DataFrame,
        unfitted: PUClassifier | LPSClassifier,
        folder: Path,
        seconds: float,
    ):
        self.name, self.frame, self.labeled, self.whole = name, frame, labeled, whole
        self.folder, self.seconds = folder, seconds
        self.state, self.reason = "running", ""
        self.done, self.total = 0, 0
        self.warnings: list[str] = []
        self.model: PUClassifier | LPSClassifier | None = None
        self.report_share, self.report_doing, self.report_failure = 0.0, "", ""
        self._report: Report | None = None
        self._lock, self._making = threading.Lock(), threading.Lock()
        self.path = self.download = folder / "model.pulps"
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe(duplex=False)
        arguments = (theirs, frame, labeled, unfitted, str(self.path))
        self._process = context.Process(target=train, args=arguments, daemon=True)
        self._process.start()
        theirs.close()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
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
        shutil.rmtree(self.folder, ignore_errors=True)

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the end of the training.

        Parameters
        ----------
        seconds
            How long to wait at most; None waits forever.
        """
        self._watcher.join(seconds)

    def report(self) -> Report:
        """Return the report on the training rows, which is made once per cut.

        Returns
        -------
        Report
            On the rows the model was trained on.
        """
        with self._making:
            if self._report is None:
                assert self.model is not None
                y = self.model.classes_[self.labeled.astype(int)]
                self._report = make_report(
                    self.model,
                    self.frame,
                    y,
                    title=f"Report on {self.name}",
                    tell=self._tell_report,
                )
            return self._report

    def report_progress(self) -> dict[str, Any]:
        """Tell how far the report is; nobody has to wait for it in front of an empty page.

        Returns
        -------
        dict
            Share done, what is done next, whether it is ready, and why it failed.
        """
        if self._report is None and not self._making.locked() and not self.report_failure:
            threading.Thread(target=self._try_report, daemon=True).start()
        return {
            "share": self.report_share,
            "doing": self.report_doing,
            "ready": self._report is not None,
            "failure": self.report_failure,
        }

    def _try_report(self) -> None:
        try:
            self.report()
        except Exception as error:
            self.report_failure = " ".join(str(error).split()) or repr(error)

    def _tell_report(self, share: float, doing: str) -> None:
        self.report_share, self.report_doing = share, doing

    def cut(self, **wanted: float) -> str:
        """Move the cut of the model.

        Parameters
        ----------
        **wanted
            As in ``PUClassifier.with_threshold``; nothing goes back to the cut of the fit.

        Returns
        -------
        str
            What to expect of it.
        """
        model = load_model(self.path)
        if wanted:
            model = model.with_threshold(**wanted)
            model.save(self.folder / "cut.pulps")
        self.download = self.folder / "cut.pulps" if wanted else self.path
        with self._making:
            self.model, self._report, self.report_share = model, None, 0.0
        return str(model.threshold_report_)

    def _end(self, state: str, reason: str) -> None:
        with self._lock:
            if not self.running:
                return
            self.state, self.reason = state, reason
        self._process.terminate()
        self._process.join(GRACE_SECONDS)
        if self._process.is_alive():
            self._process.kill()

    def _watch(self) -> None:
        deadline = time.monotonic() + self.seconds
        try:
            while self.running:
                if not self._pipe.poll(max(0.0, min(1.0, deadline - time.monotonic()))):
                    if time.monotonic() >= deadline:
                        self._end("failed", f"it took longer than {self.seconds:g} seconds")
                    continue
                if self._take(self._pipe.recv()):
                    break
        except (EOFError, OSError):
            self._end("failed", "the training process ended unexpectedly")
        except ValueError as error:  # the file of the model cannot be read
            self._end("failed", " ".join(str(error).split()))
        finally:
            self._pipe.close()
            self._process.join(GRACE_SECONDS)

    def _take(self, message: dict[str, Any]) -> bool:
        """Take in a message; return whether it is the last one."""
        if "state" not in message:
            self.done, self.total = message["done"], message["total"]
            return False
        if message["state"] == "failed":
            self._end("failed", message["reason"])
            return True
        model = load_model(self.path)
        with self._lock:
            if self.running:
                self.model, self.warnings, self.state = model, message["warnings"], "done"
        return True
