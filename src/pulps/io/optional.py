"""Libraries that not everybody needs: where one is missing, the error says how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str, doing: str) -> Iterator[None]:
    """Import what an extra of the package brings.

    Parameters
    ----------
    extra
        Name of the extra, as in ``pip install 'pulps[plot]'``.
    doing
        What the library is wanted for; it begins the sentence.

    Examples
    --------
    >>> with needs("plot", "Drawing"):
    ...     import a_library_that_draws
    Traceback (most recent call last):
        ...
    ModuleNotFoundError: Drawing needs a_library_that_draws, which is not installed. Install it \
with: pip install 'pulps[plot]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library in ("", "pulps"):  # a mistake of ours, which no installation mends
            raise
        raise ModuleNotFoundError(
            f"{doing} needs {library}, which is not installed. Install it with: "
            f"pip install 'pulps[{extra}]'",
            name=error.name,
        ) from None


def check_sheets(doing: str) -> None:
    """Refuse to read or write a sheet of Excel where what pandas needs for it is missing.

    Parameters
    ----------
    doing
        What is to be done; it begins the sentence.
    """
    with needs("xlsx", doing):
        import openpyxl  # noqa: F401  # by pandas
