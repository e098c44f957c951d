"""How the site is built: ``python -m sphinx -W docs build/site``."""

import os
import sys
from pathlib import Path

import pulps

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "pulps"
author = "The pulps developers"
copyright = "The pulps developers"
version = release = pulps.__version__

extensions = [
    "llms",
    "mathml",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["examples"]
html_theme = "furo"
html_title = f"pulps {release}"
html_baseurl = os.environ.get("READTHEDOCS_CANONICAL_URL", "")
html_math_renderer = "mathml"
html_copy_source = False
html_show_search_summary = False  # fetched page by page, which browsers refuse without a server
html_static_path = ["static"]
html_css_files = ["figures.css"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

llms_summary = (
    "Positive-unlabeled learning in Python: some rows are known to be positive, nobody has looked "
    "at the rest; pulps tells the rest apart, says how sure it is, and needs no negative example."
)

myst_heading_anchors = 3
autosummary_generate = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_rtype = False

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}


def skip_inherited(app, what, name, obj, skip, options):
    """Leave out what scikit-learn adds to every estimator; its own pages tell of it."""
    module = getattr(obj, "__module__", None) or ""
    added = module.split(".")[0] == "sklearn" or name.endswith("_request")
    return True if added else None


def setup(app):
    """Register the hook."""
    app.connect("autodoc-skip-member", skip_inherited)
