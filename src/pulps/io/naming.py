"""How names and values that came from a user are shown in messages: never at length."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

LONGEST = 60  # letters of a name that are shown
OF_THE_END = 15
MOST = 10  # names of a list that are shown


def shown(name: Any) -> str:
    """Show a name as it is, its middle left out if it is long.

    Parameters
    ----------
    name
        Of a column, a class or anything else that a user chose.

    Returns
    -------
    str

    Examples
    --------
    >>> shown("age")
    'age'
    >>> len(shown("x" * 5000))
    60
    """
    text = str(name)
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - OF_THE_END - 1]}…{text[-OF_THE_END:]}"


def quoted(value: Any) -> str:
    """Show a value as Python writes it; a list, its first values.

    Parameters
    ----------
    value
        A name or a cell, or a list of them.

    Returns
    -------
    str

    Examples
    --------
    >>> quoted("yes"), quoted(3), quoted(["a", 1])
    ("'yes'", '3', "['a', 1]")
    >>> quoted([*range(12)])
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …]'
    """
    if isinstance(value, list):
        return f"[{', '.join(map(quoted, value[:MOST]))}{', …' * (len(value) > MOST)}]"
    return repr(shown(value)) if isinstance(value, str) else shown(repr(value))


def listed(names: Collection[Any], most: int = MOST) -> str:
    """Show names, the first of them if there are many.

    Parameters
    ----------
    names
        What to list.
    most
        How many are shown.

    Returns
    -------
    str

    Examples
    --------
    >>> listed(["a", "b"]), listed(range(100), 3)
    ('a, b', '0, 1, 2, …')
    """
    first = [shown(name) for name, _ in zip(names, range(most), strict=False)]
    return ", ".join(first) + ", …" * (len(names) > most)


def some(parts: Sequence[str], between: str = "; ") -> str:
    """Join parts of a sentence, the first of them if there are many.

    Parameters
    ----------
    parts
        In which names are shown already.
    between
        What separates them.

    Returns
    -------
    str

    Examples
    --------
    >>> some([f"a{i}" for i in range(12)], ", ")
    'a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, and 2 more'
    """
    more = [f"and {len(parts) - MOST} more"] if len(parts) > MOST else []
    return between.join([*parts[:MOST], *more])
