"""All kernels of the plugin are ready: tests/testing/suites/test_in_tree.py puts those that are through their kit."""

import pytest

from renga_core.kinds import KERNEL
from renga_core.plugin import State, registry
from renga_kernels_onednn.library import without_bfloat16
from renga_kernels_onednn.plugin import renga_kernels


@pytest.mark.parametrize("name", [kernel.name for kernel in renga_kernels()])
def test_it_is_ready(name):
    missing = without_bfloat16() if name.endswith("_bfloat16") else None
    if missing:
        pytest.skip(missing)
    assert registry(KERNEL).get(f"onednn:{name}").probe().state is State.READY
