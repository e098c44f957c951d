"""The data sets of the paper, generated ones, and tables in a folder of your own.

Read in this order: :mod:`registry` (what is known), :mod:`sources` (where files come
from), :mod:`table` (a table), :mod:`images`, :mod:`folds`, :mod:`toy`, :mod:`pictures`,
:mod:`rules` (tables in which a rule decides), :mod:`folder` (tables of your own).
"""

from pulps.datasets.folds import PublishedFolds, load_published_folds
from pulps.datasets.images import ImageDataset, load_images
from pulps.datasets.pictures import PictureSet, make_pictures
from pulps.datasets.registry import (
    PAPER_TABLES,
    TableInfo,
    image_names,
    published_fold_names,
    table_info,
    table_names,
)
from pulps.datasets.rules import RuleTable, make_rules
from pulps.datasets.sources import CorruptedDataError, DataUnavailableError
from pulps.datasets.table import Dataset, load_dataset
from pulps.datasets.toy import ToySet, make_toy

__all__ = [
    "PAPER_TABLES",
    "CorruptedDataError",
    "DataUnavailableError",
    "Dataset",
    "ImageDataset",
    "PictureSet",
    "PublishedFolds",
    "RuleTable",
    "TableInfo",
    "ToySet",
    "image_names",
    "load_dataset",
    "load_images",
    "load_published_folds",
    "make_pictures",
    "make_rules",
    "make_toy",
    "published_fold_names",
    "table_info",
    "table_names",
]
