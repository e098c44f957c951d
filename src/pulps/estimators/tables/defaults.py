"""What the size of a table decides where the user leaves it open.

A short chain is a weak model and few rows cannot pin down a long one, so attributes are
repeated as far as the rows allow. Many rows make each member more certain and a step more
expensive, so large tables train fewer members, in mini-batches: the cost of a fit no longer
grows with the rows.
"""

from __future__ import annotations

import math

FEW_ROWS, MANY_ROWS = 500, 2000
ROWS_A_BATCH = 512
FULL_BATCH_EPOCHS, MINI_BATCH_STEPS = 200, 240
GUESSED_EPOCHS, GUESSED_STEPS = 20, 80


def auto_repeats(n_rows: int, n_columns: int) -> int:
    """How often each attribute occurs in the chain.

    Up to 8 sites, or 16 from 500 rows; beyond 2000 rows up to three times while that makes at
    most 110 sites.

    Parameters
    ----------
    n_rows, n_columns
        Size of the table.

    Returns
    -------
    int

    Examples
    --------
    >>> auto_repeats(100, 4), auto_repeats(1000, 4), auto_repeats(3000, 36)
    (2, 4, 3)
    """
    narrow = (8 if n_rows < FEW_ROWS else 16) // n_columns
    large = min(3, 110 // n_columns) if n_rows > MANY_ROWS else 1
    return max(1, narrow, large)


def auto_members(n_rows: int, *, guessed: bool = False) -> int:
    """Eight members; four beyond 2000 rows or with a first guess, which makes them alike.

    Parameters
    ----------
    n_rows
        Rows of the table.
    guessed
        Whether there is a first guess.

    Returns
    -------
    int

    Examples
    --------
    >>> auto_members(100), auto_members(5000), auto_members(100, guessed=True)
    (8, 4, 4)
    """
    return 8 if n_rows <= MANY_ROWS and not guessed else 4


def auto_batch_size(n_rows: int) -> int | None:
    """All rows up to 2000, batches of 512 beyond.

    Parameters
    ----------
    n_rows
        Rows of the table.

    Returns
    -------
    int or None
        None for all rows at once.

    Examples
    --------
    >>> auto_batch_size(500), auto_batch_size(5000)
    (None, 512)
    """
    return None if n_rows <= MANY_ROWS else ROWS_A_BATCH


def auto_epochs(n_rows: int, batch_size: int | None, *, guessed: bool = False) -> int:
    """200 epochs of one step, or as many as make 240 steps; fewer with a first guess.

    Parameters
    ----------
    n_rows
        Rows of the table.
    batch_size
        Rows in a batch; None for all at once.
    guessed
        Whether there is a first guess.

    Returns
    -------
    int

    Examples
    --------
    >>> auto_epochs(500, None), auto_epochs(5120, 512), auto_epochs(500, None, guessed=True)
    (200, 24, 20)
    """
    if batch_size is None or batch_size >= n_rows:
        return GUESSED_EPOCHS if guessed else FULL_BATCH_EPOCHS
    n_steps = GUESSED_STEPS if guessed else MINI_BATCH_STEPS
    return math.ceil(n_steps / math.ceil(n_rows / batch_size))
