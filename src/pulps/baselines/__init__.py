"""Rival methods of positive-unlabeled learning, one a file, under one contract.

All take any table and the same ``y`` as :class:`pulps.LPSClassifier`, and answer with
``predict``, ``predict_proba`` and ``decision_function``. Every docstring names its source
and what the source leaves open.
"""

from pulps.baselines.apnb import AveragedPositiveNaiveBayes
from pulps.baselines.aptan import AveragedPositiveTAN
from pulps.baselines.dilca import DilcaDistance
from pulps.baselines.gpu import GenerativePUClassifier
from pulps.baselines.luhc import LUHCClassifier
from pulps.baselines.pnb import PositiveNaiveBayes
from pulps.baselines.ptan import PositiveTAN
from pulps.baselines.pulce import PulceClassifier

__all__ = [
    "AveragedPositiveNaiveBayes",
    "AveragedPositiveTAN",
    "DilcaDistance",
    "GenerativePUClassifier",
    "LUHCClassifier",
    "PositiveNaiveBayes",
    "PositiveTAN",
    "PulceClassifier",
]
