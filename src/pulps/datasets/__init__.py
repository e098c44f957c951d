"""The data sets of the paper: tables, images, published folds and toy sets.

Read in this order: :mod:`registry` (what is known), :mod:`sources` (where files come
from), :mod:`table` (a table), :mod:`images`, :mod:`folds`, :mod:`toy`.
"""

from pulps.datasets.folds import PublishedFolds, load_published_folds
from pulps.datasets.images import ImageDataset, load_images
from pulps.datasets.registry import (
    PAPER_TABLES,
    TableInfo,
    image_names,
    published_fold_names,
    table_info,
    table_names,
)
from pulps.datasets.sources import CorruptedDataError, DataUnavailableError
from pulps.datasets.table import Dataset, load_dataset
from pulps.datasets.toy import ToySet, make_toy

__all__ = [
    "PAPER_TABLES",
    "CorruptedDataError",
    "DataUnavailableError",
    "Dataset",
    "ImageDataset",
    "PublishedFolds",
    "TableInfo",
    "ToySet",
    "image_names",
    "load_dataset",
    "load_images",
    "load_published_folds",
    "make_toy",
    "published_fold_names",
    "table_info",
    "table_names",
]
