"""Plans of cuDNN in files: made once, used by later processes, never trusted."""

import hashlib
import logging
import sys

import numpy as np
import pytest

from renga_nn.functions import example_arguments
from renga_nn.functions.connection import convolution_reference as reference


@pytest.fixture
def plans(fake, fake_cudnn, tmp_path, monkeypatch):
    """The folder of the plans, which is not there yet."""
    monkeypatch.setenv("RENGA_CUDNN_CACHE", str(tmp_path / "plans"))
    fake_cudnn.PyGraph.serialized = {}
    return tmp_path / "plans"


@pytest.fixture
def convolve(fake, fake_cudnn):
    """Compute a convolution, as a new process would: how many plans had to be made, and the result was right."""
    x, W, b, *others = next(iter(example_arguments.convolution(np.random.default_rng(0), np.dtype(np.float32)))).args
    given = (*(a.view(fake.ndarray) for a in (x, W, b)), *others)

    def run():
        for name in [name for name in sys.modules if name.startswith("renga_backend_cupy.kernels")]:
            del sys.modules[name]
        from renga_backend_cupy.kernels.convolution import Convolution

        before = fake_cudnn.PyGraph.built
        for _ in range(2):
            y = Convolution.forward(*given)
            np.testing.assert_allclose(y, reference.convolution(x, W, b, *others), rtol=1e-5, atol=1e-5)
        return fake_cudnn.PyGraph.built - before

    return run


def test_a_plan_is_made_once(plans, convolve):
    assert [convolve() for _ in range(3)] == [1, 0, 0]
    assert len(list(plans.iterdir())) == 1


@pytest.mark.parametrize("what", ["model", "cudnn", "precision"])
def test_another_gpu_or_version_has_plans_of_its_own(plans, convolve, fake, monkeypatch, what):
    convolve()
    if what == "model":
        monkeypatch.setattr(fake.state, "model", "another")
    elif what == "cudnn":
        monkeypatch.setattr(sys.modules["cudnn"], "backend_version", lambda: 92900)
    else:
        monkeypatch.setenv("CUPY_TF32", "1")
    assert [convolve(), convolve()] == [1, 0]
    assert len(list(plans.iterdir())) == 2


@pytest.mark.parametrize("content", [b"", b"too short", b"x" * 100, None])
def test_a_file_that_is_no_plan_is_ignored_and_replaced(plans, convolve, caplog, content):
    convolve()
    (file,) = plans.iterdir()
    file.write_bytes(hashlib.sha256(b"foreign 0").digest() + b"foreign 0" if content is None else content)
    with caplog.at_level(logging.WARNING):
        assert [convolve(), convolve()] == [1, 0]
    (message,) = [record.getMessage() for record in caplog.records]
    assert str(file) in message
    assert "parse error" in message if content is None else "it is damaged" in message
    assert len(list(plans.iterdir())) == 1


def test_a_plan_that_does_not_run_is_made_again(plans, convolve, fake, fake_cudnn, caplog):
    convolve()
    graph = fake_cudnn.PyGraph.serialized[0]

    def refuse(*args, **options):
        raise RuntimeError("CUDNN_STATUS_EXECUTION_FAILED")

    graph.execute = refuse  # what is loaded has it, too
    with caplog.at_level(logging.WARNING):
        assert convolve() == 1  # the reference first, then the new plan
    (message,) = [record.getMessage() for record in caplog.records]
    assert "CUDNN_STATUS_EXECUTION_FAILED" in message
    assert convolve() == 0


def test_engines_that_cannot_be_serialized_and_folders_that_cannot_be_written(plans, convolve, fake_cudnn, caplog):
    fake_cudnn.PyGraph.serialized = None
    assert [convolve(), convolve()] == [1, 1]
    assert not plans.exists()
    fake_cudnn.PyGraph.serialized = {}
    plans.write_text("a file")
    with caplog.at_level(logging.WARNING):
        assert convolve() == 1
    (message,) = [record.getMessage() for record in caplog.records]
    assert "set RENGA_CUDNN_CACHE to a folder that can be written" in message
