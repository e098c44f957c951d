"""Tables larger than memory, and work for more than one machine.

====================================  =============================================================
score a file of any size              :func:`score_file`, ``pulps predict``: chunks, flat memory
score Parquet files, and go on later  :func:`score_parts`: parts that are there are kept
score where the table is              :func:`score_dask`, :func:`score_ray`, :func:`score_spark`
train on a folder of Parquet files    :func:`fit_parquet`: mini-batches from the disk
searches, copies, benchmark tasks     ``with joblib.parallel_config(backend="dask")`` or ``"ray"``
====================================  =============================================================

Read :mod:`columns`, which columns of a table are the model's; :mod:`scoring`;
:mod:`streaming`; :mod:`parts`; :mod:`parquet`.
"""

from pulps.scale.parquet import EncodedRows, fit_parquet
from pulps.scale.parts import score_parts
from pulps.scale.scoring import score_dask, score_ray, score_rows, score_spark
from pulps.scale.streaming import score_file

__all__ = [
    "EncodedRows",
    "fit_parquet",
    "score_dask",
    "score_file",
    "score_parts",
    "score_ray",
    "score_rows",
    "score_spark",
]
