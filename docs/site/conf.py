"""Sphinx's settings for Renga's site; `python docs/site` builds it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docstrings import Links, protect_attribute
from names import modules, page_examples, public_names

import renga

project = "Renga"
author = copyright = "The Renga developers"
version = release = renga.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]
root_doc = "index"
html_theme = "furo"
html_title = f"Renga {version}"
html_static_path = ["static"]
html_css_files = ["renga.css"]
html_search_scorer = str(Path(__file__).with_name("scorer.js"))
html_favicon = "static/renga.svg"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
templates_path = ["templates"]
pygments_style, pygments_dark_style = "friendly", "github-dark"

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# The page of each name and the files that pages link to are in no list of contents: there would be 1100 lines at the
# side of each page. That the pages of docs/ are in one is tested (tests/docs/test_site.py).
# "ref.python": an annotation names a class that several modules have; the link goes to one of them.
suppress_warnings = ["toc.not_included", "ref.python"]

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
napoleon_custom_sections = [("Attributes", "params_style")]  # else each becomes an object of its own
napoleon_numpy_docstring = False
viewcode_line_numbers = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True


BACK = re.compile(r"((?:\.\./)+api/([\w.]+)/(\w+)\.html)#([\w.]+)")
_navigation: dict[Any, str] = {}


def share_navigation(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Make the list at the side once for all pages of a folder that are not in it: 1300 times, it takes minutes."""
    in_list = not pagename.startswith(("api/", "_modules/")) or (pagename.startswith("api/") and "index" in pagename)
    if in_list or "toctree" not in context:
        return
    make, folder = context["toctree"], pagename.rpartition("/")[0]  # links are relative to the folder

    def shared(**options: Any) -> str:
        key = (folder, *sorted(options.items()))
        if key not in _navigation:
            _navigation[key] = str(make(**options))
        return _navigation[key]

    context["toctree"] = shared


def mend_links_back(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Links from a source to the page of a name: Sphinx takes all names of a source for names of one public module."""

    def mended(found: re.Match[str]) -> str:
        page, module, name, anchor = found.groups()
        right = f"{anchor}.".startswith(f"{module}.{name}.")
        return found[0] if right else page

    if pagename.startswith("_modules/") and "body" in context:
        context["body"] = BACK.sub(mended, context["body"])


def setup(app: Any) -> None:
    """Links in docstrings, after napoleon has read their sections; one navigation for pages that are not in it."""
    names = sorted((it for module in modules() for it in public_names(module)), key=lambda it: it.module.count("."))
    homes = {name.full: f"{name.home}.{name.name}" for name in names}
    links = Links([name.full for name in names], homes, page_examples())
    app.connect("autodoc-process-docstring", protect_attribute, priority=300)
    app.connect("autodoc-process-docstring", links, priority=700)
    app.connect("html-page-context", share_navigation, priority=300)
    app.connect("html-page-context", mend_links_back)
