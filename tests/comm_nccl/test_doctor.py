"""What `renga doctor` says of NCCL."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json
from renga_comm_nccl.doctor import check
print(json.dumps({row.what: (str(row.state), row.about) for row in check(60.0)}))
"""


def rows(variables):
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(ended.stdout)


def test_several_devices(fake_environment):
    found = rows({**fake_environment, "FAKE_CUDA_DEVICES": "2", "CUDA_VISIBLE_DEVICES": "0,1"})
    assert found["nccl library"][0] == "ready"
    assert "it has split, shrink, revoke, grow" in found["nccl library"][1]
    assert found["nccl driver"] == ["ready", "the driver is for CUDA 13.0"]
    assert "at most 2 ranks on this machine" in found["nccl devices"][1]
    assert found["nccl peer access"] == ["ready", "all devices reach each other's memory"]


def test_no_device(fake_environment):
    found = rows({**fake_environment, "FAKE_CUDA_DEVICES": "0", "CUDA_VISIBLE_DEVICES": ""})
    assert found["nccl devices"][0] == "unavailable"
    assert "GPU" in found["nccl devices"][1]


@pytest.mark.skipif(importlib.util.find_spec("cupy") is not None, reason="CuPy is installed")
def test_neither_cupy_nor_library(tmp_path):
    found = rows({"RENGA_NCCL_LIBRARY": str(tmp_path / "absent.so")})
    assert {state for state, _ in found.values()} == {"unavailable"}
    assert all("Next: " in about for _, about in found.values())
