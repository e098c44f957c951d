"""Images as small pictures that stand in the page itself."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from io import BytesIO

import numpy as np

from pulps.io.optional import needs

LARGEST = 96  # pixels of a picture's longer side


def picture(image: np.ndarray, value_range: Sequence[float]) -> str:
    """Write an image as PNG.

    Parameters
    ----------
    image
        Shape (height, width) or (height, width, channels). Three channels are in color; of any
        other number their mean is drawn. Missing pixels (NaN) are transparent.
    value_range
        Which values are black and white; what lies outside is drawn as the nearer of both.

    Returns
    -------
    str
        In base 64.
    """
    with needs("images", "A report of images"):
        from PIL import Image
    low, high = value_range
    in_color = image.ndim == 3 and image.shape[2] == 3
    missing = np.isnan(image)
    shown = np.where(missing, low, image)
    if image.ndim == 3:
        missing = missing.any(axis=2)
    if image.ndim == 3 and not in_color:
        shown = shown.mean(axis=2)
    levels = np.clip((shown - low) / ((high - low) or 1.0), 0, 1)
    drawn = Image.fromarray((255 * levels).round().astype(np.uint8))
    if missing.any():
        drawn.putalpha(Image.fromarray(np.where(missing, 0, 255).astype(np.uint8)))
    drawn.thumbnail((LARGEST, LARGEST))
    file = BytesIO()
    drawn.save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()
