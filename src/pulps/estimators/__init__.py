"""What users fit: scikit-learn's contract."""

from pulps.estimators.consensus import PUClassifier
from pulps.estimators.drift import DriftReport, check_drift
from pulps.estimators.image import LPSImageClassifier
from pulps.estimators.lps_prior import LPSPrior
from pulps.estimators.persistence import load_model, trusted_types
from pulps.estimators.recipe import ImageRecipe, Recipe
from pulps.estimators.semi_supervised import LPSSemiSupervisedClassifier
from pulps.estimators.semi_supervised_image import LPSSemiSupervisedImageClassifier
from pulps.estimators.table import LPSClassifier

__all__ = [
    "DriftReport",
    "ImageRecipe",
    "LPSClassifier",
    "LPSImageClassifier",
    "LPSPrior",
    "LPSSemiSupervisedClassifier",
    "LPSSemiSupervisedImageClassifier",
    "PUClassifier",
    "Recipe",
    "check_drift",
    "load_model",
    "trusted_types",
]
