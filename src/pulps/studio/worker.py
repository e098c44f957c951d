"""What a training process does: fit, report its progress, save."""

from __future__ import annotations

import signal
import warnings
from multiprocessing.connection import Connection
from typing import Any

import pandas as pd


def train(
    pipe: Connection, frame: pd.DataFrame, labeled, settings: dict[str, Any], path: str
) -> None:
    """Fit a model and save it; the last message through the pipe says how it ended.

    Parameters
    ----------
    pipe
        Where messages go.
    frame, labeled
        Rows to learn from, and which of them are labeled.
    settings
        Parameters of the classifier.
    path
        File to write the model to.
    """
    from pulps.estimators.progress import EpochTeller
    from pulps.estimators.table import LPSClassifier

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when this ends

    def tell(done: int, total: int) -> None:
        pipe.send({"done": done, "total": total})

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = LPSClassifier(**settings)
            model.set_callbacks(EpochTeller(tell))
            model.fit(frame, labeled)
        model.set_callbacks()
        model.save(path)
        pipe.send({"state": "done", "warnings": [str(item.message) for item in caught]})
    except Exception as error:
        pipe.send({"state": "failed", "reason": " ".join(str(error).split()) or repr(error)})
    finally:
        pipe.close()
