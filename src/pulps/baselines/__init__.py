"""Rival methods of positive-unlabeled learning, one a file, under one contract.

All take any table and the same ``y`` as :class:`pulps.LPSClassifier`, and answer with
``predict``, ``predict_proba`` and ``decision_function``. Every docstring names its source
and what the source leaves open.
"""

from pulps.baselines.apnb import AveragedPositiveNaiveBayes
from pulps.baselines.aptan import AveragedPositiveTAN
from pulps.baselines.cgenpu import CGenPUClassifier
from pulps.baselines.cgenpu_ac import CGenPUACClassifier
from pulps.baselines.d_gan import DGANClassifier
from pulps.baselines.dilca import DilcaDistance
from pulps.baselines.dist_pu import DistPUClassifier
from pulps.baselines.elkan_noto import ElkanNotoClassifier
from pulps.baselines.genpu import GenPUClassifier
from pulps.baselines.gpu import GenerativePUClassifier
from pulps.baselines.luhc import LUHCClassifier
from pulps.baselines.nnpu import NNPUClassifier
from pulps.baselines.one_class_lps import OneClassLPS
from pulps.baselines.pgan import PGANClassifier
from pulps.baselines.pnb import PositiveNaiveBayes
from pulps.baselines.ptan import PositiveTAN
from pulps.baselines.pu_bagging import PUBaggingClassifier
from pulps.baselines.pu_extra_trees import PUExtraTreesClassifier
from pulps.baselines.pulce import PulceClassifier
from pulps.baselines.spies import SpyClassifier
from pulps.baselines.ted_n import TEDnClassifier
from pulps.baselines.upu import UPUClassifier
from pulps.baselines.vpu import VPUClassifier

__all__ = [
    "AveragedPositiveNaiveBayes",
    "AveragedPositiveTAN",
    "CGenPUACClassifier",
    "CGenPUClassifier",
    "DGANClassifier",
    "DilcaDistance",
    "DistPUClassifier",
    "ElkanNotoClassifier",
    "GenPUClassifier",
    "GenerativePUClassifier",
    "LUHCClassifier",
    "NNPUClassifier",
    "OneClassLPS",
    "PGANClassifier",
    "PUBaggingClassifier",
    "PUExtraTreesClassifier",
    "PositiveNaiveBayes",
    "PositiveTAN",
    "PulceClassifier",
    "SpyClassifier",
    "TEDnClassifier",
    "UPUClassifier",
    "VPUClassifier",
]
