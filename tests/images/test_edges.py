"""Directions of edges: what changes them and what does not."""

import pytest
import torch
from sklearn.datasets import load_digits

from pulps.images import edge_directions
from pulps.images.edges import N_DIRECTIONS


@pytest.fixture(scope="module")
def digits():
    return torch.as_tensor(load_digits().images[:40]).float() / 16


def test_contrast_and_brightness_change_nothing(digits):
    torch.testing.assert_close(edge_directions(3 * digits + 1), edge_directions(digits))


def test_every_image_with_an_edge_has_length_one(digits):
    torch.testing.assert_close(edge_directions(digits).norm(dim=1), torch.ones(len(digits)))
    assert not edge_directions(torch.ones(2, 8, 8)).any()


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_a_quarter_turn_moves_every_direction_by_two(digits, turns):
    def by_direction(images):
        return edge_directions(images).unflatten(1, (N_DIRECTIONS, -1)).square().sum(2)

    turned = by_direction(torch.rot90(digits, -turns, (1, 2)))
    expected = by_direction(digits).roll(2 * turns, dims=1)
    torch.testing.assert_close(turned, expected, atol=1e-5, rtol=0)


def test_the_channel_with_the_strongest_edge_counts(digits):
    faint = 0.1 * digits.flip(2)
    color = torch.stack([faint, digits, torch.zeros_like(digits)], dim=-1)
    near = torch.nn.functional.cosine_similarity(edge_directions(color), edge_directions(digits))
    assert near.min() > 0.8
    gray = digits[..., None].expand(-1, -1, -1, 3)
    torch.testing.assert_close(edge_directions(gray), edge_directions(digits))


def test_a_thicker_line_is_nearer_by_edges_than_another_shape():
    thin, thick, other = torch.zeros(3, 1, 24, 24)
    thin[:, 4:20, 11:13] = thick[:, 4:20, 10:14] = 1.0
    other[:, 11:13, 4:20] = 1.0
    features = edge_directions(torch.cat([thin, thick, other]))
    to_thick, to_other = torch.cdist(features[:1], features[1:])[0]
    assert to_thick < 0.5 * to_other


@pytest.mark.parametrize("shape", [(1, 6), (6, 1), (1, 6, 3)])
def test_a_single_line_has_the_edges_along_itself(shape):
    line, flat = torch.zeros(1, 6), torch.zeros(1, 6)
    line[:, 3:] = 1.0
    images = torch.stack([line, flat]).reshape(2, 6)
    images = images.reshape(2, *shape[:2]) if len(shape) == 2 else images[:, None, :, None]
    features = edge_directions(images.expand(2, *shape))
    assert features[0].norm() == pytest.approx(1)
    assert features[1].norm() == 0
