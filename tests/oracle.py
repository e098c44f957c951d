"""The dense truth: every matrix written out, exponential in the number of sites."""

import torch


def dense_matrix(cores):
    """Write one chain out as the matrix P, shape (outputs, features), axes in site order."""
    state = torch.ones(1, 1, 1, dtype=cores[0].dtype)  # outputs, features, bond
    for core in cores:
        state = torch.einsum("wvl,slkr->wkvsr", state, core)
        w, k, v, s, r = state.shape
        state = state.reshape(w * k, v * s, r)
    return state[..., 0]


def product_features(features):
    """Write the embedding Phi(x) of every row out, shape (rows, features)."""
    product = torch.ones(len(features[0]), 1, dtype=features[0].dtype)
    for phi in features:
        product = torch.einsum("nv,ns->nvs", product, phi).flatten(1)
    return product


def dense_operator(features_of_row, observed_of_row, dims):
    """Operator of one row: phi phi^T where observed, the identity where traced."""
    operator = torch.ones(1, 1, dtype=features_of_row[0].dtype)
    for phi, seen, dim in zip(features_of_row, observed_of_row, dims, strict=True):
        local = torch.outer(phi, phi) if seen else torch.eye(dim, dtype=phi.dtype)
        operator = torch.kron(operator, local)
    return operator


def dense_log_norms(cores, features, observed):
    """Log-norm of every row for one chain, any missing pattern."""
    P = dense_matrix(cores)
    dims = [core.shape[0] for core in cores]
    norms = []
    for row in range(len(observed)):
        operator = dense_operator([phi[row] for phi in features], observed[row], dims)
        norms.append(0.5 * torch.trace(P @ operator @ P.T).log())
    return torch.stack(norms)
