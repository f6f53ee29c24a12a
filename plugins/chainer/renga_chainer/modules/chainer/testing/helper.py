"""``chainer.testing.helper``: ``with_requires("chainer>=5")``, where Renga counts as Chainer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from packaging.requirements import Requirement

from renga_chainer.mirror import VERSION
from renga_testing.cases import requirements as renga

__all__ = ["with_requires", "without_requires"]


def installed(requirement: str) -> bool:
    """Like Renga's; Chainer counts as installed, in the version whose names Renga has."""
    wanted = Requirement(requirement)
    if wanted.name in ("chainer", "chainermn"):
        return wanted.specifier.contains(VERSION, prereleases=True)
    return renga.installed(requirement)


def with_requires(*requirements: str) -> Callable[[Any], Any]:
    """Skip a test, or a class of tests, unless all of these are installed."""
    missing = [requirement for requirement in requirements if not installed(requirement)]
    return renga.skipping(bool(missing), f"requires: {', '.join(missing)}")


def without_requires(*requirements: str) -> Callable[[Any], Any]:
    """Skip a test, or a class of tests, if all of these are installed."""
    return renga.skipping(all(map(installed, requirements)), f"requires the absence of {', '.join(requirements)}")
