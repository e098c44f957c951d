"""What is known about each data set."""

import pytest

from pulps.datasets import (
    PAPER_TABLES,
    load_dataset,
    load_images,
    load_published_folds,
    make_toy,
    table_info,
    table_names,
)
from pulps.datasets.registry import Counts

EXCEPTIONS = {  # where our counts differ from the printed ones, and how
    "dermatology": Counts(111, 71, 33),  # one attribute is constant in the two classes
    "heart-c": Counts(160, 137, 13),  # the printed 160 negatives do not exist
    "mushroom": Counts(3488, 2156, 21),  # veil-type is constant
    "nursery": Counts(4320, 4266, 8),  # the paper prints one positive fewer
}


def test_the_registry_has_the_paper_tables_and_the_weka_variant():
    assert table_names() == [*PAPER_TABLES, "heart-c-weka"]
    for name in PAPER_TABLES:
        info = table_info(name)
        assert info.here == EXCEPTIONS.get(name, info.paper)
        assert (info.openml is None) == (name == "heart-c")
        assert info.citation
        assert info.license


@pytest.mark.parametrize(
    "call",
    [
        lambda: load_dataset("votes"),
        lambda: load_dataset("vote", recipe="mine"),
        lambda: load_images("cifar"),
        lambda: load_published_folds("iris"),
        lambda: make_toy("spiral"),
        lambda: make_toy("moons", n_labeled=501),
    ],
)
def test_wrong_requests_are_refused_before_any_file_is_opened(call):
    with pytest.raises(ValueError, match=r"Known|recipe|between"):
        call()
