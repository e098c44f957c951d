"""Who called: warnings that point at the user's line and not into a library."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import sklearn

_LIBRARIES = (str(Path(__file__).parents[1]), str(Path(sklearn.__file__).parent))


def warn_caller(message: str | Warning, category: type[Warning]) -> None:
    """Warn at the nearest call that came from outside of pulps and scikit-learn.

    Parameters
    ----------
    message
        What to say.
    category
        The kind of warning.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_LIBRARIES):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
