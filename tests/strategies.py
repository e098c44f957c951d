"""Hypothesis strategies: small chains with rows and missing patterns."""

import torch
from hypothesis import strategies as st

from pulps.network.lps import ChainShape


@st.composite
def chain_shapes(draw, max_sites=5):
    n_sites = draw(st.integers(1, max_sites))
    return ChainShape(
        feature_dims=tuple(draw(st.lists(st.integers(1, 3), min_size=n_sites, max_size=n_sites))),
        bond_dim=draw(st.integers(1, 3)),
        spacing=draw(st.integers(1, max_sites + 1)),
        output_dim=draw(st.sampled_from([None, 1, 2, 3])),
    )


@st.composite
def chains(draw, max_sites=5, dtype=torch.float64, max_chains=3, max_rows=4):
    """Draw stacked cores, features of some rows and which of their sites are observed."""
    shape = draw(chain_shapes(max_sites))
    generator = torch.Generator().manual_seed(draw(st.integers(0, 2**31)))
    n_rows = draw(st.integers(1, max_rows))
    cores = shape.random_cores(draw(st.integers(1, max_chains)), 1.0, generator)
    features = [torch.randn(n_rows, d, generator=generator) for d in shape.feature_dims]
    observed = torch.tensor(
        draw(
            st.lists(
                st.lists(st.booleans(), min_size=shape.n_sites, max_size=shape.n_sites),
                min_size=n_rows,
                max_size=n_rows,
            )
        )
    )
    return [c.to(dtype) for c in cores], [f.to(dtype) for f in features], observed
