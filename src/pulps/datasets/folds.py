"""The folds published with the GPU baseline, for ten of the fifteen tables.

One row an example; ``fold`` is its test fold and ``labelled30|40|50`` ten characters, of
which character k says ``-`` (the row is in test fold k), ``1`` (labeled positive when fold
k is the test fold) or ``0`` (unlabeled). Missing values were filled and numbers binned by
the authors, and hepatitis and lymph have the *smaller* class as positive, so these tables
are not those of :func:`pulps.datasets.load_dataset`.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from pulps.datasets.registry import FoldsInfo, folds_info
from pulps.datasets.sources import CorruptedDataError, find, read_bytes, verify

PERCENTS = (30, 40, 50)


class Split(NamedTuple):
    """Rows to train on with their PU labels, and rows to test on."""

    train: np.ndarray
    test: np.ndarray
    y: np.ndarray


@dataclass(frozen=True, eq=False)
class PublishedFolds:
    """A binned table with its ten folds.

    Parameters
    ----------
    X : DataFrame
        Category columns.
    y : ndarray of int
        The truth: 1 for the positive class *of these files*.
    fold : ndarray of int
        Test fold of every row, 0 … 9.
    labeled : mapping of int to ndarray of bool
        For 30, 40 and 50 percent, an (n, 10) array: labeled when that fold is the test fold.
    metadata : FoldsInfo
        The entry of the registry.
    """

    X: pd.DataFrame
    y: np.ndarray
    fold: np.ndarray
    labeled: Mapping[int, np.ndarray]
    metadata: FoldsInfo

    def split(self, fold: int, percent: int) -> Split:
        """Return the rows and PU labels of one fold.

        Parameters
        ----------
        fold
            Number of the fold.
        percent
            Share of labeled positives, in percent.

        Returns
        -------
        Split
            Numbers of the training and test rows, and PU labels of the training rows.
        """
        if percent not in self.labeled:
            raise ValueError(
                f"Folds with {percent} percent labeled were not published. Use 30, 40 or 50."
            )
        train = np.flatnonzero(self.fold != fold)
        labeled = self.labeled[percent][train, fold]
        return Split(train, np.flatnonzero(self.fold == fold), labeled.astype(int))

    def splits(self, percent: int) -> Iterator[Split]:
        """Iterate over all ten folds, in order.

        Parameters
        ----------
        percent
            Share of labeled positives, in percent.

        Returns
        -------
        iterator of Split
            One per fold.
        """
        return (self.split(fold, percent) for fold in range(10))


def load_published_folds(
    name: str, *, data_home: str | os.PathLike[str] | None = None
) -> PublishedFolds:
    """Load the published folds of a table from a data folder or the cache.

    There is no download: the original repository keeps hundreds of ARFF files, and the
    compact form read here exists only in the project's data folder.

    Parameters
    ----------
    name : str
        A name of :func:`pulps.datasets.published_fold_names`.
    data_home : path-like, optional
        Folder with a subfolder ``gpu_splits``. Default: the folder in ``PULPS_DATA``.

    Returns
    -------
    PublishedFolds
        The folds.
    """
    info = folds_info(name)

    def read(path: Path) -> PublishedFolds:
        verify(path, info.sha256)
        return _parse(read_bytes(path).decode("utf-8"), info)

    return find(info.file, data_home=data_home, read=read, download=None)


def _parse(text: str, info: FoldsInfo) -> PublishedFolds:
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    marks = ["class", "fold", *(f"labelled{percent}" for percent in PERCENTS)]
    if header[-5:] != marks or len(rows) != info.n_rows:
        raise CorruptedDataError(
            f"{info.file} has {len(rows)} rows and ends with columns {header[-5:]}; wanted "
            f"{info.n_rows} rows and {marks}."
        )
    table = pd.DataFrame(rows, columns=header)
    characters = {
        percent: np.array([list(text) for text in table[f"labelled{percent}"]])
        for percent in PERCENTS
    }
    return PublishedFolds(
        X=table[header[:-5]].astype("category"),
        y=(table["class"] == info.positive).to_numpy().astype(int),
        fold=table["fold"].astype(int).to_numpy() - 1,
        labeled={percent: grid == "1" for percent, grid in characters.items()},
        metadata=info,
    )
