"""What the server remembers: a few tables and trainings under random names."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from pulps.studio.answers import Refusal

T = TypeVar("T")


class Registry(Generic[T]):
    """A few items under random keys; the oldest make room for new ones.

    Parameters
    ----------
    what
        What an item is called in a message.
    size
        How many items are kept.
    drop
        Called with every item that has to go.
    """

    def __init__(self, what: str, size: int, drop: Callable[[T], None] = lambda _: None):
        self.what, self.size, self.drop = what, size, drop
        self._items: OrderedDict[str, T] = OrderedDict()

    def put(self, item: T) -> str:
        """Keep an item.

        Parameters
        ----------
        item
            What to keep.

        Returns
        -------
        str
            The key to find it by, which nobody can guess.
        """
        key = secrets.token_urlsafe(12)
        self._items[key] = item
        while len(self._items) > self.size:
            self.drop(self._items.popitem(last=False)[1])
        return key

    def get(self, key: str) -> T:
        """Find an item; refuse an unknown key.

        Parameters
        ----------
        key
            From :meth:`put`.

        Returns
        -------
        object
            The item.
        """
        try:
            return self._items[key]
        except KeyError:
            raise Refusal(
                404,
                f"There is no such {self.what}. Only the last {self.size} are kept; start again.",
            ) from None

    def __iter__(self) -> Iterator[T]:
        return iter(list(self._items.values()))
