"""Views from a file are refused if an index or a shape is impossible, whatever a probe meets."""

import copy
import dataclasses
from functools import cache

import numpy as np
import pytest
from saved_models import file_of, load

from pulps.io.model_file import DamagedModelError
from pulps.tables.encoding import TableEncoder
from pulps.views.catalog import VIEWS
from pulps.views.checks import check_consensus
from pulps.views.classes.checks import check_class_consensus
from pulps.views.consensus import fit_consensus

SOME = ("relevant-kernel", "bagging", "boosting", "risk-trees", "risk-network")


@cache
def of_two():
    rng = np.random.RandomState(0)
    X = rng.normal(size=(60, 3))
    X[::7, 1] = np.nan
    encoder = TableEncoder()
    values = encoder.fit_transform(X)
    labeled = (X[:, 0] > 0.3) & (rng.rand(60) < 0.6)
    views = [VIEWS[name] for name in SOME]
    _, found = fit_consensus(values, encoder.columns_, labeled, np.ones(60), rng, views=views)
    return found, lambda one: check_consensus(one, encoder.columns_)


@cache
def of_three():
    model = load("classes", file_of("classes"))
    columns = model.encoder_.columns_
    return model.teacher_, lambda one: check_class_consensus(one, columns, 3)


KINDS = {"two classes": of_two, "three classes": of_three}


def arrays(one, path=()):
    """Where the arrays of a value are."""
    if isinstance(one, np.ndarray):
        yield path
    elif dataclasses.is_dataclass(one) and "columns" not in path:
        for field in dataclasses.fields(one):
            yield from arrays(getattr(one, field.name), (*path, field.name))
    elif isinstance(one, list) and "columns" not in path:
        for place, part in enumerate(one):
            yield from arrays(part, (*path, place))


def changed(one, path, edit):
    """A copy with one part edited."""
    twin = copy.deepcopy(one)
    node = twin
    for step in path[:-1]:
        node = node[step] if isinstance(step, int) else getattr(node, step)
    if isinstance(path[-1], int):
        node[path[-1]] = edit(node[path[-1]])
    else:
        object.__setattr__(node, path[-1], edit(getattr(node, path[-1])))
    return twin


def with_entry(value):
    def edit(array):
        array = array.copy()
        array.flat[array.size // 2] = value
        return array

    return edit


@pytest.mark.parametrize("kind", KINDS)
def test_fitted_views_pass(kind):
    views, check = KINDS[kind]()
    check(views)


@pytest.mark.parametrize("kind", KINDS)
def test_an_array_of_another_shape_or_type_is_refused(kind):
    views, check = KINDS[kind]()
    edits = (lambda a: a[:-1], lambda a: a[None], lambda a: a.astype(str), lambda a: None)
    paths = [path for path in arrays(views) if path[-1] != "gaps"]
    assert len(paths) > 20
    for path in paths:
        for edit in edits:
            with pytest.raises(DamagedModelError):
                check(changed(views, path, edit))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["feature", "left", "right"])
@pytest.mark.parametrize("index", [-1, 10**6])
def test_a_node_of_a_tree_that_points_elsewhere_is_refused(kind, name, index):
    views, check = KINDS[kind]()
    paths = [path for path in arrays(views) if path[-1] == name]
    assert paths
    for path in paths:
        with pytest.raises(DamagedModelError, match="should be among"):
            check(changed(views, path, with_entry(index)))


@pytest.mark.parametrize("answer", [-1.0, 0.5, 1e6])
def test_a_leaf_that_names_no_shares_is_refused(answer):
    """As in the file that first led to an IndexError: no probe came to that leaf."""
    views, check = of_three()
    path = next(path for path in arrays(views) if path[-1] == "value")
    with pytest.raises(DamagedModelError, match=r"should (be among|name answers)"):
        check(changed(views, path, with_entry(answer)))


@pytest.mark.parametrize("kind", KINDS)
def test_trees_whose_ways_meet_or_do_not_end_are_refused(kind):
    views, check = KINDS[kind]()
    paths = [path for path in arrays(views) if path[-1] == "left"]
    for path in paths:
        forest = views
        for step in path[:-1]:
            forest = forest[step] if isinstance(step, int) else getattr(forest, step)
        branch = np.flatnonzero(forest.left != forest.right)[0]

        def to(node, branch=branch):
            def edit(children):
                children = children.copy()
                children[branch] = node
                return children

            return edit

        with pytest.raises(DamagedModelError, match=r"meet again|should end"):
            check(changed(views, path, to(0)))  # back to a root
        with pytest.raises(DamagedModelError, match="should end after"):
            check(changed(views, (*path[:-1], "depth"), lambda _: 0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "value"),
    [("n_trees", 0), ("n_trees", 10**9), ("depth", -1), ("depth", "x"), ("n_neighbors", 10**6)],
)
def test_impossible_counts_are_refused(kind, name, value):
    views, check = KINDS[kind]()
    for place, opinion in enumerate(views.opinions):
        path = ("opinions", place, "model")
        if hasattr(opinion.model, "forest") and name != "n_neighbors":
            path += ("forest",)
        elif not hasattr(opinion.model, name):
            continue
        with pytest.raises(DamagedModelError):
            check(changed(views, (*path, name), lambda _: value))


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_of_another_type_is_refused(kind):
    views, check = KINDS[kind]()
    with pytest.raises(DamagedModelError, match="which scores nothing"):
        check(changed(views, ("opinions", 0, "model"), lambda _: views.form))
    with pytest.raises(DamagedModelError, match="has no views"):
        check(changed(views, ("opinions",), lambda _: []))


@pytest.mark.parametrize("kind", KINDS)
def test_views_of_other_columns_are_refused(kind):
    views, check = KINDS[kind]()
    with pytest.raises(DamagedModelError, match="should read the columns of its encoder"):
        check(changed(views, ("form", "columns"), lambda columns: columns[:-1]))
