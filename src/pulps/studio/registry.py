"""What the server remembers: a few tables and trainings under names that nobody can guess."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from pulps.studio.answers import Refusal

T = TypeVar("T")


def new_key() -> str:
    """Draw a name that nobody can guess.

    Returns
    -------
    str
        Safe in addresses, and as the name of a folder.
    """
    return secrets.token_urlsafe(12)


class Registry(Generic[T]):
    """A few items under random keys; the oldest that may go make room for new ones.

    Parameters
    ----------
    what
        What an item is called in a message.
    size
        How many items are kept.
    drop
        Called with every item that has to go.
    may_go
        Tells whether an item may go; the others stay, however many they are.
    """

    def __init__(
        self,
        what: str,
        size: int,
        drop: Callable[[T], None] = lambda _: None,
        may_go: Callable[[T], bool] = lambda _: True,
    ):
        self.what, self.size, self.drop, self.may_go = what, size, drop, may_go
        self._items: OrderedDict[str, T] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, item: T, key: str | None = None) -> str:
        """Keep an item; the newest is never the one that goes.

        Parameters
        ----------
        item
            What to keep.
        key
            Under which name; None draws one.

        Returns
        -------
        str
            The key to find it by, which nobody can guess.
        """
        key = key or new_key()
        with self._lock:
            self._items[key] = item
            n_beyond = len(self._items) - self.size
            idle = [name for name, other in self._items.items() if self.may_go(other)]
            leaving = [name for name in idle if name != key][: max(0, n_beyond)]
            gone = [self._items.pop(name) for name in leaving]
        for other in gone:
            self.drop(other)
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

    def __contains__(self, key: str) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[tuple[str, T]]:
        return iter(list(self._items.items()))
