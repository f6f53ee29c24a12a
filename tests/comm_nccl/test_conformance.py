"""The kit of communicators on stand-ins for CuPy and libnccl, with arrays of the stand-in's devices.

The kit runs in a process of its own: in this one there may be a real CuPy, or none, and it stays so.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

KITS = Path(__file__).with_name("kits.py")


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "kit", ["PureNccl", "ResilientNccl", "ArraysOfTheHost", "SumsByNccl", "Hierarchical", "TwoDimensional", "OnMpi"]
)
def test_the_kit_passes(fake_environment, kit):
    if kit == "OnMpi":
        pytest.importorskip("mpi4py", reason="the hosts of ranks talk by MPI")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", f"Test{kit}", str(KITS)]
    one_device = {"CUDA_VISIBLE_DEVICES": "0", "RENGA_OWN_DEVICE": "0,1,2,3"}
    environment = os.environ | fake_environment | one_device
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, check=False)
    assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr[-2000:]
