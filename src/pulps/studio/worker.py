"""What a training process does: fit, report its progress, save."""

from __future__ import annotations

import warnings
from multiprocessing.connection import Connection

import numpy as np
import pandas as pd

from pulps.estimators.progress import EpochTeller
from pulps.studio.children import obey_the_server
from pulps.studio.outcomes import Model


def train(
    pipe: Connection,
    frame: pd.DataFrame,
    labels: np.ndarray,
    model: Model,
    path: str,
) -> None:
    """Fit a model and save it; the last message through the pipe says how it ended.

    Parameters
    ----------
    pipe
        Where messages go.
    frame, labels
        Rows to learn from, and their labels, see :class:`pulps.studio.outcomes.Rows`.
    model
        What to fit.
    path
        File to write the model to.
    """
    obey_the_server()

    def tell(done: int, total: int) -> None:
        pipe.send({"done": done, "total": total})

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.set_callbacks(EpochTeller(tell))
            model.fit(frame, labels)
        model.set_callbacks()
        model.save(path)
        pipe.send({"state": "done", "warnings": [str(item.message) for item in caught]})
    except Exception as error:
        pipe.send({"state": "failed", "reason": " ".join(str(error).split()) or repr(error)})
    finally:
        pipe.close()
