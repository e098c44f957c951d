"""Rows as generators make them, and back."""

import math

import numpy as np
import pandas as pd
import torch
from populations import mixed_table

from pulps.baselines._shared.generated_rows import RowActivation, RowCodec


def test_encoded_rows_decode_to_themselves():
    X, _, _ = mixed_table()
    X = X.dropna().reset_index(drop=True)
    codec = RowCodec()
    decoded = codec.decode(codec.fit_transform(X))
    pd.testing.assert_frame_equal(decoded, X, check_dtype=False)
    holes = X.assign(size=np.nan, color=None)
    encoded, known = codec.transform(holes), codec.transform(X)
    np.testing.assert_allclose(encoded[:, :4], np.tile(known[:, :4].mean(axis=0), (len(X), 1)))


def test_generated_categories_are_nearly_indicators_drawn_by_their_odds():
    layer = RowActivation([1, 3, 2])
    raw = torch.tensor([[0.5, math.log(6), math.log(3), 0.0, 0.0, 0.0]]).repeat(4000, 1)
    raw.requires_grad_()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = layer(raw)
    torch.testing.assert_close(made[:, 0], torch.tanh(raw[:, 0]))
    torch.testing.assert_close(made[:, 1:4].sum(1), torch.ones(4000))
    assert float((made[:, 1:4].max(1).values > 0.95).float().mean()) > 0.6
    shares = made[:, 1:4].argmax(1).bincount() / 4000
    np.testing.assert_allclose(shares, [0.6, 0.3, 0.1], atol=0.03)
    made[:, 1].sum().backward()
    assert raw.grad[:, 1].abs().sum() > 0
