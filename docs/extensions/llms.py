"""``llms.txt``: every page with its address and its first sentence, for readers that are programs.

The order and the headings are those of the tables of contents (https://llmstxt.org).
"""

import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

SENTENCE = re.compile(r"(?<=\w\w[.?])\s|(?<=\)[.?])\s")  # "B. Name" is no end of one
MADE = "This page is generated"  # how pages of results begin; what they tell comes after


def first_sentence(doctree):
    """Return the first sentence of a page, or nothing."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if isinstance(paragraph.parent, nodes.section) and not text.startswith(MADE):
            return SENTENCE.split(text, maxsplit=1)[0].rstrip(":")
    return ""


def lines_of(app, name, depth=0):
    """Yield a line for a page and for the pages below it."""
    env = app.env
    address = app.config.html_baseurl + app.builder.get_target_uri(name)
    told = first_sentence(env.get_doctree(name))
    line = f"{'  ' * depth}- [{env.titles[name].astext()}]({address})"
    yield f"{line}: {told}" if told else line
    for child in env.toctree_includes.get(name, ()):
        yield from lines_of(app, child, depth + 1)


def write(app, exception):
    """Write the file when the site is built."""
    if exception or app.builder.format != "html":
        return
    root = app.env.get_doctree(app.config.root_doc)
    text = [f"# {app.config.html_title}", "", f"> {app.config.llms_summary}"]
    for toctree in root.findall(addnodes.toctree):
        text += ["", f"## {toctree['caption']}", ""]
        for _, name in toctree["entries"]:
            text += lines_of(app, name)
    Path(app.outdir, "llms.txt").write_text("\n".join(text) + "\n", encoding="utf-8")


def setup(app):
    """Register the hook and the one sentence that says what the project is."""
    app.add_config_value("llms_summary", "", "html", str)
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
