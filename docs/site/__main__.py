"""Build the documentation site: `python docs/site`, after `pip install '.[docs]'`.

Collects the pages (`pages`), writes one page for each public name (`api`), and lets Sphinx build HTML from both. A
warning of Sphinx, such as a link that leads nowhere, is an error. The site is then in ``build/site/html``; it needs no
network to be read.

Why Sphinx: it is the generator that NumPy, SciPy and Python itself use, and is maintained by many people. It reads
signatures and docstrings from the program itself, so that names made by plugins are found too, and its search works
without a server. MyST lets it read Markdown, which a forge also shows. Furo is a
theme for light and dark, and for phones.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import api
import links
import pages

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def main() -> int:
    """Build the site; status 1 if there was a warning or a dead link, 2 without Sphinx."""
    parser = argparse.ArgumentParser(prog="python docs/site", description="Build Renga's documentation site.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site", help="folder to write to")
    parser.add_argument(
        "--check", action="store_true", help="only check pages and links, without the pages of public names; faster"
    )
    arguments = parser.parse_args()
    try:
        import furo  # noqa: F401 - to say what to do before a minute of work, not after
        from sphinx.cmd.build import main as sphinx
    except ModuleNotFoundError as error:
        print(f"{error}. Next: pip install '.[docs]'", file=sys.stderr)
        return 2

    start = time.monotonic()
    source, html = arguments.out / "source", arguments.out / "html"
    collected = pages.collect(source)
    counts = api.write(source / "api", every_name=not arguments.check)
    builder = "dummy" if arguments.check else "html"
    status = sphinx(["-q", "-W", "--keep-going", "-c", str(HERE), "-b", builder, str(source), str(html)])
    dead = [] if arguments.check else links.dead(html)
    for line in dead:
        print(line)
    seconds = time.monotonic() - start
    print(f"{len(collected)} pages, {counts}, {len(dead)} dead links, {seconds:.0f} s")
    if not arguments.check:
        print(html / "index.html")
    return int(bool(status or dead))


if __name__ == "__main__":
    sys.exit(main())
