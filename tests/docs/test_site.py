"""The documentation site: each page is in the navigation, each link leads somewhere, pictures are up to date."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import charts
import diagrams
import docstrings
import links
import names
import pages
import pytest
import served

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "site"
PAGES = sorted(ROOT.glob("docs/*/*.md"))


def contents() -> set[str]:
    """The pages in the lists of contents of the home page."""
    lists = re.findall(r"^```\{toctree\}\n(.*?)^```", (SITE / "index.md").read_text(encoding="utf-8"), re.M | re.S)
    lines = [line.strip() for part in lists for line in part.splitlines() if line.strip() and not line.startswith(":")]
    return {re.sub(r"^.*<(.*)>$", r"\1", line) for line in lines}


def test_each_page_is_in_the_navigation() -> None:
    there = {str(page.relative_to(ROOT / "docs").with_suffix("")) for page in PAGES if page.parent != SITE}
    assert there - contents() == set(), "Next: add the page to a list of contents in docs/site/index.md"


def test_the_navigation_has_pages_only() -> None:
    outside = {"api/index", "examples/index"}
    missing = [
        name
        for name in contents() - outside
        if not any(path.is_file() for path in (ROOT / "docs" / f"{name}.md", ROOT / f"{name}.md"))
    ]
    assert missing == []


def test_notebooks_of_the_tutorials_have_their_code(tmp_path: Path) -> None:
    """All Python blocks, in order, as cells. test_code_blocks.py runs the blocks themselves."""
    pages.collect(tmp_path)
    for page in pages.TUTORIALS.glob("*.md"):
        place = tmp_path / "tutorials" / page.with_suffix(".ipynb").name
        document = json.loads(place.read_text(encoding="utf-8"))
        code = ["".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "code"]
        blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
        assert code[1:] == [block.strip("\n") for block in blocks]
        assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
        text = "".join("".join(cell["source"]) for cell in document["cells"] if cell["cell_type"] == "markdown")
        assert "](../" not in text
        assert f"<{place.name}>`" in place.with_suffix(".md").read_text(encoding="utf-8")


def test_each_link_to_a_file_leads_to_one(tmp_path: Path) -> None:
    collected = pages.collect(tmp_path)
    assert len(collected) > len(PAGES)


def test_a_link_to_nothing_is_an_error_that_names_page_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = tmp_path / "docs"
    (docs / "how-to").mkdir(parents=True)
    (docs / "how-to" / "a.md").write_text("# A\n\n```\n[not a link](x.md)\n```\n\n[gone](b.md)\n")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "DOCS", docs)
    monkeypatch.setattr(pages, "HOME", docs / "site" / "index.md")
    with pytest.raises(FileNotFoundError, match=r"a\.md:7: link to b\.md: no such file"):
        pages.collect(tmp_path / "out")


def test_files_that_pages_link_to_become_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    docs, out = tmp_path / "docs", tmp_path / "out"
    (docs / "how-to").mkdir(parents=True)
    (tmp_path / "examples" / "one").mkdir(parents=True)
    (docs / "how-to" / "a.md").write_text("# A\n[code](../../examples/one/run.py), [all](../../examples/one#why)\n")
    (tmp_path / "examples" / "one" / "run.py").write_text("print(1)\n")
    (tmp_path / "examples" / "one" / "README.md").write_text("# One\n[back](../../docs/how-to/a.md)\n")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "DOCS", docs)
    monkeypatch.setattr(pages, "HOME", docs / "site" / "index.md")
    pages.collect(out)
    page = (out / "how-to" / "a.md").read_text()
    assert page == "# A\n[code](../examples/one/run.py.md), [all](../examples/one/index.md#why)\n"
    assert (out / "examples" / "one" / "index.md").read_text() == "# One\n[back](../../how-to/a.md)\n"
    assert "print(1)" in (out / "examples" / "one" / "run.py.md").read_text()


@pytest.mark.parametrize("module", [charts, diagrams], ids=["charts", "diagrams"])
def test_pictures_are_those_that_the_script_draws(module: object) -> None:
    for name, text in module.pictures():  # type: ignore[attr-defined]
        there = (ROOT / "docs" / "images" / name).read_text(encoding="utf-8")
        assert there == text, f"docs/images/{name} is out of date. Next: python {module.__file__}"  # type: ignore[attr-defined]


def test_dead_links_of_a_built_site_are_found(tmp_path: Path) -> None:
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1>')
    (tmp_path / "a.html").write_text(
        '<a href="b.html#there"></a><a href="b.html#gone"></a><img src="no.png"><a href="https://example.org/x"></a>'
    )
    assert sorted(links.dead(tmp_path)) == [
        "a.html: b.html#gone: no such anchor",
        "a.html: no.png: no such file",
    ]


def test_each_public_name_has_documentation() -> None:
    pytest.importorskip("onnx", reason="the names of renga.onnx cannot be imported without it")
    every = [name for module in names.modules() for name in names.public_names(module)]
    assert len(every) > 1000
    assert [name.full for name in every if not names.Entity(name).summary] == []


@pytest.mark.parametrize(
    ("module", "name", "operations"),
    [
        ("renga.functions", "convolution_2d", {"convolution", "deconvolution", "convolution_filter_gradient"}),
        ("renga.links", "Linear", {"linear"}),
        ("renga.optimizers", "Adam", {"adam_update"}),
    ],
)
def test_the_operations_of_a_name_are_found(module: str, name: str, operations: set[str]) -> None:
    (found,) = (it for it in names.public_names(module) if it.name == name)
    text = "\n".join(served.served(found))
    assert [it for it in operations if f"``{it}``" not in text] == []


def linked(text: str, full: str = "renga.links.Linear") -> str:
    every = ["renga.functions.pad", "renga.functions.linear", "renga.links.Linear", "renga.links.Convolution2D"]
    homes = {name: name.replace("renga.", "renga_nn.") for name in every}
    lines = text.split("\n")

    def target(x: object, pad: int = 0) -> None:
        """Has arguments."""

    docstrings.Links(every, homes)(None, "function", full, target, None, lines)
    return "\n".join(lines).rstrip("\n")


def test_names_in_docstrings_become_links_but_arguments_do_not() -> None:
    assert linked("As `Convolution2D`.") == "As :py:obj:`Convolution2D <renga.links.Convolution2D>`."
    assert linked("With `pad`.") == "With ``pad``."
    assert linked("See `renga.functions.pad`.") == "See :py:obj:`renga.functions.pad <renga.functions.pad>`."
    assert linked("See `renga_nn.functions.pad`.") == "See :py:obj:`renga_nn.functions.pad <renga.functions.pad>`."
    assert linked("The size `n`, ``Linear(n)``.") == "The size ``n``, ``Linear(n)``."


def test_a_colon_in_the_text_of_an_attribute_is_no_type() -> None:
    lines = ["Factor: of the step."]
    docstrings.protect_attribute(None, "attribute", "renga.f", 0, None, lines)
    assert ":" not in lines[0]
    docstrings.Links([], {})(None, "attribute", "renga.f", 0, None, lines)
    assert lines[0] == "Factor: of the step."


def test_an_example_is_added_to_a_docstring_that_has_none() -> None:
    lines = ["Adds."]
    docstrings.Links([], {}, {"renga.f": ">>> f(1)\n2"})(None, "function", "renga.f", len, None, lines)
    assert lines[-4:-1] == [">>> f(1)", "2", ""]
    assert ".. rubric:: Example" in lines


def test_another_name_of_an_object_leads_to_the_first() -> None:
    homes = {"renga.get_device": "core.get_device", "renga.backend.get_device": "core.get_device"}
    lines = ["`renga.backend.get_device`"]
    docstrings.Links(list(homes), homes)(None, "function", "renga.f", len, None, lines)
    assert lines[0] == ":py:obj:`renga.backend.get_device <renga.get_device>`"


def test_products_and_sizes_in_docstrings_are_no_markup() -> None:
    assert linked("``a`` is b * c, |d| and e_ by *f*.") == r"``a`` is b \* c, \|d\| and e\_ by *f*."


def test_examples_in_docstrings_stay_as_they_are() -> None:
    text = "Sum.\n\n>>> `a` * |b|\n*c*"
    assert linked(text).endswith("\n>>> `a` * |b|\n*c*")


@pytest.mark.slow  # Sphinx reads 90 pages
def test_sphinx_builds_all_pages_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("sphinx", reason="needs the documentation generator: pip install '.[docs]'")
    pytest.importorskip("furo", reason="needs the documentation generator: pip install '.[docs]'")
    command = [sys.executable, str(SITE), "--check", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
