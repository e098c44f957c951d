"""Formulas as MathML, which browsers draw by themselves: no script, no network.

Docutils translates the LaTeX of docstrings. What it cannot translate is a warning, and the
site is built with warnings as errors.
"""

from docutils import nodes
from docutils.utils.math import MathError, unichar2tex
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def draw_inline(writer, node):
    """Write a formula inside a line."""
    _draw(writer, node, "span", as_block=False)


def draw_block(writer, node):
    """Write a formula on a line of its own."""
    _draw(writer, node, "div", as_block=True)


def _draw(writer, node, tag, *, as_block):
    latex = node.astext().strip()
    try:
        drawn = tex2mathml(latex.translate(unichar2tex.uni2tex_table), as_block=as_block)
        drawn = drawn.replace("<mo>‖</mo>", '<mo stretchy="false">‖</mo>')  # else ‖P‖ sinks
    except MathError as error:
        logger.warning("no MathML for %r: %s", latex, error, location=node)
        drawn = writer.encode(latex)
    writer.body += [writer.starttag(node, tag, "", CLASS="math"), drawn, f"</{tag}>"]
    raise nodes.SkipNode


def setup(app):
    """Offer the renderer; ``html_math_renderer = "mathml"`` takes it."""
    app.add_html_math_renderer("mathml", (draw_inline, None), (draw_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
