"""A table as data, and its three renderings: Markdown, LaTeX, HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple


class Cell(NamedTuple):
    """Text of a cell, and whether it is the best of its column."""

    text: str
    bold: bool = False


NOTHING = Cell("–")


@dataclass(frozen=True)
class Table:
    """A titled table with a header line and notes below."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = field(default=())


def to_markdown(table: Table) -> str:
    """Render as Markdown.

    Parameters
    ----------
    table
        The table.

    Returns
    -------
    str
        Markdown.

    Examples
    --------
    >>> print(to_markdown(Table("T", ["a", "b"], [[Cell("x"), Cell("1", bold=True)]])))
    **T**
    <BLANKLINE>
    | a | b |
    |---|---|
    | x | **1** |
    <BLANKLINE>
    """

    def line(texts: Sequence[str]) -> str:
        return "| " + " | ".join(_mark(text) for text in texts) + " |"

    lines = [f"**{table.title}**", "", line(table.header), "|" + "---|" * len(table.header)]
    lines += [line([f"**{c.text}**" if c.bold else c.text for c in row]) for row in table.rows]
    lines += [item for note in table.notes for item in ("", note)]
    return "\n".join(lines) + "\n"


def to_latex(table: Table) -> str:
    """Render as a LaTeX table that needs the package booktabs.

    Parameters
    ----------
    table
        The table.

    Returns
    -------
    str
        LaTeX.
    """

    def line(texts: Sequence[str]) -> str:
        return " & ".join(texts) + r" \\"

    def cell(c: Cell) -> str:
        return rf"\textbf{{{_tex(c.text)}}}" if c.bold else _tex(c.text)

    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_tex(' '.join([table.title + '.', *table.notes]))}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}",
        r"\toprule",
        line([_tex(text) for text in table.header]),
        r"\midrule",
        *(line([cell(c) for c in row]) for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def to_html(table: Table) -> str:
    """Render as an HTML table.

    Parameters
    ----------
    table
        The table.

    Returns
    -------
    str
        HTML.
    """

    def line(tag: str, texts: Sequence[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in texts) + "</tr>"

    def cell(c: Cell) -> str:
        return f"<strong>{escape(c.text)}</strong>" if c.bold else escape(c.text)

    lines = [
        "<table>",
        f"<caption>{escape(table.title)}</caption>",
        f"<thead>{line('th', [escape(text) for text in table.header])}</thead>",
        "<tbody>",
        *(line("td", [cell(c) for c in row]) for row in table.rows),
        "</tbody>",
        "</table>",
        *(f"<p>{escape(note)}</p>" for note in table.notes),
    ]
    return "\n".join(lines) + "\n"


RENDERERS: dict[str, tuple[str, Callable[[Table], str]]] = {
    "markdown": ("md", to_markdown),
    "latex": ("tex", to_latex),
    "html": ("html", to_html),
}


def _mark(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _tex(text: str) -> str:
    for plain, tex in (
        ("\\", r"\textbackslash "),
        ("&", r"\&"),
        ("%", r"\%"),
        ("#", r"\#"),
        ("<", r"$<$"),
        (">", r"$>$"),
        ("_", r"\_"),
        ("±", r"$\pm$"),
        ("×", r"$\times$"),
        ("χ²", r"$\chi^2$"),
        ("ρ", r"$\rho$"),
        ("–", "--"),
        ("−", "$-$"),
    ):
        text = text.replace(plain, tex)
    return text
