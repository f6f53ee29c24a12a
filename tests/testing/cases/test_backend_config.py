import unittest

import numpy as np
import pytest

from renga_core.backend import default_device
from renga_core.errors import RengaError
from renga_testing import cases


def test_numpy():
    config = cases.BackendConfig({"use_cudnn": "always"})
    assert config.device.name == "numpy"
    assert config.xp is np
    x = np.ones(2)
    assert config.get_array(x) is x
    assert config.get_array((x, None)) == (x, None)
    assert config.get_func_str() == "use_cudnn_always"
    assert "use_cudnn='always'" in repr(config)
    with config:
        assert default_device() == config.device


def test_by_the_name_of_a_device():
    assert cases.BackendConfig({"device": "numpy"}).device.name == "numpy"
    with pytest.raises(RengaError, match="quite_else"):
        _ = cases.BackendConfig({"device": "quite_else"}).device


def test_what_makes_no_sense():
    with pytest.raises(TypeError, match="params must be a dict"):
        cases.BackendConfig([])
    with pytest.raises(ValueError, match="unknown parameter 'use_gpu'"):
        cases.BackendConfig({"use_gpu": True})
    with pytest.raises(TypeError, match="must be a list of dicts"):
        cases.inject_backend_tests(None, {})


def test_each_method_on_each_device():
    seen = []

    class Case(unittest.TestCase):
        def test_a(self, backend_config):
            seen.append(("a", backend_config.get_func_str()))

        def test_b(self, backend_config):
            raise AssertionError("b is wrong")

    params = [{}, {"autotune": True}, {"use_chainerx": True, "chainerx_device": "native:0"}]
    assert cases.inject_backend_tests(None, params)(Case) is Case
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert sorted(seen) == [("a", "autotune_true"), ("a", "numpy")]
    assert len(result.failures) == 2
    assert len(result.skipped) == 2
    assert all("Renga has no ChainerX" in reason for _, reason in result.skipped)
    with pytest.raises(RuntimeError, match="has a test_c_numpy already"):
        cases.inject_backend_tests(["test_c"], [{}, {}])(type("Case", (), {"test_c": lambda self, c: None}))
