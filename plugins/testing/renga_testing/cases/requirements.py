"""Skips tests depending on installed packages."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from importlib import metadata
from typing import Any

from packaging.requirements import Requirement

from renga_testing.cases.parameters import Generated, classes_of

__all__ = ["installed", "skipping", "with_requires", "without_requires"]


def with_requires(*requirements: str) -> Callable[[Any], Any]:
    """Skip a test, or a class of tests, unless all of these are installed.

    Args:
        *requirements: Requirements of pip: ``"scipy>=1.13"``.

    >>> import unittest
    >>> class TestEmpty(unittest.TestCase):
    ...     @with_requires("numpy>=2")
    ...     def test_with_numpy(self):
    ...         pass
    """
    missing = [r for r in requirements if not installed(r)]
    return skipping(bool(missing), f"requires: {', '.join(missing)}")


def without_requires(*requirements: str) -> Callable[[Any], Any]:
    """Skip a test, or a class of tests, if all of these are installed. See `with_requires`."""
    return skipping(all(map(installed, requirements)), f"requires the absence of {', '.join(requirements)}")


def skipping(condition: bool, reason: str) -> Callable[[Any], Any]:
    """Return a decorator of tests, classes of tests and parameterized tests: skip them for `reason` if `condition`."""
    skip = unittest.skipIf(condition, reason)

    def decorate(target: Any) -> Any:
        if not isinstance(target, Generated):
            return skip(target)
        for cls in classes_of(target):
            skip(cls)
        return target

    return decorate


def installed(requirement: str) -> bool:
    """Whether a requirement of pip is met: ``"scipy>=1.13"``."""
    wanted = Requirement(requirement)
    if wanted.marker is not None and not wanted.marker.evaluate():
        return True
    try:
        return wanted.specifier.contains(metadata.version(wanted.name), prereleases=True)
    except metadata.PackageNotFoundError:
        return False
