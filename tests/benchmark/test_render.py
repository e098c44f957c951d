"""Tables as Markdown, LaTeX and HTML."""

from pulps.benchmark.render import Cell, Table, to_html, to_latex, to_markdown


def test_renderings_escape_and_mark():
    table = Table(
        "100 % of a_b", ["<x>", "y|z"], [[Cell("1 ± 2", bold=True), Cell("a & b")]], ["n"]
    )
    assert "&lt;x>" in to_markdown(table)
    assert "**1 ± 2** | a & b" in to_markdown(table)
    assert r"y\|z" in to_markdown(table)
    assert r"\textbf{1 $\pm$ 2} & a \& b \\" in to_latex(table)
    assert r"100 \% of a\_b" in to_latex(table)
    assert "<td><strong>1 ± 2</strong></td><td>a &amp; b</td>" in to_html(table)
