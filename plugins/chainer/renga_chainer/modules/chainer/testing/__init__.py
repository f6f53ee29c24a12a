"""``chainer.testing``: Renga's test cases, with Chainer's marks, devices and files.

- `attr`: marks. `condition`: repeated tests. `backend`: devices. `random`, `serializer`, `training`, `doctest_helper`,
  `unary_math_function_test`. `helper`: `with_requires`.
"""

from renga_chainer.modules.chainer.testing.backend import BackendConfig, inject_backend_tests
from renga_chainer.modules.chainer.testing.helper import with_requires, without_requires
from renga_chainer.modules.chainer.testing.random import fix_random
from renga_chainer.modules.chainer.testing.serializer import save_and_load_hdf5, save_and_load_npz
from renga_chainer.modules.chainer.testing.training import get_trainer_with_mock_updater
from renga_chainer.modules.chainer.testing.unary_math_function_test import unary_math_function_unittest

__all__ = [
    "BackendConfig",
    "fix_random",
    "get_trainer_with_mock_updater",
    "inject_backend_tests",
    "save_and_load_hdf5",
    "save_and_load_npz",
    "unary_math_function_unittest",
    "with_requires",
    "without_requires",
]
