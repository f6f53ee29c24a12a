"""Finding libnccl, and what is said where it, or a function of it, is missing."""

import _ctypes
import ctypes
import os
import shutil
import subprocess
import sys

import fake_libnccl
import pytest

from renga_comm_nccl.calls import Nccl
from renga_comm_nccl.library import LibraryMissing

PROGRAM = """
from renga_comm_nccl.calls import nccl
from renga_comm_nccl.handle import Handle
found = nccl()
print(found.version, found.place)
one = Handle.make(found, found.unique_id(), 0, 1)
one.{call}
"""


def run(program, variables, path=""):
    environment = {name: value for name, value in os.environ.items() if name != "RENGA_NCCL_LIBRARY"} | variables
    environment["PYTHONPATH"] = os.pathsep.join([path, os.environ.get("PYTHONPATH", "")]).strip(os.pathsep)
    ended = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_no_library(tmp_path):
    status, _, said = run(
        "from renga_comm_nccl.library import load; load()", {"RENGA_NCCL_LIBRARY": str(tmp_path / "x")}
    )
    assert status == 1
    assert "RENGA_NCCL_LIBRARY names a file that cannot be loaded" in said
    assert "or unset it and pip install 'renga[nccl13]'" in said


def test_a_library_that_is_not_nccl():
    with pytest.raises(LibraryMissing, match=r"_ctypes.* is a library, but not NCCL. Next: set RENGA_NCCL_LIBRARY"):
        Nccl(ctypes.CDLL(_ctypes.__file__), _ctypes.__file__)


def test_wheel_is_found_before_the_system(fake_environment, tmp_path):
    place = tmp_path / "nvidia" / "nccl" / "lib" / "libnccl.so.2"
    place.parent.mkdir(parents=True)
    shutil.copy(fake_environment["RENGA_NCCL_LIBRARY"], place)
    status, printed, said = run(PROGRAM.format(call="close()"), {}, str(tmp_path))
    assert status == 0, said
    assert printed.split() == [str(fake_libnccl.NEWEST), str(place)]


@pytest.mark.parametrize(
    ("version", "call", "words"),
    [
        (21801, "shrink([])", "ncclCommShrink needs NCCL 2.27.0"),
        (22703, "revoke()", "ncclCommRevoke needs NCCL 2.28.7"),
    ],
)
def test_a_function_that_this_version_lacks_is_named(fake_environment, version, call, words):
    library = str(fake_libnccl.library(version))
    status, printed, said = run(PROGRAM.format(call=call), {"RENGA_NCCL_LIBRARY": library})
    assert status == 1
    assert printed.split() == [str(version), library]
    assert words in said
    assert "pip install -U" in said


def test_refused_call_says_who_and_why(fake_environment):
    program = PROGRAM.format(call="broadcast(0, 5, 99, 0, 0)")
    status, _, said = run(program, {"RENGA_NCCL_LIBRARY": fake_environment["RENGA_NCCL_LIBRARY"]})
    assert status == 1
    assert "NcclError: rank 0 of 1: ncclBroadcast failed: invalid argument" in said
    assert "NCCL says: " in said
