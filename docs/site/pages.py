"""Collect the pages of the site: all of docs/, and every page of the checkout that one of them links to.

In the checkout a page links to ``../../examples/digits`` or ``../../benchmarks/results/training.md``, which works on a
forge and in an editor. A site has only its own pages. So what is linked to becomes a page of the site, under the path
that it has in the checkout, and links are rewritten to the new places. Line numbers stay, so that a warning of Sphinx
leads to the right line.
"""

from __future__ import annotations

import os
import re
import shutil
from functools import partial
from pathlib import Path

import notebooks

__all__ = ["collect"]

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HOME = DOCS / "site" / "index.md"
TUTORIALS = DOCS / "tutorials"
"""Their pages can also be downloaded as notebooks."""

LINK = re.compile(r"(!?)\[([^\[\]]*(?:\[[^\]]*\][^\[\]]*)*)\]\(([^()\s]+)\)")
FENCE = re.compile(r"^\s*(```+|~~~+)")
LANGUAGES = {".py": "python", ".toml": "toml", ".sh": "bash", ".yml": "yaml", ".yaml": "yaml", ".json": "json"}
PICTURES = {".png", ".jpg", ".jpeg", ".gif"}
STARTS = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md")
"""Pages outside docs/ that the home page leads to."""


def collect(target: Path) -> list[Path]:
    """Write all pages into a folder, with their pictures; remove what is no page any more.

    Returns:
        The pages written.

    Raises:
        FileNotFoundError: A page links to a file that does not exist; the message names page and line.
    """
    waiting = [HOME, *sorted(DOCS.glob("*/*.md")), *(ROOT / name for name in STARTS)]
    waiting = [page for page in waiting if page.exists() and (page.parent != HOME.parent or page == HOME)]
    written: dict[Path, Path] = {}
    while waiting:
        source = waiting.pop()
        if source in written:
            continue
        place = target / _place(source)
        written[source] = place
        if source.suffix == ".md":
            text, linked = _rewrite(source)
            waiting += linked
            if source.parent == TUTORIALS:
                beside = place.with_suffix(".ipynb")
                written[beside] = beside
                _write(beside, notebooks.notebook(source.read_text(encoding="utf-8")))
                text += notebooks.download_link(beside.name)
        elif source.suffix in PICTURES | {".svg"}:
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, place)
            continue
        else:
            text = _as_page(source)
        _write(place, text)
    _remove_others(target, set(written.values()))
    return [place for place in written.values() if place.suffix == ".md"]


def _place(source: Path) -> Path:
    """Where a file of the checkout is on the site."""
    if source == HOME:
        return Path("index.md")
    path = source.relative_to(DOCS if DOCS in source.parents else ROOT)
    if path.suffix == ".md":
        return path.with_name("index.md") if path.name == "README.md" and path != Path("README.md") else path
    return path if path.suffix in PICTURES | {".svg"} else path.with_name(f"{path.name}.md")


def _rewrite(page: Path) -> tuple[str, list[Path]]:
    """The text of a page with its links to the new places, and the files that it links to."""
    linked: list[Path] = []
    lines = page.read_text(encoding="utf-8").split("\n")
    fence = ""
    for number, line in enumerate(lines):
        mark = FENCE.match(line)
        if mark and (not fence or mark[1] == fence):
            fence = "" if fence else mark[1]
        elif not fence:
            lines[number] = LINK.sub(partial(_link, page=page, line=number + 1, linked=linked), line)
    return "\n".join(lines), linked


def _link(found: re.Match[str], page: Path, line: int, linked: list[Path]) -> str:
    picture, text, address = found.groups()
    path, _, anchor = address.partition("#")
    if not path or re.match(r"[a-z]+:", path) or path.startswith("/"):
        return found[0]
    folder = DOCS if page == HOME else page.parent  # the home page is written as if it were in docs/
    file = (folder / path).resolve()
    if file == DOCS / "README.md":
        file = HOME
    if file.is_dir():
        file = _page_of_folder(file)
    if not file.is_file():
        raise FileNotFoundError(f"{page.relative_to(ROOT)}:{line}: link to {address}: no such file")
    linked.append(file)
    where = os.path.relpath(_place(file), _place(page).parent)
    if picture and file.suffix == ".svg":
        return f"```{{raw}} html\n:file: {where}\n```" if found.string.strip() == found[0] else found[0]
    return f"{picture}[{text}]({where}{'#' + anchor if anchor else ''})"


def _page_of_folder(folder: Path) -> Path:
    """The page that speaks for a folder: its README, else that of the nearest folder around it."""
    while not (folder / "README.md").is_file():
        if folder == ROOT / "benchmarks" / "results":
            return DOCS / "explanation" / "comparisons.md"
        if folder == ROOT:
            raise FileNotFoundError("no README.md in this folder or one around it")
        folder = folder.parent
    return folder / "README.md"


def _as_page(source: Path) -> str:
    """A page that shows a file."""
    language = LANGUAGES.get(source.suffix, "text")
    text = source.read_text(encoding="utf-8").rstrip("\n")
    return f"# `{source.relative_to(ROOT)}`\n\n````{{code-block}} {language}\n{text}\n````\n"


def _write(place: Path, text: str) -> None:
    """Write a page unless it has this text: Sphinx reads again what is newer."""
    if not place.is_file() or place.read_text(encoding="utf-8") != text:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def _remove_others(target: Path, wanted: set[Path]) -> None:
    for path in target.glob("**/*"):
        if path.is_file() and path not in wanted and path.relative_to(target).parts[0] != "api":
            path.unlink()
