"""Labels that spread between neighbors: a first guess of the classes of unlabeled rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import diags_array, eye_array
from scipy.sparse.linalg import cg
from sklearn.decomposition import PCA
from sklearn.neighbors import KNeighborsRegressor, NearestNeighbors

N_COMPONENTS = 50
N_NEIGHBORS = 10
ROWS_AT_ONCE = 2048


def spread_labels(
    points: np.ndarray, labeled: np.ndarray, *, n_neighbors: int = N_NEIGHBORS, alpha: float = 0.99
) -> np.ndarray:
    r"""Score points by how well they are connected to labeled ones; larger is nearer.

    With S the normalized symmetric graph of nearest neighbors, :math:`(1 - \alpha S) f = y`
    lets the labels y spread along it. Only positives are labeled, so f tells dense regions
    from sparse ones as much as positives from negatives; what counts is how much larger f is
    than it would be if every point were labeled, as a logarithm.

    Parameters
    ----------
    points
        Shape (rows, numbers).
    labeled
        Boolean, shape (rows,).
    n_neighbors
        Neighbors of each point.
    alpha
        How far labels spread, between zero and one.

    Returns
    -------
    array of shape (rows,)

    Examples
    --------
    >>> points = np.concatenate([np.arange(20.0), np.arange(100.0, 120.0)])[:, None]
    >>> scores = spread_labels(points, np.arange(40) == 0, n_neighbors=3)
    >>> bool(scores[:20].min() > scores[20:].max())
    True
    """
    neighbors = NearestNeighbors(n_neighbors=min(n_neighbors, len(points) - 1)).fit(points)
    graph = neighbors.kneighbors_graph(mode="connectivity")
    graph = graph.maximum(graph.T)
    root = diags_array(1 / np.sqrt(np.asarray(graph.sum(axis=1)).ravel()))
    system = eye_array(len(points)) - alpha * (root @ graph @ root)
    spread, everywhere = (
        cg(system, np.asarray(source, dtype=float), rtol=1e-8)[0]
        for source in (labeled, np.ones(len(points)))
    )
    return np.log(np.clip(spread, 1e-12, None)) - np.log(everywhere)


def hints_of(scores: np.ndarray, prior: float) -> np.ndarray:
    """Turn scores into hints from -1 to 1, positive for the best share ``prior`` of the rows.

    Parameters
    ----------
    scores
        From :func:`spread_labels`.
    prior
        Share of the rows to hint at as positive.

    Returns
    -------
    array of the shape of scores
        From -1, surely negative, to 1, surely positive.

    Examples
    --------
    >>> hints_of(np.array([0.3, 0.1, 0.2]), 0.5)
    array([ 1., -1.,  0.])
    """
    rank = np.empty(len(scores))
    rank[np.argsort(scores, kind="stable")] = np.linspace(0, 1, len(scores))
    return (rank - (1 - prior)) / max(prior, 1 - prior)


def first_guess(
    read: Callable[[slice | np.ndarray], np.ndarray],
    rows: np.ndarray,
    shown: np.ndarray,
    prior: float,
) -> np.ndarray:
    """Hint at the class of every row, for each member from the labels it is shown.

    Distances are those of the first principal components. Labels spread between the given
    rows; any other row hears the mean of what its nearest neighbors among these hear.

    Parameters
    ----------
    read
        From a slice or numbers of rows to their numbers, shape (rows, numbers).
    rows
        Which rows to learn components from and to spread labels between.
    shown
        Which rows each member is shown as labeled, shape (members, rows).
    prior
        Share of the given rows to hint at as positive.

    Returns
    -------
    array of shape (members, rows)
        From -1 to 1, see :func:`hints_of`.
    """
    values, n_rows = read(rows), shown.shape[1]
    components = PCA(min(N_COMPONENTS, *values.shape), random_state=0)
    points = components.fit_transform(values)
    kinds, of_member = np.unique(shown[:, rows], axis=0, return_inverse=True)
    told = np.stack([hints_of(spread_labels(points, labeled), prior) for labeled in kinds])
    hints = np.empty((len(kinds), n_rows))
    if len(rows) < n_rows:
        nearest = KNeighborsRegressor(min(N_NEIGHBORS, len(rows))).fit(points, told.T)
        for first in range(0, n_rows, ROWS_AT_ONCE):
            part = slice(first, first + ROWS_AT_ONCE)
            hints[:, part] = nearest.predict(components.transform(read(part))).T
    hints[:, rows] = told
    return hints[of_member]
