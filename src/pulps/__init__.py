"""Positive-unlabeled learning with locally purified states.

Read in this order: :mod:`pulps.basis`, a value becomes a vector; :mod:`pulps.lps`, the
chain and its sweep; :mod:`pulps.loss`, where rows should be; :mod:`pulps.training`, how
they get there; :mod:`pulps.classifier`, one call for tables; :mod:`pulps.image_classifier`,
one for images.
"""

from pulps.classifier import LPSClassifier
from pulps.image_classifier import LPSImageClassifier
from pulps.labels import hide_labels
from pulps.loss import LossWeights

__version__ = "0.3.0"
__all__ = ["LPSClassifier", "LPSImageClassifier", "LossWeights", "hide_labels"]
