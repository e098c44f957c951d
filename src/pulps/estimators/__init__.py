"""What users fit: scikit-learn's contract.

Models of tables are in :mod:`pulps.estimators.tables`, of images in
:mod:`pulps.estimators.images`, of several classes in :mod:`pulps.estimators.classes`. What can be
set apart from them is in :mod:`pulps.estimators.recipes`, what a fitted model is asked in
:mod:`pulps.estimators.questions`, and how it is kept in :mod:`pulps.estimators.files`.
"""

from pulps.estimators.classes.image_classifier import LPSSemiSupervisedImageClassifier
from pulps.estimators.classes.table_classifier import LPSSemiSupervisedClassifier
from pulps.estimators.files.persistence import load_model, trusted_types
from pulps.estimators.images.classifier import LPSImageClassifier
from pulps.estimators.questions.drift import DriftReport, check_drift
from pulps.estimators.recipes.recipe import ImageRecipe, Recipe
from pulps.estimators.tables.classifier import LPSClassifier
from pulps.estimators.tables.consensus import PUClassifier
from pulps.estimators.tables.lps_prior import LPSPrior

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
