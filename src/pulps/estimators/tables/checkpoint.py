"""Checkpoints: a long fit that was killed goes on where it was, to the same bits.

A checkpoint is an ``.npz`` archive of plain arrays, read without pickle and replaced whole or
not at all. It holds the state of training (:mod:`pulps.training.ensemble`), the state of the
random generator the fit began with, and a fingerprint of rows, labels and parameters, so that it
is not taken for that of another fit. What happens before training is cheap and done again.
"""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator

from pulps.io.outputs import check_writable, write_whole

GENERATOR = "MT19937"


class Checkpoint:
    """One file that a fit writes every few epochs and goes on from.

    Parameters
    ----------
    path
        The file; a fit goes on from it if it exists.
    every
        Epochs between two writes.
    fingerprint
        What tells this fit from any other.
    """

    def __init__(self, path: str | os.PathLike[str], every: int, fingerprint: str):
        self.path = check_writable(Path(path))
        self.every, self.fingerprint = every, fingerprint
        self._saved = self._read()
        self._since = 0
        self._began: dict[str, np.ndarray] = {}

    def generator(self, rng: np.random.RandomState) -> np.random.RandomState:
        """Return the generator as it was when the fit began the first time.

        Parameters
        ----------
        rng
            The generator of a fit that begins now.

        Returns
        -------
        numpy.random.RandomState
            That one, or the one that the file remembers.
        """
        if self._saved is not None:
            rng = np.random.RandomState()
            numbers = self._saved["rng_numbers"]
            rng.set_state(
                (GENERATOR, self._saved["rng_keys"], *numbers[:2].astype(int), numbers[2])
            )
        state = rng.get_state(legacy=False)
        position = np.array([state["state"]["pos"], state["has_gauss"], state["gauss"]])
        self._began = {"rng_keys": state["state"]["key"], "rng_numbers": position}
        return rng

    def read(self) -> Mapping[str, np.ndarray] | None:
        """Return the state to go on from.

        Returns
        -------
        dict of arrays or None
            None if there is no file.
        """
        return self._saved

    def epoch_done(self, arrays: Callable[[], dict[str, np.ndarray]]) -> None:
        """Write the state if it is time to.

        Parameters
        ----------
        arrays
            Collects the state of training; called when it is written.
        """
        self._since += 1
        if self._since < self.every:
            return
        self._since = 0
        content = arrays() | self._began | {"fingerprint": np.array(self.fingerprint)}
        archive = io.BytesIO()
        np.savez(archive, allow_pickle=False, **content)
        write_whole(self.path, archive.getvalue())

    def remove(self) -> None:
        """Delete the file: the fit is done."""
        self.path.unlink(missing_ok=True)

    def _read(self) -> dict[str, np.ndarray] | None:
        if not self.path.exists():
            return None
        try:
            with self.path.open("rb") as file:
                saved = dict(np.load(file, allow_pickle=False))
            fingerprint = str(saved["fingerprint"])
        except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
            raise ValueError(
                f"{self.path.name} is not a checkpoint of a fit ({type(error).__name__}). Delete "
                "it or name another file."
            ) from None
        if fingerprint != self.fingerprint:
            raise ValueError(
                f"{self.path.name} is the checkpoint of another fit: its rows, labels, parameters "
                "or version differ. Delete it to start anew, or name another file."
            )
        return saved


def fingerprint_of(
    model: BaseEstimator, recipe: BaseEstimator, parts: Iterable[np.ndarray]
) -> str:
    """Digest what makes a fit: parameters, recipe, version, and what it learns from.

    Parameters
    ----------
    model
        The classifier that is fitted.
    recipe
        Its recipe.
    parts
        Rows, labels and weights, in order.

    Returns
    -------
    str
        A hash.
    """
    from pulps import __version__

    parameters = model.get_params(deep=False) | recipe.get_params() | {"version": __version__}
    seed = parameters["random_state"]
    if not isinstance(seed, Integral):
        parameters["random_state"] = type(seed).__name__
    of_no_matter = {"recipe", "checkpoint", "checkpoint_every", "verbose"}
    told = {name: value for name, value in parameters.items() if name not in of_no_matter}
    return fingerprint(told, parts)


def fingerprint(parameters: Mapping[str, object], parts: Iterable[np.ndarray]) -> str:
    """Digest parameters and arrays.

    Parameters
    ----------
    parameters
        What is told apart by its ``repr``.
    parts
        Arrays, in order.

    Returns
    -------
    str
        A hash.

    Examples
    --------
    >>> fingerprint({"a": 1}, [np.zeros(2)]) == fingerprint({"a": 2}, [np.zeros(2)])
    False
    """
    digest = hashlib.sha256(repr(sorted(parameters.items())).encode())
    for part in parts:
        digest.update(repr((part.shape, part.dtype)).encode())
        digest.update(np.ascontiguousarray(part).view(np.uint8).data)
    return digest.hexdigest()
