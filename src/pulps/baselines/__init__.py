"""Rival methods of positive-unlabeled learning, one per file, under one contract.

All of them take any table and the same ``y`` as :class:`pulps.LPSClassifier`, and answer with
``predict``, ``predict_proba`` and ``decision_function``. Every docstring names its source and
what the source leaves open. What several rivals share is in ``_shared``; nothing there is a
rival.
"""

from pulps.baselines.bayes.apnb import AveragedPositiveNaiveBayes
from pulps.baselines.bayes.aptan import AveragedPositiveTAN
from pulps.baselines.bayes.generative_pu import GenerativePUClassifier
from pulps.baselines.bayes.pnb import PositiveNaiveBayes
from pulps.baselines.bayes.ptan import PositiveTAN
from pulps.baselines.gans.cgenpu import CGenPUClassifier
from pulps.baselines.gans.cgenpu_ac import CGenPUACClassifier
from pulps.baselines.gans.d_gan import DGANClassifier
from pulps.baselines.gans.genpu import GenPUClassifier
from pulps.baselines.gans.pgan import PGANClassifier
from pulps.baselines.networks.dist_pu import DistPUClassifier
from pulps.baselines.networks.nnpu import NNPUClassifier
from pulps.baselines.networks.ted_n import TEDnClassifier
from pulps.baselines.networks.upu import UPUClassifier
from pulps.baselines.networks.vpu import VPUClassifier
from pulps.baselines.others.dilca import DilcaDistance
from pulps.baselines.others.luhc import LUHCClassifier
from pulps.baselines.others.one_class_lps import OneClassLPS
from pulps.baselines.others.pulce import PulceClassifier
from pulps.baselines.trees.elkan_noto import ElkanNotoClassifier
from pulps.baselines.trees.pu_bagging import PUBaggingClassifier
from pulps.baselines.trees.pu_extra_trees import PUExtraTreesClassifier
from pulps.baselines.trees.spies import SpyClassifier

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
