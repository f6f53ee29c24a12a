"""Every code block of the README and of docs/ runs: Python is executed, TOML parsed, a page at a time."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
OPTIONAL = re.compile(r"^(?:import|from) (torch)\b", re.MULTILINE)
"""Libraries that Renga does not need and the extra `test` does not install."""
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[tuple[int, str]]:
    """Line number and text of each block of a language."""
    text = page.read_text(encoding="utf-8")
    return [(text.count("\n", 0, m.start()) + 2, m[2]) for m in FENCE.finditer(text) if m[1] == language]


def names(pages: list[Path]) -> list[str]:
    return [str(page.relative_to(ROOT)) for page in pages]


PYTHON = [page for page in PAGES if blocks(page, "python")]
TOML = [page for page in PAGES if blocks(page, "toml")]


@pytest.mark.parametrize("page", PYTHON, ids=names(PYTHON))
def test_python_blocks_run_in_order(page: Path, tmp_path: Path) -> None:
    """One process a page, so that what a page registers stays on that page; line numbers are the page's."""
    for library in OPTIONAL.findall("\n".join(code for _, code in blocks(page, "python"))):
        pytest.importorskip(library, reason=f"the page uses {library}")
    program = ["import warnings", "warnings.simplefilter('error')", "page = {'__name__': 'page'}"]
    for line, code in blocks(page, "python"):
        padded = "\n" * (line - 1) + code
        program.append(f"exec(compile({padded!r}, {str(page)!r}, 'exec'), page)")
    script = tmp_path / "page.py"
    script.write_text("\n".join(program), encoding="utf-8")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("page", TOML, ids=names(TOML))
def test_toml_blocks_parse(page: Path) -> None:
    for line, text in blocks(page, "toml"):
        try:
            tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            pytest.fail(f"{page.name}:{line}: {error}")


def test_there_are_pages_with_code() -> None:
    assert any(page.name == "README.md" for page in PYTHON)
