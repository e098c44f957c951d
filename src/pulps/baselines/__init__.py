"""Other people's methods under one contract: same ``y``, same tables, one file a method."""

from pulps.baselines.dist_pu import DistPUClassifier
from pulps.baselines.elkan_noto import ElkanNotoClassifier
from pulps.baselines.nnpu import NNPUClassifier
from pulps.baselines.one_class_lps import OneClassLPS
from pulps.baselines.pu_bagging import PUBaggingClassifier
from pulps.baselines.pu_extra_trees import PUExtraTreesClassifier
from pulps.baselines.spies import SpyClassifier
from pulps.baselines.ted_n import TEDnClassifier
from pulps.baselines.upu import UPUClassifier
from pulps.baselines.vpu import VPUClassifier

__all__ = [
    "DistPUClassifier",
    "ElkanNotoClassifier",
    "NNPUClassifier",
    "OneClassLPS",
    "PUBaggingClassifier",
    "PUExtraTreesClassifier",
    "SpyClassifier",
    "TEDnClassifier",
    "UPUClassifier",
    "VPUClassifier",
]
