"""Classifiers of images whose images are single lines, for scikit-learn's checks of tables."""

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from pulps import LPSImageClassifier, LPSSemiSupervisedImageClassifier


class OfLines:
    """Take a table as images of one line each; all else is the classifier's own."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = True
        tags.input_tags.three_d_array = False
        return tags

    def upright_images(self, X: Any) -> Any:
        return super().upright_images(self.lines(X, reset=False))

    def lines(self, X: Any, *, reset: bool) -> Any:
        table = validate_data(
            self, X, reset=reset, dtype=(np.float64, np.float32), ensure_all_finite="allow-nan"
        )
        return table[:, None, :]


class LinesClassifier(OfLines, LPSImageClassifier):
    def fit(self, X: Any, y: Any) -> Any:
        return super().fit(self.lines(X, reset=True), y)


class SemiSupervisedLinesClassifier(OfLines, LPSSemiSupervisedImageClassifier):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return super().fit(self.lines(X, reset=True), y, sample_weight)
