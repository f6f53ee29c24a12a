"""``pytest -p renga_chainer.pytest``: tests written for Chainer, with Renga; their marks are known.

Tests that use `chainer` get Chainer's behaviour; others, in the same run, get Renga's: see `scope`. Workers of
pytest-xdist load this plugin, too; programs that a test starts do not.
"""

from typing import Any

from renga_chainer.finder import install

install()


def pytest_configure(config: Any) -> None:
    """Tell pytest Chainer's marks."""
    from renga_chainer.modules.chainer.testing.attr import MARKS

    for name, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
