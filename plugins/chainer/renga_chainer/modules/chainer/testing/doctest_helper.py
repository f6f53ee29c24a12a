"""``chainer.testing.doctest_helper``: conditions for skipping examples in documentation."""

from __future__ import annotations

import os

from renga_chainer.modules.chainer.testing.helper import installed

__all__ = ["skipif", "skipif_not_enough_cuda_devices", "skipif_requires_satisfied"]


def skipif(condition: bool) -> bool:
    """`condition`, but False on Read the Docs."""
    return False if os.environ.get("READTHEDOCS") == "True" else condition


def skipif_requires_satisfied(*requirements: str) -> bool:
    """Whether all of these pip requirements are installed."""
    return skipif(all(map(installed, requirements)))


def skipif_not_enough_cuda_devices(device_count: int) -> bool:
    """Whether ``CHAINER_TEST_GPU_LIMIT`` allows fewer GPUs than this."""
    return skipif(0 <= int(os.environ.get("CHAINER_TEST_GPU_LIMIT", "-1")) < device_count)
