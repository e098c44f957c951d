"""Images in the files of a folder, decoded when they are asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pulps.images.layout import as_size
from pulps.io.optional import needs

if TYPE_CHECKING:
    from PIL import Image

ENDINGS = {".bmp", ".gif", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp"}
GRAY = {"1", "L", "LA"}
DEEP = {"I;16", "I;16B", "I;16L", "I", "F"}  # more than eight bits


class ImageFolder:
    """Image files that are never in memory as a whole.

    Only names and the first file's header are read at first; an image is decoded whenever it
    is asked for. Files are those with an ending of PNG, JPEG, TIFF, WebP, BMP, GIF, PGM or
    PPM, of subfolders too, in the order of their paths; names that begin with a dot do not count.
    Of a file with several pictures the first is taken.

    Parameters
    ----------
    folder : path
        Where the files are.
    mode : {"L", "RGB"} or None, default=None
        Gray or color, to which every image is converted; transparency is left out. None takes
        what the first file is, or its own mode if that is gray of more than eight bits.
    size : int, (height, width) or None, default=None
        What every image is brought to: its middle, in the proportions of the size, is scaled to
        it. None wants files that are of one size.

    Attributes
    ----------
    paths : list of Path
        The files, in the order of the images: what their names tell can become ``y``.
    shape : tuple of int
        (images, height, width), and 3 if they are in color.
    dtype : numpy.dtype
        Of the pixels; bytes unless the files are deeper.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from PIL import Image
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("a", "b", "c"):
    ...         Image.new("L", (8, 6), color=ord(name)).save(Path(folder, f"{name}.png"))
    ...     images = ImageFolder(folder)
    ...     print(images.shape, images[1].max(), images[[2, 0]].max(axis=(1, 2)))
    (3, 6, 8) 98 [99 97]
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        mode: str | None = None,
        *,
        size: int | tuple[int, int] | None = None,
    ):
        if mode not in (None, "L", "RGB"):
            raise ValueError(f"mode={mode!r} came; pass 'L' for gray, 'RGB' for color, or None.")
        if not Path(folder).is_dir():
            raise FileNotFoundError(f"There is no folder {folder}. Check the name.")
        self.paths = sorted(
            path
            for path in Path(folder).rglob("*")
            if path.suffix.lower() in ENDINGS and not path.name.startswith(".")
        )
        if not self.paths:
            raise ValueError(
                f"{folder} has no image files. Files with these endings count: "
                f"{', '.join(sorted(ENDINGS))}."
            )
        self.size = None if size is None else as_size(size)
        with _opened(self.paths[0]) as first:
            self._size, found = (first.height, first.width), first.mode
        self.mode = mode or (found if found in DEEP else "L" if found in GRAY else "RGB")
        one = self._decode(self.paths[0])
        self.shape, self.dtype = (len(self.paths), *one.shape), one.dtype

    def __len__(self) -> int:
        """Return the number of images."""
        return len(self.paths)

    def __getitem__(self, rows: Any) -> np.ndarray:
        """Decode one image by its number, or several by a slice or an array of numbers."""
        numbers = np.arange(len(self))[rows]
        if numbers.ndim == 0:
            return self._decode(self.paths[numbers])
        if numbers.ndim > 1:
            raise IndexError(
                f"Numbers of shape {numbers.shape} came; ask for images by a list of numbers."
            )
        images = np.empty((len(numbers), *self.shape[1:]), dtype=self.dtype)
        for position, number in enumerate(numbers):
            images[position] = self._decode(self.paths[number])
        return images

    def _decode(self, path: Path) -> np.ndarray:
        with _opened(path) as image:
            if self.size is None and (image.height, image.width) != self._size:
                raise ValueError(
                    f"{path} has {image.height} x {image.width} pixels, but the first file, "
                    f"{self.paths[0]}, has {self._size[0]} x {self._size[1]}. Pass size=64, for "
                    "example, to bring all files to one size, or move those that differ elsewhere."
                )
            if image.mode == self.mode:
                return np.asarray(self._scaled(image))
            if not DEEP.isdisjoint((image.mode, self.mode)):
                raise ValueError(
                    f"{path} has pixels of mode {image.mode}, which do not become {self.mode}, "
                    "as the folder is read, without loss. Save all files with the same depth."
                )
            whole = image.convert("RGBA") if "transparency" in image.info else image
            return np.asarray(self._scaled(whole.convert(self.mode)))

    def _scaled(self, image: Image.Image) -> Image.Image:
        if self.size is None:
            return image
        with needs("images", "Reading images of a folder"):
            from PIL import ImageOps
        height, width = self.size
        return ImageOps.fit(image, (width, height))


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    """Open a file; what cannot be read is named."""
    with needs("images", "Reading images of a folder"):
        from PIL import Image
    try:
        with Image.open(path) as image:
            yield image
    except (OSError, EOFError, SyntaxError) as error:
        raise ValueError(
            f"{path} cannot be read as an image ({error}). Repair it, or move it elsewhere."
        ) from error
