"""Who called: warnings that point at the user's line and not into a library."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path


def _libraries() -> tuple[str, ...]:
    """Folders of pulps and of scikit-learn, if that is loaded."""
    loaded = [sys.modules[name].__file__ for name in ("pulps", "sklearn") if name in sys.modules]
    return tuple(str(Path(file).parent) for file in loaded if file is not None)


def warn_caller(message: str | Warning, category: type[Warning]) -> None:
    """Warn at the nearest call that came from outside of pulps and scikit-learn.

    Parameters
    ----------
    message
        What to say.
    category
        The kind of warning.
    """
    level, frame, libraries = 2, sys._getframe(1), _libraries()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(libraries):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
