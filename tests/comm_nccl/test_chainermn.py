"""A program for ChainerMN, whose communicator is ``pure_nccl``, under the plugin `chainer` on the stand-ins."""

import sys

import pytest


@pytest.mark.parametrize("arguments", [("None", "plain"), ("float16", "plain"), ("bfloat16", "double")])
@pytest.mark.usefixtures("reference_kernels")
def test_a_classifier_learns(launch, tmp_path, arguments):
    command = (sys.executable, "-m", "renga", "run-chainer")
    ended = launch("chainermn_classifier", *arguments, str(tmp_path / "result"), command=command)
    assert ended.returncode == 0, ended.stderr[-3000:]
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("accuracy")]
    assert line.endswith("ranks agree")
    assert float(line.split()[1].rstrip(",")) > 0.9
