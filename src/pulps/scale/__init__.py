"""Tables larger than memory and more than one machine.

=====================================  ===========================================================
score a file of any size               :func:`score_file`, ``pulps predict``: chunks, flat memory
score a Dask DataFrame, a Ray Dataset  :func:`score_dask`, :func:`score_ray`: a task a partition
train on a folder of Parquet files     :func:`fit_parquet`: mini-batches from the disk
searches, copies, benchmark tasks      ``with joblib.parallel_config(backend="dask")`` or ``"ray"``
=====================================  ===========================================================
"""

from pulps.scale.parquet import EncodedRows, fit_parquet
from pulps.scale.scoring import score_dask, score_ray, score_rows
from pulps.scale.streaming import score_file

__all__ = [
    "EncodedRows",
    "fit_parquet",
    "score_dask",
    "score_file",
    "score_ray",
    "score_rows",
]
