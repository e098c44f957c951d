"""Every fitted model can be written to a file and read again."""

from __future__ import annotations

import os
from typing import Self


class Files:
    """A model that goes into a file; see :mod:`pulps.estimators.files.persistence`."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file, without pickle; see :meth:`load`.

        Parameters
        ----------
        path : path
            The file; it is replaced whole or not at all.
        """
        from pulps.estimators.files.persistence import save

        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model written by :meth:`save`; nothing in the file is executed.

        Parameters
        ----------
        path : path
            The file.

        Returns
        -------
        the fitted model
        """
        from pulps.estimators.files.persistence import load

        return load(path, cls)
