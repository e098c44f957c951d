"""The sweep at the shapes of the default: chains of 8 to 57 sites, D = 8, k = 2, S = 4.

Forward and backward, log-norms and log-Frobenius norms of 16 chains (eight members), in float32.
"""

from __future__ import annotations

from ways import Ways

from pulps.network.engine.factors import multiplications
from pulps.network.lps import ChainShape

SITES = (8, 16, 20, 36, 57)
FEATURE_DIM, BOND_DIM, SPACING, OUTPUT_DIM, N_CHAINS, N_ROWS = 6, 8, 4, 2, 16, 500
COLUMNS = ("numbers", "categories")


def measure(ways: Ways, n_sites: int, columns: str, rounds: int, gemm_speed: float) -> list[dict]:
    """Medians over the rounds, one dict per engine."""
    request = {
        "n_sites": n_sites,
        "n_rows": N_ROWS,
        "n_chains": N_CHAINS,
        "feature_dim": FEATURE_DIM,
        "bond_dim": BOND_DIM,
        "spacing": SPACING,
        "output_dim": OUTPUT_DIM,
        "dtype": "float32",
        "one_hot": columns == "categories",
    }
    shape = ChainShape((FEATURE_DIM,) * n_sites, BOND_DIM, SPACING, OUTPUT_DIM)
    count = multiplications(shape.core_shapes(), embedding=columns == "numbers")
    least = 3 * 2 * count * N_CHAINS * N_ROWS / gemm_speed  # forward and twice back
    measured = ways.measure(request, ["author", "torch", "native"], rounds)
    return [
        {
            "sites": n_sites,
            "columns": columns,
            "engine": engine,
            **measured[engine],
            "least": 1000 * least / measured[engine]["milliseconds"],
            "multiplications": count,
        }
        for engine in ("torch", "native")
    ]
