"""Where a file is written: refused before any work if it cannot be, then whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check_writable(path) -> Path:
    """Refuse a path that cannot become a file, before work is done that would be lost.

    Parameters
    ----------
    path
        Where a file is to be written.

    Returns
    -------
    Path
        The path.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a directory. Name a file to write to.")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent}. Create it first.")
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise PermissionError(
            f"The folder {path.parent} takes no files ({error.strerror}). Name another one."
        ) from None
    os.close(handle)
    Path(name).unlink()
    return path


@contextmanager
def replacing(path) -> Iterator[Path]:
    """Give a temporary file to write; move it to ``path`` if all went well.

    Whatever happens, ``path`` holds either what it held before or the whole new content.

    Parameters
    ----------
    path
        The file to replace.
    """
    path = check_writable(path)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
