"""How chains are stacked: all members of the first state, then all of the second, and so on.

An ensemble of models, each with one state per class, is swept as one stack of chains. This
module alone knows where in that stack a chain sits: chain ``state * n_members + member``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor


@dataclass(frozen=True)
class Stack:
    """The layout of the chain axis, which comes first everywhere.

    Parameters
    ----------
    n_states
        States per member, one for each class.
    n_members
        Members of the ensemble.

    Examples
    --------
    >>> stack = Stack(n_states=2, n_members=3)
    >>> positive, negative = stack.split(np.array([1, 2, 3, -1, -2, -3]))
    >>> positive, negative
    (array([1, 2, 3]), array([-1, -2, -3]))
    >>> stack.chains_of(np.array([0, 2]))
    array([0, 2, 3, 5])
    """

    n_states: int
    n_members: int

    @classmethod
    def of(cls, cores: Sequence[Any], n_states: int) -> Stack:
        """Read the number of members off stacked cores.

        Parameters
        ----------
        cores
            One array or tensor (chains, ...) per site.
        n_states
            States per member.

        Returns
        -------
        Stack
        """
        n_members, rest = divmod(len(cores[0]), n_states)
        if rest:
            raise ValueError(
                f"A stack of {len(cores[0])} chains cannot hold {n_states} states of every member."
            )
        return cls(n_states, n_members)

    @property
    def n_chains(self) -> int:
        """Number of chains."""
        return self.n_states * self.n_members

    def by_state(self, values: Any) -> Any:
        """Give the chain axis two axes.

        Parameters
        ----------
        values
            An array or tensor (chains, ...).

        Returns
        -------
        a view of shape (states, members, ...)
        """
        return values.reshape(self.n_states, self.n_members, *values.shape[1:])

    def split(self, values: Any) -> tuple[Any, ...]:
        """Take a stacked array or tensor apart.

        Parameters
        ----------
        values
            An array or tensor (chains, ...).

        Returns
        -------
        tuple
            One part (members, ...) per state.
        """
        return tuple(self.by_state(values))

    def split_cores(self, cores: Sequence[Any]) -> tuple[list[Any], ...]:
        """Take stacked cores apart.

        Parameters
        ----------
        cores
            One array or tensor (chains, ...) per site.

        Returns
        -------
        tuple of lists
            One list of cores per state.
        """
        parts = [self.split(core) for core in cores]
        return tuple([part[state] for part in parts] for state in range(self.n_states))

    def per_chain(self, values: Tensor) -> Tensor:
        """Repeat what belongs to members for every chain.

        Parameters
        ----------
        values
            Shape (members,).

        Returns
        -------
        Tensor of shape (chains,)
        """
        return values.repeat(self.n_states)

    def chains_of(self, members: Any) -> Any:
        """Find the chains of some members.

        Parameters
        ----------
        members
            Numbers of members, an array or a tensor.

        Returns
        -------
        array or Tensor of int
            Positions in the stack, in stack order.
        """
        starts = self.n_members * np.arange(self.n_states)
        if isinstance(members, Tensor):
            return (members + members.new_tensor(starts)[:, None]).flatten()
        return (np.asarray(members) + starts[:, None]).ravel()

    def select(self, members: Any) -> Stack:
        """Return the layout of a stack of some of the members.

        Parameters
        ----------
        members
            Numbers of members.

        Returns
        -------
        Stack
        """
        return Stack(self.n_states, len(members))


def join(*states: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Stack the cores of several states.

    Parameters
    ----------
    *states
        For each state, one array (members, ...) per site.

    Returns
    -------
    list of arrays
        One array (chains, ...) per site.
    """
    return [np.concatenate(cores) for cores in zip(*states, strict=True)]
