"""Which method to take on a table: all of them, judged on rows they did not see.

Read in this order: :mod:`contenders`, the methods; :mod:`cross_fitting`, their honest scores;
:mod:`judging`, areas, differences and chances from resampled rows; :mod:`result`, the table, the
advice and the picture.
"""

from pulps.comparison.contenders import CONTENDERS, DEFAULT_CONTENDERS
from pulps.comparison.judging import compare
from pulps.comparison.result import Comparison

__all__ = ["CONTENDERS", "DEFAULT_CONTENDERS", "Comparison", "compare"]
