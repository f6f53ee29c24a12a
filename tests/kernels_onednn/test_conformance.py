"""The kit of kernels, for each kernel that the plugin offers."""

import pytest

from renga_kernels_onednn.library import unavailable
from renga_kernels_onednn.plugin import renga_kernels
from renga_testing.suites import KernelSuite

if unavailable():
    pytest.skip(f"oneDNN cannot be used: {unavailable()}", allow_module_level=True)

for _kernel in renga_kernels():
    _name = "Test" + _kernel.name.title().replace("_", "")
    globals()[_name] = type(_name, (KernelSuite,), {"provider": f"onednn:{_kernel.name}"})
