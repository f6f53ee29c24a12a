"""A third party's communicator with a launcher of its own: what is installed, launched and checked as any other."""

import re
import subprocess
import sys
from pathlib import Path
from string import Template

import pytest

import renga
from renga_testing.fake_distribution import write_distribution

pytest.importorskip("mpi4py")

PLUGIN = """
from renga import Provider, hookimpl

@hookimpl
def renga_communicators():
    return [
        Provider(
            name="relay", target="renga_relay.ranks:RelayCommunicator", revision=1, summary="through a hub",
            launcher="relay",
        ),
        Provider(
            name="wrong", target="renga_relay.wrong:Reversed", revision=1,
            summary="wrong from five ranks on, and its launcher hides failures", launcher="never_fails",
        ),
    ]

@hookimpl
def renga_launchers():
    return [
        Provider(name="relay", target="renga_relay.ranks:launch", revision=1, summary="forks"),
        Provider(name="never_fails", target="renga_relay.wrong:never_fails", revision=1, summary="returns 0"),
    ]
"""
WRONG = """
from renga_relay.ranks import RelayCommunicator, launch

class Reversed(RelayCommunicator):
    def alltoall(self, xs):
        found = super().alltoall(xs)
        return found[::-1] if self.size >= 5 else found

def never_fails(command, size, environment):
    launch(command, size, environment)
    return 0
"""
PROGRAM = """
import sys
import numpy as np
from renga.distributed import create_communicator
comm = create_communicator("relay")
total = comm.allreduce(np.arange(3.0) + comm.rank)
if comm.rank == 0:
    print(comm.size, total, sys.argv[1:], flush=True)
if "fail" in sys.argv and comm.rank == 1:
    raise SystemExit(3)
comm.barrier()
"""


@pytest.fixture
def relay(shell):
    written = (Path(renga.__file__).parent / "templates" / "communicator" / "communicator.py.template").read_text()
    ranks = (Path(__file__).parent / "relay.py").read_text()
    modules = {
        "renga_relay/__init__": "",
        "renga_relay/communicator": Template(written).substitute(cls="RelayCommunicator", name="relay"),
        "renga_relay/ranks": ranks,
        "renga_relay/wrong": WRONG,
        "renga_relay/plugin": PLUGIN,
    }
    write_distribution(shell.site, "renga-relay", modules=modules, entry_points={"relay": "renga_relay.plugin"})
    shell.write("program.py", PROGRAM)
    return shell


def test_its_ranks_are_launched(relay):
    outcome = relay.renga("launch", "-n", "3", "--communicator", "relay", "program.py", "-x")
    assert (outcome.status, outcome.out) == (0, "3 [3. 6. 9.] ['-x']\n"), outcome.err


def test_the_status_is_that_of_the_rank_that_failed(relay):
    assert relay.renga("launch", "-n", "2", "--communicator", "relay", "program.py", "fail").status == 3


def test_without_a_launcher_there_are_no_ranks(relay):
    outcome = relay.renga("launch", "-n", "2", "--communicator", "single", "program.py")
    assert outcome.status != 0
    assert "names no launcher" in outcome.err
    outcome = relay.renga("launch", "-n", "2", "--communicator", "relay", "--tag", "program.py")
    assert outcome.status == 2
    assert "--tag: launcher 'relay:relay' cannot do this." in outcome.err


@pytest.mark.slow
def test_the_kit_runs_one_to_five_of_its_ranks(relay):
    outcome = relay.renga("check", "communicator:relay")
    assert outcome.status == 0, outcome.out
    assert "communicator 'relay:relay': declared 1 (ranks), checked 17" in outcome.out
    assert "failed 0, skipped 0" in outcome.out


KIT = """
from renga_testing.suites import CommunicatorSuite

class TestWrong(CommunicatorSuite):
    provider = "wrong"
    sizes = (4, 5)
"""


@pytest.mark.slow
def test_what_is_wrong_from_five_ranks_on_and_a_launcher_that_hides_failures_are_refused(relay):
    """By the programs that show it: above, the others have passed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", relay.write("test_wrong.py", KIT)]
    command += ["-k", "TestWrong and (alltoall or test_failing_rank)"]
    done = subprocess.run(command, cwd=relay.folder, env=relay.environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 1, done.stdout + done.stderr
    failed = sorted(re.findall(r"^FAILED \S+::(\S+)", done.stdout, re.MULTILINE))
    assert failed == ["test_failing_rank[numpy]", "test_ranks[numpy-5-alltoall]"]
    assert "a rank has failed, but its launcher continues, or returns 0" in done.stdout
