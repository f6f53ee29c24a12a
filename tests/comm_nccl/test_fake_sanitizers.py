"""The stand-in for libnccl under the compiler's sanitizers: three ranks on threads of one process use all of it."""

from __future__ import annotations

import os
import subprocess

import pytest
from fake_libnccl import NoCompilerError, exercise


@pytest.mark.parametrize("sanitizer", ["address,undefined", "thread"])
def test_the_library_is_clean_under(sanitizer):
    try:
        program = exercise(sanitizer)
    except NoCompilerError as error:
        pytest.skip(str(error))
    environment = {**os.environ, "FAKE_NCCL_POISON": "1", "FAKE_NCCL_DELAY_US": "50"}
    run = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=200, check=False)
    if "unexpected memory mapping" in run.stderr:
        pytest.skip("the thread sanitizer does not run with this kernel's layout of addresses")
    assert (run.stderr, run.returncode, run.stdout) == ("", 0, "done\n")
