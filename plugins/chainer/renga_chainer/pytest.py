"""``pytest -p renga_chainer.pytest``: runs tests for Chainer with Renga, and registers their marks.

Tests that use `chainer` get Chainer's behaviour; others in the same run get Renga's: see `scope`. Workers of
pytest-xdist also load this plugin; programs that a test starts do not.
"""

from typing import Any

from renga_chainer.finder import install

install()


def pytest_configure(config: Any) -> None:
    """Register Chainer's marks with pytest."""
    from renga_chainer.modules.chainer.testing.attr import MARKS

    for name, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
