"""Rule tables: the rule told is the rule applied, and other columns do not matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulps.datasets import make_rules
from pulps.datasets.rules import KINDS

COLUMNS = ("categorical", "numeric")
every_table = st.builds(
    make_rules,
    st.sampled_from(KINDS),
    columns=st.sampled_from(COLUMNS),
    n_rows=st.just(60),
    n_irrelevant=st.integers(0, 4),
    k=st.integers(1, 3),
    n=st.integers(3, 5),
    n_values=st.integers(2, 4),
    n_address=st.integers(1, 2),
    random_state=st.integers(0, 2**16),
)


def apply(rule, X):
    """Read the rule row by row, as a person would."""
    return np.array([int(eval(rule, {}, row)) for row in X.to_dict("records")])


@settings(max_examples=60, deadline=None)
@given(every_table)
def test_the_rule_told_is_the_rule_applied(table):
    np.testing.assert_array_equal(table.y_true, apply(table.rule, table.X))


@settings(max_examples=60, deadline=None)
@given(every_table)
def test_irrelevant_columns_do_not_matter(table):
    """Anything may stand in them."""
    others = [name for name in table.X if name not in table.relevant]
    shuffled = table.X.copy()
    for name in others:
        shuffled[name] = shuffled[name].to_numpy()[::-1]
    np.testing.assert_array_equal(table.y_true, apply(table.rule, shuffled))


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("kind", KINDS)
def test_relevant_columns_matter_and_there_are_irrelevant_ones(kind, columns):
    table = make_rules(kind, columns=columns, n_irrelevant=5, n_rows=2000, random_state=3)
    assert len(set(table.X) - set(table.relevant)) >= 5
    rng = np.random.default_rng(0)
    for name in table.relevant:
        changed = table.X.copy()
        changed[name] = rng.permutation(changed[name].to_numpy())
        assert (apply(table.rule, changed) != table.y_true).any(), name


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_share_of_positives_is_reasonable_and_true(kind, columns):
    for seed in range(5):
        table = make_rules(kind, columns=columns, n_rows=20_000, random_state=seed)
        assert 0.2 < table.share < 0.7
        assert table.y_true.mean() == pytest.approx(table.share, abs=0.015)


SLOW = {
    "relation": lambda a, b: a == b,
    "parity": lambda a, b: (a == "b") ^ (b == "b"),
    "k-of-n": lambda *cells: cells.count("b") >= 4,
    "exactly-k-of-n": lambda *cells: cells.count("b") == 4,
}


@pytest.mark.parametrize("kind", SLOW)
def test_rules_without_order_are_what_their_name_says(kind):
    table = make_rules(kind, n_rows=300, random_state=5)
    cells = table.X[list(table.relevant)].astype(str).to_numpy()
    expected = [SLOW[kind](*row) for row in cells.tolist()]
    np.testing.assert_array_equal(table.y_true, np.array(expected, dtype=int))


def test_a_multiplexer_has_an_address():
    """With the address fixed, one column alone decides, and another for each address."""
    table = make_rules("multiplexer", n_rows=4000, n_address=2, random_state=0)
    first, second = table.rule.split(" and ")[:2]
    pointers = [text.strip("(").split()[0] for text in (first, second)]
    deciding = set()
    for _, rows in table.X.groupby(pointers, observed=True):
        truth = table.y_true[rows.index]
        alone = [name for name in table.X if ((rows[name] == "b") == truth).all()]
        assert len(alone) == 1
        deciding |= set(alone)
    assert len(deciding) == 4


def test_a_dnf_has_k_different_terms():
    for seed in range(20):
        table = make_rules("dnf", k=5, n=4, term_size=3, n_rows=5, random_state=seed)
        terms = table.rule.split(" or ")
        assert len(set(terms)) == 5
        assert {term.count(" and ") for term in terms} == {2}


def test_columns_are_of_the_kind_asked_for_and_the_seed_draws_them():
    letters = make_rules("dnf", random_state=0).X
    assert all(dtype == "category" for dtype in letters.dtypes)
    numbers = make_rules("dnf", columns="numeric", random_state=0).X
    assert all(dtype == np.float64 for dtype in numbers.dtypes)
    assert letters.shape == numbers.shape == (1000, 12)
    assert letters.equals(make_rules("dnf", random_state=0).X)
    assert not letters.equals(make_rules("dnf", random_state=1).X)


@pytest.mark.parametrize(
    ("kind", "settings", "message"),
    [
        ("cnf", {}, "no rule 'cnf'"),
        ("dnf", {"columns": "ordinal"}, "columns is 'ordinal'"),
        ("dnf", {"n_rows": 0}, "at least one row"),
        ("dnf", {"term_size": 7}, "1 to 6"),
        ("dnf", {"k": 1000, "n": 2}, "9 different terms"),
        ("dnf", {"n": 30}, "cases"),
        ("relation", {"n_values": 27}, "2 to 26"),
        ("k-of-n", {"k": 7}, "1 to 6"),
        ("multiplexer", {"n_address": 5}, "1 to 4"),
    ],
)
def test_rules_that_make_no_sense_are_refused(kind, settings, message):
    with pytest.raises(ValueError, match=message):
        make_rules(kind, **settings)
