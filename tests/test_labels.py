"""What y means, what shares follow from counts, and hiding labels."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from pulps import PUClassifier
from pulps.baselines import ElkanNotoClassifier
from pulps.datasets import make_toy
from pulps.labels import (
    SCENARIOS,
    every_nth,
    hide_labels,
    labeled_to_keep,
    read_label_column,
    read_labels,
    read_target,
    share_among_unlabeled,
    shares_of,
)
from pulps.metrics import prior_of_unlabeled
from pulps.priors import BBE


@pytest.mark.parametrize("values", [(0, 1), (-1, 1), (False, True), (1, 2), (0.0, 1.0)])
def test_the_larger_number_marks_a_labeled_positive(values):
    y = np.array(values)[[0, 1, 1, 0]]
    classes, labeled = read_labels(y)
    assert classes.tolist() == list(values)
    assert labeled.tolist() == [False, True, True, False]


def test_strings_need_pos_label():
    y = np.array(["spam", "ham"])
    with pytest.raises(ValueError, match="Pass pos_label='spam' or pos_label='ham'"):
        read_labels(y)
    classes, labeled = read_labels(y, pos_label="ham")
    assert classes.tolist() == ["spam", "ham"]
    assert labeled.tolist() == [False, True]


def test_a_pos_label_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="pos_label=3 is not in y"):
        read_labels(np.array([0, 1]), pos_label=3)


@pytest.mark.parametrize(("y", "found"), [([1, 1], "1 class"), ([0, 1, 2], "3 classes")])
def test_other_than_two_values_are_refused(y, found):
    with pytest.raises(ValueError, match=found):
        read_labels(np.array(y))


@given(st.integers(1, 60), st.integers(0, 60), st.floats(0.01, 1), st.integers(0, 10))
def test_only_positives_keep_their_label_and_as_many_as_asked(n_pos, n_neg, frequency, seed):
    y_true = np.repeat([1, 0], [n_pos, n_neg])
    y = hide_labels(y_true, label_frequency=frequency, random_state=seed)
    assert y[y_true == 0].sum() == 0
    assert y.sum() == max(1, round(frequency * n_pos))
    again = hide_labels(y_true, label_frequency=frequency, random_state=seed)
    assert (y == again).all()


def test_case_control_keeps_every_row_among_the_unlabeled():
    y_true = np.array([1, 1, 0, 0, 1])
    rows, y = hide_labels(y_true, n_labeled=2, scenario="case-control", random_state=0)
    assert rows[y == 0].tolist() == [0, 1, 2, 3, 4]
    assert (y_true[rows[y == 1]] == 1).all()
    assert y.sum() == 2


def test_sar_prefers_rows_far_along_the_main_direction():
    X = np.linspace(0, 1, 400)[:, None] * [[1.0, 2.0]]
    y_true = np.ones(400, dtype=int)
    scar = hide_labels(y_true, n_labeled=100, random_state=0)
    sar = hide_labels(y_true, n_labeled=100, mechanism="sar", X=X, random_state=0)
    assert X[sar == 1, 0].mean() > X[scar == 1, 0].mean() + 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either label_frequency or n_labeled"),
        ({"label_frequency": 0.5, "n_labeled": 1}, "not both"),
        ({"label_frequency": 1.5}, r"in \(0, 1\]"),
        ({"n_labeled": 5}, "from 1 to the 2 positives"),
        ({"n_labeled": 1, "mechanism": "mar"}, "'scar' or 'sar'"),
        ({"n_labeled": 1, "mechanism": "sar"}, "pass X"),
        ({"n_labeled": 1, "scenario": "both"}, "single-training-set"),
    ],
)
def test_bad_requests_say_what_to_do(options, message):
    with pytest.raises(ValueError, match=message):
        hide_labels([1, 1, 0], **options)


@pytest.mark.parametrize(("n_labeled", "n_rows"), [(57, 100), (15, 22), (3, 10)])
def test_a_prior_that_is_the_labeled_share_leaves_none_hidden(n_labeled, n_rows):
    labeled = np.arange(n_rows) < n_labeled
    share = share_among_unlabeled(n_labeled / n_rows, labeled, "single-training-set")
    assert 0 <= share < 1e-12
    with pytest.raises(ValueError, match="larger prior"):
        share_among_unlabeled((n_labeled - 1) / n_rows, labeled, "single-training-set")


def test_no_positive_is_refused():
    with pytest.raises(ValueError, match="no positive row"):
        hide_labels(["a", "b"], n_labeled=1)


@pytest.mark.parametrize(
    ("values", "positive", "expected"),
    [
        ([1, 0, 1], None, [True, False, True]),
        ([1, None, 1], None, [True, False, True]),
        (["yes", None], None, [True, False]),
        (["yes", "no", None], "yes", [True, False, False]),
        ([2, 1, 3], "3", [False, False, True]),
    ],
)
def test_a_label_column_may_hold_blanks_and_words(values, positive, expected):
    column = pd.Series(values, name="label")
    assert read_label_column(column, positive).tolist() == expected


@pytest.mark.parametrize(
    ("values", "named", "expected"),
    [
        ([1, 0, -1, None], {}, [1, 0, -1, 0]),
        ([1, 0, -1], {"positive": "1"}, [1, 0, -1]),
        ([1, -1, None], {}, [1, 0, 0]),
        ([1, -1, None], {"negative": "-1"}, [1, -1, 0]),
        (["yes", "no", None, "?"], {"positive": "yes", "negative": "no"}, [1, -1, 0, 0]),
        (["yes", "no", ""], {"negative": "no"}, [1, -1, 0]),
    ],
)
def test_a_label_column_may_mark_known_negatives(values, named, expected):
    assert read_label_column(pd.Series(values, name="label"), **named).tolist() == expected


@pytest.mark.parametrize(
    ("values", "named", "message"),
    [
        (["yes", "no"], {"negative": "no"}, "all 2 rows as positive or negative"),
        (["yes", "no", ""], {"positive": "no", "negative": "no"}, "cannot mark both"),
        (["yes", ""], {"negative": "no"}, "never holds 'no'.*known negative"),
        (["no", ""], {"negative": "no"}, "marks no row as positive"),
    ],
)
def test_known_negatives_that_cannot_be_read_are_named(values, named, message):
    with pytest.raises(ValueError, match=message):
        read_label_column(pd.Series(values, name="label"), **named)


@pytest.mark.parametrize(
    ("values", "positive", "message"),
    [
        ([0, 0], None, "marks no row as positive"),
        ([1, 1], None, "marks all 2 rows"),
        ([None, None], None, "only blanks"),
        (["a", "b"], None, "--positive a"),
        ([1, 2, 3], None, "holds 3 values"),
        ([0, 1], "7", "never holds '7'"),
    ],
)
def test_a_label_column_that_cannot_work_says_why(values, positive, message):
    with pytest.raises(ValueError, match=message):
        read_label_column(pd.Series(values, name="label"), positive)


@given(st.integers(1, 50), st.integers(1, 50), st.integers(0, 50))
def test_shares_are_counts(n_labeled, n_positive, n_negative):
    n_unlabeled = n_positive + n_negative
    unlabeled = n_positive / n_unlabeled
    counts = {"n_labeled": n_labeled, "n_unlabeled": n_unlabeled}
    one = shares_of(unlabeled, scenario="single-training-set", **counts)
    assert one.prior == pytest.approx((n_labeled + n_positive) / (n_labeled + n_unlabeled))
    assert one.label_frequency == pytest.approx(n_labeled / (n_labeled + n_positive))
    assert one.prior_of_unlabeled == unlabeled
    two = shares_of(unlabeled, scenario="case-control", **counts)
    assert two.prior == two.prior_of_unlabeled == unlabeled
    assert np.isnan(two.label_frequency)


@given(st.integers(1, 50), st.integers(2, 50), st.floats(0.01, 0.99), st.sampled_from(SCENARIOS))
def test_conversions_undo_each_other(n_labeled, n_unlabeled, share, scenario):
    counts = {"n_labeled": n_labeled, "n_unlabeled": n_unlabeled}
    y = np.repeat([1, 0], [n_labeled, n_unlabeled])
    prior = shares_of(share, scenario=scenario, **counts).prior
    assert prior_of_unlabeled(y, prior=prior, scenario=scenario) == pytest.approx(share)


def test_an_unknown_scenario_is_refused():
    with pytest.raises(ValueError, match="scenario is 'both'"):
        shares_of(0.5, n_labeled=1, n_unlabeled=1, scenario="both")


def test_the_prior_must_leave_room_for_the_labeled_rows():
    labeled = np.array([True] * 4 + [False] * 6)
    assert share_among_unlabeled(0.7, labeled, "single-training-set") == pytest.approx(0.5)
    assert share_among_unlabeled(0.7, labeled, "case-control") == 0.7
    with pytest.raises(ValueError, match="Pass a larger prior"):
        share_among_unlabeled(0.3, labeled, "single-training-set")


def test_a_prior_that_is_too_small_is_clipped_on_request():
    labeled = np.array([True] * 4 + [False] * 6)
    assert share_among_unlabeled(0.3, labeled, "single-training-set", clip=True) == 0


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "This Rival estimator requires y to be passed.*0 for unlabeled images"),
        ([[0, 1], [1, 0], [0, 0]], "1d array"),
        ([0, np.nan, np.nan], "no row is positive"),
        ([None, None, None], "y has 0 classes"),
        ([0, 1, np.inf], "y contains infinity"),
        ([0.1, 0.2, 0.3], "Unknown label type: continuous"),
        ([0, 1], r"inconsistent numbers of samples: \[3, 2\]"),
        ([0, 0, 0], "y has 1 class"),
    ],
)
def test_a_target_that_cannot_be_read_says_why(y, message):
    with pytest.raises(ValueError, match=message):
        read_target(y, n_rows=3, caller="Rival", rows="images")


def test_a_target_keeps_its_values_beside_what_they_mean():
    target = read_target(["no", "yes", "no"], "yes", n_rows=3, caller="Rival")
    assert target.y.tolist() == ["no", "yes", "no"]
    assert target.classes.tolist() == ["no", "yes"]
    assert target.labeled.tolist() == [False, True, False]


@given(st.integers(0, 500), st.integers(1, 60))
def test_every_nth_row_is_evenly_spread_and_never_too_many(n_rows, enough):
    rows = every_nth(n_rows, enough)
    assert len(rows) <= enough
    assert len(rows) > 0 or n_rows == 0
    assert len(set(np.diff(rows))) <= 1
    if n_rows < enough:
        assert rows.tolist() == list(range(n_rows))


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 80))
def test_labeled_rows_stay_up_to_half_unless_others_are_missing(n_labeled, n_others, most):
    labeled = np.repeat([True, False], [n_labeled, n_others])
    kept = labeled_to_keep(labeled, most)
    assert 0 <= kept <= min(n_labeled, most)
    assert kept == n_labeled or kept >= most // 2
    assert kept <= most // 2 or kept + n_others <= most
    assert kept + min(n_others, most - kept) == min(most, n_labeled + n_others)


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([1.0, np.nan, 1.0, np.nan], [0, 1]),
        ([1, None, 1, 0], [0, 1]),
        ([True, None, True, None], [False, True]),
        (pd.array([1, None, 1, 0], dtype="Int64"), [0, 1]),
        (pd.array([True, None, True, None], dtype="boolean"), [False, True]),
        (pd.Series(["yes", None, "yes", None]), ["not yes", "yes"]),
        (["yes", "", "yes", "NA"], ["not yes", "yes"]),
        (pl.Series([1, None, 1, None]), [0, 1]),
        (pl.Series(["yes", None, "yes", None]), ["not yes", "yes"]),
        (pa.chunked_array([[True, None, True, None]]), [False, True]),
    ],
)
def test_missing_labels_are_unlabeled(y, classes):
    target = read_target(y, n_rows=4, caller="Rival")
    assert target.labeled.tolist() == [True, False, True, False]
    assert target.classes.tolist() == classes
    assert target.y.tolist() == [classes[1], classes[0], classes[1], classes[0]]


def test_words_and_objects_are_named_with_the_way_out():
    y = np.array(["bought", "visited", None], dtype=object)
    with pytest.raises(ValueError, match="pos_label='visited' or pos_label='bought'"):
        read_target(y, n_rows=3, caller="Rival")
    target = read_target(y, "bought", n_rows=3, caller="Rival")
    assert target.labeled.tolist() == [True, False, False]
    assert target.classes.tolist() == ["visited", "bought"]


def test_blanks_in_a_column_of_words_may_be_written_out():
    column = pd.Series(["yes", "NA", "yes", ""], name="bought")
    assert read_label_column(column).tolist() == [True, False, True, False]


@pytest.mark.parametrize(
    "model",
    [
        PUClassifier(views=["kernel"], random_state=0),
        ElkanNotoClassifier(random_state=0),
        BBE(random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_estimators_take_minus_one_for_unlabeled(model):
    X, y, _ = make_toy("blobs", n_rows=60, n_labeled=15, random_state=0)
    first, second = (clone(model).fit(X, labels) for labels in (y, np.where(y, 1, -1)))
    if hasattr(first, "predict"):
        assert second.classes_.tolist() == [-1, 1]
        np.testing.assert_array_equal(first.predict(X) == 1, second.predict(X) == 1)
    else:
        assert first.prior_ == second.prior_


def test_classes_are_told_from_rows_without_a_label():
    from pulps.labels import read_classes

    words = np.array(["b", None, "a", np.nan, -1], dtype=object)
    classes, known = read_classes(words, n_rows=5, caller="me")
    assert classes.tolist() == ["a", "b"]
    assert known.tolist() == [1, -1, 0, -1, -1]
    numbers = read_classes([2.0, np.nan, 5.0, -1.0], n_rows=4, caller="me", unlabeled_class=True)
    assert numbers.classes.tolist() == [2.0, 5.0, -1.0]
    assert numbers.known.tolist() == [0, -1, 1, -1]
    with pytest.raises(ValueError, match="requires y to be passed"):
        read_classes(None, n_rows=3, caller="me")


ODD = [
    *([pd.Timestamp(2026, 1, day) for day in (1, 2)], [pd.Interval(0, 1), pd.Interval(1, 2)]),
    *([pd.Period("2026-01"), pd.Period("2026-02")], [Decimal(0), Decimal(1)], [(0, 1), (1, 2)]),
    *(["yes", 0], [{}, {}], [object(), object()], [10**30, 0]),
]


@pytest.mark.parametrize("values", ODD, ids=lambda pair: str(type(pair[0]).__name__))
def test_classes_that_no_file_could_hold_are_refused_before_any_work(values):
    from pulps.labels import read_classes

    y = np.empty(4, dtype=object)
    y[:] = [*values, *values]
    with pytest.raises(ValueError, match=r"y holds (values of type|lists or objects)"):
        read_target(y, values[1], n_rows=4, caller="Rival")
    with pytest.raises(ValueError, match="y holds values of type"):
        read_classes(y, n_rows=4, caller="me")


def test_a_date_that_is_none_is_no_class():
    from pulps.labels import read_classes

    with pytest.raises(ValueError, match=r"y holds values of type .*datetime"):
        read_classes(np.array(["2026-01-01", "NaT"], dtype="M8[us]"), n_rows=2, caller="me")


def test_three_numbers_are_positive_unlabeled_and_negative():
    from pulps.labels import take_negatives

    y, negative = take_negatives(np.array([1, 0, -1, 0]))
    assert y.tolist() == [1, 0, 0, 0]
    assert negative.tolist() == [False, False, True, False]
    for two in ([1, -1, 1], [0, 1], ["a", "b", "c"], [0, 1, 2]):
        assert take_negatives(two) == (two, None)


@pytest.mark.parametrize(
    "y",
    [
        np.array([1, 0, -1, None], dtype=object),
        np.array([1.0, 0.0, -1.0, np.nan]),
        pd.array([1, 0, -1, None], dtype="Int64"),
        pd.DataFrame({"y": [1, 0, -1, 0]}),
    ],
    ids=["objects", "floats", "nullable", "one column"],
)
def test_known_negatives_are_found_in_any_array(y):
    from pulps.labels import take_negatives

    taken, negative = take_negatives(y)
    assert np.ravel(taken).tolist() == [1, 0, 0, 0]
    assert negative.tolist() == [False, False, True, False]


def test_whoever_takes_no_known_negatives_says_who_does():
    with pytest.raises(ValueError, match=r"for PUClassifier and LPSClassifier.* with 0 here"):
        ElkanNotoClassifier().fit(np.zeros((3, 1)), [1, 0, -1])
    with pytest.raises(ValueError, match="a model of several classes"):
        ElkanNotoClassifier().fit(np.zeros((3, 1)), [1, 0, 2])


def test_minus_one_beside_missing_labels_is_told_to_be_unlabeled():
    from pulps.labels import take_negatives

    y = np.array([1.0, -1.0, np.nan])
    with pytest.warns(UserWarning, match="known to be negative, mark the unlabeled rows with 0"):
        assert take_negatives(y)[1] is None


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (pd.array([1, None, 2], dtype="Int64"), [1, 2]),
        (pd.array([True, None, False], dtype="boolean"), [False, True]),
        (pd.Categorical(["b", None, "a"], categories=["a", "b", "never"]), ["a", "b"]),
        (pd.Series(["b", None, "a"], dtype="string"), ["a", "b"]),
    ],
    ids=["whole numbers", "booleans", "categories", "text"],
)
def test_classes_stay_of_the_kind_they_came_in(y, classes):
    from pulps.labels import read_classes

    found = read_classes(y, n_rows=3, caller="me")
    assert found.classes.tolist() == classes
    assert [type(one) for one in found.classes.tolist()] == [type(one) for one in classes]
    assert found.known.tolist() == [1, -1, 0] if classes[0] in ("a", False) else [0, -1, 1]


def test_dates_are_no_classes_and_a_missing_date_is_no_label():
    from pulps.labels import read_classes, unlabeled_rows

    days = np.array(["2020-01-01", "NaT"], dtype="datetime64[D]")
    assert unlabeled_rows(days).tolist() == [False, True]
    with pytest.raises(ValueError, match="values of type date"):
        read_classes(days, n_rows=2, caller="me")
