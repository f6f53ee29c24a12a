"""Find links of the built site that lead nowhere: to a page, a picture or an anchor that does not exist."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["dead"]


class _Page(HTMLParser):
    """What a page links to, and which anchors it has."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the addresses and names of a tag."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


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
