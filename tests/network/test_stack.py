"""Where the chains of a member are in a stack."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from pulps.network.stack import Stack, join


@given(st.integers(1, 4), st.integers(1, 5))
def test_splitting_and_joining_are_inverse(n_states, n_members):
    stack = Stack(n_states, n_members)
    cores = [np.random.RandomState(site).rand(stack.n_chains, 2, 3) for site in range(3)]
    again = join(*stack.split_cores(cores))
    for one, other in zip(cores, again, strict=True):
        np.testing.assert_array_equal(one, other)
    assert Stack.of(cores, n_states) == stack


@given(st.integers(1, 4), st.integers(1, 5), st.data())
def test_chains_of_members_are_those_that_every_state_has_of_them(n_states, n_members, data):
    stack = Stack(n_states, n_members)
    order = data.draw(st.permutations(range(n_members)))
    members = np.array(order[: data.draw(st.integers(1, n_members))])
    values = np.arange(stack.n_chains * 2).reshape(-1, 2)
    chosen = values[stack.chains_of(members)]
    for part, whole in zip(stack.select(members).split(chosen), stack.split(values), strict=True):
        np.testing.assert_array_equal(part, whole[members])
    assert stack.chains_of(torch.as_tensor(members)).tolist() == stack.chains_of(members).tolist()


def test_what_belongs_to_members_is_handed_to_all_their_chains():
    stack = Stack(n_states=3, n_members=2)
    shares = stack.per_chain(torch.tensor([0.5, 2.0]))
    assert [part.tolist() for part in stack.split(shares)] == [[0.5, 2.0]] * 3


def test_gradients_pass_through_a_split():
    values = torch.ones(6, 2, requires_grad=True)
    first, second = Stack(2, 3).split(values)
    (2 * first - second).sum().backward()
    assert values.grad[:, 0].tolist() == [2.0] * 3 + [-1.0] * 3


def test_chains_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="stack of 5 chains cannot hold 2 states"):
        Stack.of([np.zeros((5, 1))], 2)
