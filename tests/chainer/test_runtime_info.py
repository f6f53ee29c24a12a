"""What is printed about this process, and the questions after cuDNN."""

from __future__ import annotations

import io

import numpy as np
import pytest

from renga_chainer.runtime_info import print_runtime_info, should_use_cudnn, should_use_cudnn_tensor_core
from renga_core.configuration import get_dtype, using_config
from renga_testing.every_backend import ready_backends


def test_versions_and_plugins_are_printed(capsys):
    out = io.StringIO()
    print_runtime_info(out)
    lines = dict(line.split("  ", 1) for line in out.getvalue().splitlines())
    assert lines["NumPy"].strip() == np.__version__
    assert lines["Plugin numpy"].strip().startswith("renga ")
    print_runtime_info()
    assert capsys.readouterr().out == out.getvalue()


@pytest.mark.skipif("cupy" in ready_backends(), reason="there is a GPU")
def test_there_is_no_cudnn_without_a_gpu():
    assert not should_use_cudnn(">=auto")
    assert not should_use_cudnn("==always", 9000)
    assert not should_use_cudnn_tensor_core(np.float16)


def test_levels_are_checked():
    with pytest.raises(ValueError, match="'>=auto', not 'auto'"):
        should_use_cudnn("auto")


def test_get_dtype():
    assert get_dtype() == np.float32
    assert get_dtype("float64", map_mixed16=np.float32) == np.float64
    with using_config("dtype", np.float16):
        assert get_dtype() == np.float16
        assert get_dtype(map_mixed16=np.float32) == np.float32
        assert get_dtype(np.float16, map_mixed16=np.float32) == np.float16
