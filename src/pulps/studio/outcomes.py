"""What a training leaves: a model whose cut can be moved, the rows it learned from, a report."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pulps.estimators.classes.table_classifier import LPSSemiSupervisedClassifier
from pulps.estimators.files.persistence import load_model
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.estimators.tables.consensus import PUClassifier
from pulps.report import Report, make_report
from pulps.studio.keeping import CUT, MODEL, has_content

Model = PUClassifier | LPSClassifier | LPSSemiSupervisedClassifier


class Rows(NamedTuple):
    """What was learned from: columns, labels, and the table as it came.

    Labels are 1 for a labeled positive, 0 for an unlabeled row and -1 for one that is known to be
    negative, or the class of each row, None for none.
    """

    frame: pd.DataFrame
    labels: np.ndarray
    whole: pd.DataFrame


class Outcome:
    """What a training left; model and rows are read when they are first asked for.

    Parameters
    ----------
    name
        Name of the table, for headings.
    folder
        Folder of the training.
    read_rows
        Reads the rows again.
    """

    def __init__(self, name: str, folder: Path, read_rows: Callable[[], Rows]):
        self.name, self.folder, self.path = name, folder, folder / MODEL
        self.report_share, self.report_doing, self.report_failure = 0.0, "", ""
        self._read_rows = read_rows
        self._rows: Rows | None = None
        self._model: Model | None = None
        self._report: Report | None = None
        self._reading, self._making = threading.Lock(), threading.Lock()

    @property
    def download(self) -> Path:
        """The file of the model with its cut."""
        cut = self.folder / CUT
        return cut if has_content(cut) else self.path

    @property
    def model(self) -> Model:
        """The model with its cut."""
        with self._reading:
            if self._model is None:
                self._model = load_model(self.download)
            return self._model

    @property
    def rows(self) -> Rows:
        """What was learned from."""
        with self._reading:
            if self._rows is None:
                self._rows = self._read_rows()
            return self._rows

    def report(self) -> Report:
        """Return the report on the training rows, which is made once per cut.

        Returns
        -------
        Report
            On the rows the model was trained on.
        """
        with self._making:
            if self._report is None:
                model, rows = self.model, self.rows
                self._report = make_report(
                    model,
                    rows.frame,
                    rows.labels,
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
        if hasattr(model, "class_scale_"):
            raise ValueError(
                "A model of several classes has no cut: a row is given to its likeliest class."
            )
        if wanted:
            model = model.with_threshold(**wanted)
            model.save(self.folder / CUT)
        else:
            (self.folder / CUT).unlink(missing_ok=True)
            (self.folder / CUT).touch(mode=0o600)
        with self._making, self._reading:
            self._model, self._report, self.report_share = model, None, 0.0
        return str(model.threshold_report_)

    def _try_report(self) -> None:
        try:
            self.report()
        except Exception as error:
            self.report_failure = " ".join(str(error).split()) or repr(error)

    def _tell_report(self, share: float, doing: str) -> None:
        self.report_share, self.report_doing = share, doing
