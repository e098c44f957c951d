"""What the paper prints, recomputed."""

from pulps.benchmark.paper_statistics import recomputed_table


def test_the_printed_statistics_that_differ_are_bold():
    differ = {r[0].text: (r[1].text, r[2].text) for r in recomputed_table().rows if r[2].bold}
    assert differ["Friedman χ², categorical"] == ("146", "147.1")
    assert differ["critical difference, categorical"] == ("1.56", "1.5651")
    assert differ["average f1, APTAN"] == ("0.64", "0.646")
    assert not any(name.startswith(("wins", "p-value")) or "MNIST" in name for name in differ)
