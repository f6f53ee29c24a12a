"""`renga train` on real ranks, one of which is killed. More of this: benchmarks/survival."""

import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mpi4py")

RUN = """
[run]
epochs = 6
seed = 3
communicator = "resilient"

[model]
use = "mlp"
n_units = 12

[data]
use = "digits"
batch_size = 50

[optimizer]
use = "adam"

[[extensions]]
use = "log_report"
trigger = [1, "iteration"]
"""


def ranks(folder):
    """The processes of a run that writes into a folder, by the rank that they were started with."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command, variables = ((process / name).read_bytes().split(b"\0") for name in ("cmdline", "environ"))
        except OSError:
            continue
        started = [each for each in variables if each.startswith(b"OMPI_COMM_WORLD_RANK=")]
        if folder.encode() in command and started:
            found[int(started[0].partition(b"=")[2])] = int(process.name)
    return found


def lines(shell, folder):
    path = shell.folder / folder / "log.jsonl"
    entries = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return [{key: value for key, value in entry.items() if key != "elapsed_time"} for entry in entries]


def parameters(shell, folder):
    newest = max((shell.folder / folder).glob("snapshot_iter_*.npz"), key=lambda path: int(path.stem.split("_")[-1]))
    with np.load(newest) as arrays:
        return {key: arrays[key].tolist() for key in arrays.files if key.startswith("updater/")}


@pytest.mark.slow  # three processes that start, three times
def test_a_killed_rank_is_replaced_by_a_spare_and_nothing_else_changes(shell):
    shell.write("run.toml", RUN)
    command = ("launch", "-n", "2", "--fault-tolerant", "--spares", "1", "renga", "train", "run.toml", "--out")
    assert shell.renga(*command, "whole").status == 0
    for victim in (0, 1):
        killed = f"without-{victim}"
        process = shell.start(*command, killed)
        deadline = time.monotonic() + 120
        while len(lines(shell, killed)) < 20 and time.monotonic() < deadline:
            time.sleep(0.02)
        os.kill(ranks(killed)[victim], signal.SIGKILL)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert f"renga: rank {victim} lost, rank {victim} joined in iteration" in err
        assert "Done: test accuracy" in out
        assert lines(shell, killed) == lines(shell, "whole")
        assert parameters(shell, killed) == parameters(shell, "whole")
        # The launcher does not wait for a spare to be gone.
        deadline = time.monotonic() + 10
        while ranks(killed) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not ranks(killed)
