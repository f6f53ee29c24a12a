"""Notebooks of the tutorials: a page of Markdown as a Jupyter notebook, its Python blocks as cells that run."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = ["download_link", "notebook"]

BLOCK = re.compile(r"^```python\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
RELATIVE_LINK = re.compile(r"!?\[([^\[\]]*)\]\((?![a-z]+:)[^()\s]+\)")
NEEDS = "# Needs Renga. The README says how to install it."


def notebook(page: str) -> str:
    """Return the text of an ``.ipynb`` file (nbformat 4.5) for the text of a page.

    Python blocks become cells with code; all other text, blocks of the shell included, becomes cells with Markdown.
    Links to other pages and pictures become plain text, since the notebook has no such files beside it.
    """
    cells = [_cell(0, "code", NEEDS)]
    end = 0
    for block in BLOCK.finditer(page):
        cells += [_cell(len(cells), "markdown", page[end : block.start()]), _cell(len(cells) + 1, "code", block[1])]
        end = block.end()
    cells.append(_cell(len(cells), "markdown", page[end:]))
    document = {
        "cells": [cell for cell in cells if cell["source"]],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def download_link(name: str) -> str:
    """Return the lines that a page ends with on the site: a link to its notebook of this name."""
    return f"\n---\n\nRun this page yourself: {{download}}`download it as a Jupyter notebook <{name}>`.\n"


def _cell(number: int, kind: str, text: str) -> dict[str, Any]:
    if kind == "markdown":
        text = RELATIVE_LINK.sub(r"\1", text)
    cell: dict[str, Any] = {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        "source": text.strip("\n").splitlines(keepends=True),
    }
    return cell | {"execution_count": None, "outputs": []} if kind == "code" else cell
