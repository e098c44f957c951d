"""Names and cells that came from a user are shown in messages, and never at length."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from commands import failure
from reported import DENSITY

import pulps
from pulps.cli import main
from pulps.io.naming import listed, quoted, shown, some
from pulps.labels import read_label_column
from pulps.score import load
from pulps.studio.rows import conditions, to_table
from pulps.tables.encoding import TableEncoder
from pulps.tables.roles import check_roles

LONG = "column " + "x" * 5000
OTHER = "other " + "y" * 5000


def test_a_name_is_shown_whole_or_at_both_ends():
    assert shown("age") == "age"
    assert shown("a" * 60) == "a" * 60
    assert shown("a" * 100 + "end") == "a" * 44 + "…" + "a" * 12 + "end"
    assert quoted(10**300) == "1" + "0" * 43 + "…" + "0" * 15
    assert listed([LONG] * 11).count("…") == 11
    assert some(["a"] * 10) == "; ".join("a" * 10)
    assert some([str(number) for number in range(11)], ", ").endswith(", 9, and 1 more")


@cache
def table():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({LONG: rng.normal(size=60), OTHER: rng.choice(["u", LONG], 60), "z": 1.0})
    return X, (X[LONG] > 0.3).astype(int).to_numpy()


@cache
def model():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return pulps.PUClassifier(views=["kernel"], random_state=0).fit(*table())


@cache
def network():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        quick = pulps.LPSClassifier(
            n_members=1, max_epochs=1, bond_dim=2, first_guess=None, density=DENSITY
        )
        return quick.fit(*table())


def encoder(**options):
    return TableEncoder(**options).fit(table()[0])


def in_words(number, word):
    return table()[0].assign(**{LONG: number, OTHER: word})


MESSAGES = {
    "no column varies": lambda: TableEncoder().fit(pd.DataFrame({LONG: [1.0, 1.0]})),
    "a role of no column": lambda: check_roles({LONG: "number"}, [OTHER] * 20),
    "a role of no kind": lambda: check_roles({LONG: OTHER}, [LONG]),
    "a category of no column": lambda: encoder(categorical_features=["no" + LONG]),
    "columns are absent": lambda: model().predict(table()[0][["z"]]),
    "columns are absent, encoded": lambda: encoder().transform(table()[0][["z"]]),
    "text for numbers": lambda: model().predict(in_words([LONG] * 60, "u")),
    "dates for others": lambda: encoder(roles={OTHER: "date"}),
    "a name twice": lambda: TableEncoder().fit(
        pd.DataFrame([[1, 2], [2, 3]], columns=[LONG, LONG])
    ),
    "complex numbers": lambda: TableEncoder().fit(pd.DataFrame({LONG: [1j, 2j]})),
    "a density of no column": lambda: network().marginal(LONG + "?"),
    "labels of two words": lambda: read_label_column(pd.Series([LONG, OTHER], name=LONG)),
    "labels of many words": lambda: read_label_column(
        pd.Series([LONG, OTHER, LONG + "?"], name=LONG)
    ),
    "a label that is absent": lambda: read_label_column(pd.Series([LONG], name=LONG), OTHER),
    "a class that is absent": lambda: model().class_index(LONG),
    "classes of y": lambda: pulps.PUClassifier().fit(table()[0], [LONG, OTHER] * 30),
    "rows for the studio": lambda: to_table(model(), [{LONG + "?": 1}]),
    "infinity for the studio": lambda: to_table(model(), [{LONG: float("inf")}]),
    "given in the studio": lambda: conditions(network(), {LONG + "?": 1}),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_no_error_shows_a_name_at_length(name):
    with pytest.raises((ValueError, KeyError), match="x") as caught:
        MESSAGES[name]()
    assert len(str(caught.value)) < 1100
    assert "…" in str(caught.value)


def test_no_warning_shows_a_name_at_length():
    X, y = table()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pulps.PUClassifier(views=["kernel"], random_state=0).fit(
            X.assign(**{LONG + "id": [f"{place:05d}" for place in X.index]}), y
        )
        model().predict(X.assign(**{OTHER: LONG + "?", LONG: np.inf}))
        model().predict(X.assign(**{LONG + "?": 1}))
    told = [str(one.message) for one in caught]
    assert len(told) > 2
    assert max(map(len, told)) < 1100


def test_thousands_of_columns_that_are_left_out_are_counted():
    cells = [f"{number:05d}" for number in range(30)]
    X = pd.DataFrame({f"id {place}": cells for place in range(200)} | {"z": np.arange(30.0)})
    with pytest.warns(UserWarning, match="and 190 more") as caught:
        TableEncoder().fit(X)
    assert len(str(caught[0].message)) < 1500


def test_the_light_reader_and_the_command_line_show_no_name_at_length(tmp_path, capsys):
    X, y = table()
    model().save(tmp_path / "model")
    with pytest.raises(ValueError, match="lacks") as caught:
        load(tmp_path / "model").predict(X[["z"]])
    assert len(str(caught.value)) < 1100
    X.assign(label=y)[["z"]].to_csv(tmp_path / "t.csv", index=False)
    assert main(["predict", str(tmp_path / "model"), str(tmp_path / "t.csv")]) == 2
    assert len(failure(capsys)) < 1100
