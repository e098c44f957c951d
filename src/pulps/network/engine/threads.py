"""Threads that each go through a whole sweep alone.

Small matrix products gain nothing from several threads within one operation, which wake up
for microseconds; they gain all from threads that share rows or chains and never meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

import torch

Share = TypeVar("Share")
Result = TypeVar("Result")


@cache
def pool(n_threads: int) -> ThreadPoolExecutor:
    """Threads that wait for work.

    Parameters
    ----------
    n_threads
        Largest number of threads.

    Returns
    -------
    ThreadPoolExecutor
        Threads start when work comes.
    """
    return ThreadPoolExecutor(n_threads, thread_name_prefix="pulps")


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Let no operation share itself among threads.

    Yields
    ------
    None
    """
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(n_threads)


def side_by_side(work: Callable[[Share], Result], shares: Sequence[Share]) -> list[Result]:
    """Work on all shares at once, each on one thread; results in their order.

    Parameters
    ----------
    work
        What to do with a share.
    shares
        One per thread.

    Returns
    -------
    list
        One result per share.
    """
    with one_thread_each():
        if len(shares) == 1:
            return [work(shares[0])]
        return list(pool(len(shares)).map(work, shares))
