"""Find links of the built site that lead nowhere: to a page, a picture or an anchor that does not exist."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["dead"]

ATTRIBUTE = re.compile(r'\s(href|src|id|name)="([^"]*)"')
"""Of a tag. In text, Sphinx writes quotation marks as ``&quot;``."""


class _Page:
    """What a page links to, and which anchors it has."""

    def __init__(self, text: str) -> None:
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        for name, value in ATTRIBUTE.findall(text):
            (self.links if name in ("href", "src") else self.anchors).add(unescape(value))


def dead(folder: Path) -> list[str]:
    """Return a line for each link of a page to a file or an anchor that is not there.

    Args:
        folder: The built site.
    """
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in folder.glob("**/*.html")}
    found = []
    for path, page in pages.items():
        for link in sorted(page.links):
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (path.parent / unquote(address.path)).resolve() if address.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = unquote(address.fragment)
            if not target.is_file():
                found.append(f"{path.relative_to(folder)}: {link}: no such file")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                found.append(f"{path.relative_to(folder)}: {link}: no such anchor")
    return found
